// Package foreign plans statements over tables of external databases (sources): to which sources a
// client's statement is sent, the text sent to each, and how their answers become one.
//
// How it works. A table at sources (catalog.ForeignTable) lies whole at one, or each row at one
// of several by the value of a column, or all of it at each. A statement is parsed and translated
// by package dialect; this package knows the catalogue. If one source has all that it names the
// statement goes there as it is. If a table lies at several, an INSERT is divided by its rows, an
// UPDATE or DELETE goes to all sources that can have such rows, and a SELECT too, if its answers
// can be merged (merge.go). What remains of the reads is for the engine (ErrEngine), which asks
// for the rows of each table by itself (Scanning); what remains of the writes is refused, in words.
//
// Values travel as text. Sources answer in their own form; Form and Field make MySQL's of it.
//
// What the caller owes it. It checks rights before; it sends what Plan gives in one round, in one
// transaction, and gives the answers to Merge in the same order.
//
// All here are pure functions of their arguments.
package foreign
