// Package comparing implements MySQL's comparison of values of different types where the engine's differs: by which of
// the types they are compared, and which value of a key's type can equal a value of another type.
//
// # How it works
//
// A key is looked up by its own type. Converting a value of another type to the key's may change it: 1.4 becomes 1. So
// such a value only finds a candidate row, which is compared again as MySQL compares. Near returns the value of the key's
// type, and UseOf whether one suffices. Two columns without a key are joined by Canonical, a text shared by equal values.
//
// Invariant: if a equals b as MySQL compares, a lookup of Near(b) finds a, and Canonical(a) = Canonical(b).
//
// # What the caller owes it
//
// Values are not NULL and not wrapped in a handle of the engine. A collation is the comparison's, not that of one side.
package comparing
