// Package store converts values to what columns store, as MySQL's INSERT and UPDATE do.
//
// How it works. A Target converts the values of a statement's rows, one column's value at a time. What fits is stored as it
// is or rounded. What does not is an error where the statement is strict (sql_mode STRICT_TRANS_TABLES or STRICT_ALL_TABLES, and no
// IGNORE); else the nearest value is stored, with a warning:
//
//	                         strict   else
//	out of range             1264     1264, the end of the range
//	text that is no number   1366     1366, 0
//	text behind a number     1265     1265, the number
//	too long                 1406     1265, cut
//	no date or time          1292     1265, zero
//	the zero date            1292     1264, zero
//	no member of ENUM, SET   1265     1265, the empty value
//	no JSON text             3140     3140, an error too; of bytes 3144
//
// Rounding of a number to its column's decimals, and spaces cut off a text, are notes 1265 or nothing.
//
// The result is the value as sql/rowcodec writes it. A date with a month or day of 0 cannot be stored: it counts as no date.
//
// What the caller owes it. NULL is the caller's: Zero is what a column holds in its place. A hexadecimal or bit literal that
// stands by itself has the type HexVal, which numbers take for a number and texts for bytes.
package store
