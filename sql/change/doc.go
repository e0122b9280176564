// Package change plans and executes INSERT, REPLACE, UPDATE and DELETE.
//
// How it works. Compile makes of a bind.Change its programs (sql/expr). Execute computes the changed rows, value by value
// (sql/store), and writes them (sql/table):
//
//	UPDATE, DELETE   read the rows for writing -> filter, order, limit -> changed rows -> read the unique keys that they get -> write
//	INSERT, REPLACE  rows -> read their unique keys -> write, or change the row that has the key
//
//	by a query       all its rows -> of each target its different rows -> as above, target by target
//
// Reads are those of sql/access: one round, two through an index; then one for unique keys, if any are new. Where subqueries
// or several tables are involved, they are those of a query (sql/rounds): a target's rows have their key and their stored
// bytes behind their columns, a row is changed once, by the first row of the query that has it, and nothing is written before
// all is read. A subquery that refers to what is assigned or inserted is executed row by row; others once, or once a batch.
// Rows are written in the statement's order. A row that cannot be changed ends the statement, or under IGNORE is left out with
// a warning.
//
// Assignments are computed from left to right; each sees the values that those before it have stored.
//
// Generated columns are computed after the assignments, then the checks of what has changed.
//
// Foreign keys: for all rows of a batch, the children of what is deleted or changed are read in one round and their rows in
// another, level by level, then all parents in one (foresee.go); then rows are written one by one, each with the actions that
// follow from it, in MySQL's order (enforce.go). Whoever writes rows calls insertRow, updateRow or deleteRow, and before a batch
// foresee.
//
// What the caller owes it. A plan is executed by one goroutine at a time, for the types of parameters that it was compiled for,
// while the catalogue that it was compiled with is the newest. The statement's writes are the caller's to undo after an error.
package change
