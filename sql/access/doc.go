// Package access chooses how the rows of a table are read for the conditions of a statement.
//
// How it works. A statement's filter is a conjunction. Each part that compares a column with a constant is a Condition;
// the rest is the filter's alone. For each index, Choose bounds the first columns: equal values as long as there are any,
// then one range. The index with the longest bound wins, the one that holds all needed columns among equals.
//
//	WHERE a = 1 AND b IN (2, 3) AND c > 4 AND d = 5      index (a, b, c)
//
//	(1, 2, 4..)  (1, 3, 4..)                              two spans of one round; d = 5 is filtered
//
// A constant of another type than its column is replaced by the nearest value of the column's type (sql/comparing).
//
// Invariant: the access yields every row for which all conditions are true. It may yield others: the caller filters.
//
// What the caller owes it. Conditions whose comparison follows the column's own collation; beside a number, a hexadecimal or
// bit literal as a number.
package access
