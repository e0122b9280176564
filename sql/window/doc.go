// Package window computes window functions, and has aggregates and windows stand beside
// subqueries and each other.
//
// How it thinks: the SQL engine knows windows and aggregates by their text. It takes two
// frames for one, and an aggregate in a subquery for that around it; and its sums over
// windows are floating point, and take no account of peers. So a statement is rewritten
// before the engine plans it (Rewrite): windows get names that lead to functions of this
// package, a window over groups is put over a derived table, and an aggregate in a subquery
// gets other words for the same value. Plans are mended where the engine leaves columns out
// (Carry), and its node for windows is executed here (Rows): rows are sorted once for each
// order, and each frame is a pair of places among them.
//
// What its caller owes it: Rewrite is called with each statement that is parsed, Carry before
// the engine's first rule, and Rows for each node of windows. Rows holds all rows of its
// input; the caller counts them.
package window
