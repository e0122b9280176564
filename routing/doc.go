// Package routing says where a key lives: the directory of shards and the
// ranges of keys they hold.
//
// How it thinks. The key space has three parts. Shard-local keys name their
// shard in the key itself. System keys belong to the meta shard. Table keys are
// looked up in a sorted list of range starts; a range runs to the next start.
// A range is what a later split divides: nothing above this package knows how
// many ranges a table has. The directory is a value: it is replaced whole,
// with a higher Epoch, and never changed in place.
//
// What the caller owes it. Whoever extends a directory does it in a
// transaction on DirectoryKey in the meta shard, from the value it read there.
package routing
