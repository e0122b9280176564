// Package window computes window functions, and allows aggregates and windows beside subqueries and each other. It does
// not compute plain aggregates.
//
// How it works. The SQL engine identifies windows and aggregates by their text. It takes two frames for one, and an
// aggregate in a subquery for that around it; its sums over windows are floating point and ignore peers. So a statement
// is rewritten before the engine plans it (Rewrite): windows get names of functions of this package, a window over groups
// is put over a derived table, and an aggregate in a subquery gets a different text with the same value. Plans are
// repaired where the engine omits columns (Carry), and its node for windows is executed here (Rows): rows are sorted once
// for each order, and each frame is a pair of positions among them.
//
// Invariant: a rewritten statement has the rows, columns and column names of the original.
//
// What the caller owes it.
//
//  1. Call Rewrite with each parsed statement, Carry before the engine's first rule, and Rows for each node of windows.
//  2. Account for the rows: Rows holds all rows of its input.
package window
