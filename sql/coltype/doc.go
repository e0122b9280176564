// Package coltype describes the types of columns: what values they hold, and how these are ordered. It knows no library's
// types but the protocol's numbers of Vitess.
//
// How it works. A Type is made once, when the catalogue reads a table's definition; all who read, write or compare values
// of the column share it:
//
//	definition --sql/legacy--> Type --> sql/rowcodec, sql/comparing, sql/store, sql/access
//
// A Kind is the family of a type: it decides the Go type of the values.
//
// Invariant: a Type and a Collation never change once they are made.
//
// What the caller owes it. Members of an ENUM or SET in the order of the definition.
package coltype
