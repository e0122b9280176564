// Package comparing is how MySQL compares values of different types, where the engine does it
// otherwise: by which of the types, and which value of a key's type a value of another can equal.
//
// # How it thinks
//
// A key is looked up by its own type. What it is compared with is of another, and to bring it to
// the key's type may change it: 1.4 becomes 1. So such a value only finds a row that is compared
// once more, as MySQL compares: Near gives the value of the key's type, UseOf says whether one is
// enough. Two columns without a key are joined by Canonical, a text that equal values share.
//
// # What its caller owes it
//
// Values are not NULL and not behind a handle of the engine's. A collation is that of the
// comparison, not of one side.
package comparing
