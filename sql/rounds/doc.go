// Package rounds plans and executes a bound SELECT in few rounds to the shards.
//
// How it works. Compile makes of a bind.Query its programs (sql/expr), and of the parts of its filter that compare a column
// with a constant the conditions from which the access is chosen (sql/access). Execute computes the constants, chooses the
// access for their values, reads all rows of it in one round, or two through an index, and passes them through operators
// (sql/exec):
//
//	read -> filter -> [keys and arguments -> group -> having] -> items and order -> [distinct] -> [sort] -> limit
//
// A plan is compiled for the types of its parameters, and executed with other values of these types.
//
// Invariant: a limit is pushed into the read only if the access yields just the rows of the filter in the wanted order.
//
// What the caller owes it. A plan is executed by one goroutine at a time; the schema it was bound to is still valid; the
// programs' Context is that of the statement, with the values of the parameters.
package rounds
