// Package protocol is the table: every protocol is a row of choices, one for
// each move, and nothing else.
//
// How it thinks. A reader of the table reads the field: what two protocols do
// alike stands in the same column with the same word. The code above asks the
// row for its choices and never for its name.
//
// What the caller owes it. A new protocol is a new row; a new choice is a value
// of its move's type, implemented inside that move.
package protocol
