// Package marks remembers how far the files of a store were synced, so that damage to what
// was synced is distinguished from the torn end that a crash leaves.
//
// How it thinks. The storage library takes the first record of a log or a manifest that it
// cannot read for the end of the file. So a file beside them (SYNCED) says of each log and
// manifest how many bytes of it were synced, and their checksum. FS is the file system for
// the library: it counts what is written, and writes the mark anew after each sync, before
// the sync returns. Open compares the files with the mark: one that is missing, shorter, or
// different is damaged.
//
// A mark is written with each sync and is itself synced once a second, and before a file is
// made or taken away. So after the end of the process it is exact; after a power cut it may
// be a second old. It then asks for less than was synced, never for more. It has three slots:
// one is on the disk, one may be on its way there, and the next mark goes to the third.
//
// What the caller owes it. The directory is locked before Open, and changed through FS alone.
// A program of a version without marks may run in between: its files have higher numbers
// than the mark knows, and the mark is not heeded.
package marks
