// Package rounds plans and executes a bound query in few rounds to the shards.
//
// How it works. Compile makes of a bind.Query a block: its programs (sql/expr), and how its sources are read and joined. Of
// the parts of a filter that compare a column with a constant it makes the conditions from which an access is chosen
// (sql/access). Execute computes the constants, chooses the accesses for their values, and passes the rows through
// operators (sql/exec):
//
//	read, join -> filter -> [keys and arguments -> group -> having] -> [windows] -> items and order -> [distinct] -> [sort] -> limit
//
// A table is joined by a lookup if an index begins with columns that equal what is there already: all keys of a batch of rows
// are read in one round, over all regions at once, or two through an index. Otherwise all its rows are read once and hashed.
// The order of joins: what constants bound to one row first, then lookups by unique keys, then others (joinone.go, cost).
// Reads that depend on no row of another begin in one round, before the rest (first.go).
//
// A subquery becomes a column behind the rows of the query around it. One that refers to nothing there is executed once, and
// may bound a read by its rows. One that does is compiled as a lateral block: it is executed once for a batch of rows, over
// the different values that it refers to, its domain. Each row of a lateral block begins with the number of its domain row;
// grouping, windows, DISTINCT and LIMIT are by that number first.
//
//	SELECT name, (SELECT MAX(total) FROM orders o WHERE o.customer = c.id) FROM customers c
//
//	customers                   [1, ann] [2, bob] [3, cat]
//	domain                      [0, 1] [1, 2] [2, 3]
//	orders, looked up by all    [0, 1, 50] [0, 1, 5] [1, 2, 20]
//	grouped by the number       [0, 50] [1, 20]; 2 has none: NULL
//
// A plan is compiled for the types of its parameters, and executed with other values of these types. Steps are its reads, for
// EXPLAIN.
//
// Invariants.
//
//   - A limit is pushed into the read only if the access yields just the rows of the filter in the wanted order.
//   - A key of a lookup or of a hash is a condition that matching rows fulfil; what it does not decide is computed for each pair.
//   - No round is made for a single row of a batch.
//
// What the caller owes it. A plan is executed by one goroutine at a time; the schema it was bound to is still valid; the
// programs' Context is that of the statement, with the values of the parameters.
package rounds
