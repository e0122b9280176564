// Package rowcodec turns SQL values into bytes: keys that sort as SQL sorts,
// and rows that survive a change of their table's columns.
//
// How it works. A key is never decoded: it only has to compare as its values do, so a text is stored as its collation
// weights, without its spelling; by a collation that pads, without the spaces at its end (padded.go). All data that a statement may return is in a value: the row under the primary key, and
// the columns of the index and of the primary key in an index entry. A value identifies columns by id, not by position,
// each with its own kind:
//
//	key:   weights(c1) weights(c2) ...
//	value: (id1, kind1, v1) (id3, kind3, v3) ...
//
// A column added later is absent from older rows, and a dropped one is skipped.
//
// Invariant: key(a) < key(b) if and only if a sorts before b under the columns' collations.
//
// What the caller owes it.
//
//  1. Values already converted to their column's type.
//  2. Column ids that are never reused for another column.
//  3. No key for a column whose type Indexable refuses.
package rowcodec
