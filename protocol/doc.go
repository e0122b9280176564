// Package protocol is the table: every protocol is a row of choices, one for
// each move, and nothing else.
//
// How it thinks. A reader of the table reads the field: what two protocols do
// alike stands in the same column with the same word. A row is told as what it is
// like and what differs (table.go); the rest is filled in from there, and Check refuses
// choices that do not fit together (resolve.go). The types of columns that belong
// to no move, such as where reads go and who validates, stand in choices.go. The code above asks
// the row for its choices and never for its name.
//
// What the caller owes it. A new protocol is a new row; a new choice is a value
// of its move's type, implemented inside that move. Who runs a cluster takes its row from
// LiveByName, for some rows run in the laboratory alone. A Row is a value, and nobody
// changes one but an experiment, which Checks it again.
package protocol
