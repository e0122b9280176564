// Package comparing implements MySQL's comparison of values of different types where the engine's differs: by which of
// the types they are compared, and which value of a key's type can equal a value of another type.
//
// # How it works
//
// A key is looked up by its own type. Converting a value of another type to the key's may change it: 1.4 becomes 1. So
// such a value only finds a candidate row, which is compared again as MySQL compares. Near returns the nearest value of
// the key's type, and UseOf reports whether values of another type are looked up as they are, by Near, or not at all.
// Two columns without a key are joined by Canonical, a text shared by equal values.
//
// Invariant: if a equals b as MySQL compares, a lookup of Near(b) finds a, and Canonical(a) = Canonical(b).
//
// # What the caller owes it
//
// Values are not NULL, and are plain: a value that the engine reads lazily is unwrapped first. The
// collation passed is the comparison's, not one operand's.
package comparing
