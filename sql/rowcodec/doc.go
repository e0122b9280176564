// Package rowcodec turns SQL values into bytes: keys that sort as SQL sorts,
// and rows that survive a change of their table's columns.
//
// How it thinks. A key is never read back: it only has to compare as its values
// do, so a text goes in as its collation weights and its spelling is lost. All
// that a statement wants to see stands in a value: the row under the primary
// key, and in an index entry the columns of the index and of the primary key.
// A value names columns by id, not by place, and each carries its own kind, so
// a column added later is simply absent from older rows and one dropped is
// skipped.
//
// What the caller owes it. Values already converted to their column's type;
// column ids that are never used again for another column; a key for a column
// whose type KeyKind refuses is never asked for.
package rowcodec
