// Package exec has the operators of the SQL core: filters, projections, limits, joins, set operations, recursion,
// sorts, aggregates and windows over rows of expr.Value. It knows no tables, no transactions and no syntax; the
// planner gives it a Source and positions in its rows.
//
// How it works. An operator is a Source over others: each Next takes batches from below until it has a batch of its
// own. Sort and Group hold what they need of all rows before their first batch, Windowed a partition of sorted rows,
// Recursive two rounds; the others hold one batch. A Join has a Source on its left, and on its right an Inner, which
// returns the rows for a batch of the left: all there are (Gathered), or those that a lookup finds.
//
//	Limit( Sort( Project( Filter( Join( table, Gathered( table ) ) ) ) ) )
//
// Values are compared and grouped by keys: bytes that are equal where MySQL's comparison of the type is, and that sort
// as its ORDER BY does (key.go). A key knows collations, PAD SPACE, ENUM's order, and that 1.0 = 1 and -0 = 0. A key
// of a group that is longer than digestFrom bytes is replaced by its SHA-256.
//
// Invariants.
//
//   - A batch has at least one row; nil is the end. Batches made here have at most BatchMax rows.
//   - What an operator holds beyond a Next is charged to its Memory before or with the batch that it came from; after
//     Close the balance is zero.
//   - The context is looked at once a batch; its cause is the error. Nothing recurses by the number of rows.
//   - After an error or the end, Next returns the same again.
//
// A Memory may have SpillFiles. Then operators that hold rows write them to files when they hold their share, or
// Memory refuses more, and yield the same rows in the same order. In memory stay the states of groups and windows, the
// rounds of a Recursive, and the rows of an Inner that looks up: beyond the bound the statement fails with the error
// of Memory.
//
// What the caller owes it.
//
//  1. Programs are readied by Program.Begin before the first Next. A Program is given to one operator.
//  2. One goroutine uses a tree of operators. Close is called once on the topmost one, also after an error, and closes
//     those below it.
//  3. The slice of a batch is valid until the next Next; its rows and values stay valid and are changed by no one.
//  4. Types of keys and arguments are those of the columns of the rows; those of a JoinKey are Joinable, and both
//     sides of a set operation have the types of its result. ENUM and SET carry their values, a date or time its
//     digits after the point as its size.
//  5. The rows of a Windowed are sorted by its partition and order, those of a MergeJoin by its keys. With closes
//     shared rows after the query that reads them.
//
// DESIGN.md has why keys instead of comparisons, and how operators spill. testdata has the statements that the
// operators are compared with.
package exec
