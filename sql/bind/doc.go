// Package bind resolves the names of a statement against the catalogue.
//
// How it works. Select takes the syntax tree of a SELECT over one table, or none, and returns a Query: every name of a
// column is replaced by a reference to its position, aliases by what they stand for, `*` by its columns, and aggregates
// are taken out of the expressions. What an expression then refers to is one of two kinds of rows:
//
//	SELECT a, SUM(b) s FROM t WHERE c > 1 GROUP BY a HAVING s > 2
//
//	rows of the table:  filter c > 1, keys [a], arguments of aggregates [b]
//	rows of groups:     [a, SUM(b)]: items [0, 1], having [1] > 2
//
// Names are sought as MySQL does: in WHERE among the table's columns; in GROUP BY among the columns, then the aliases; in
// HAVING and ORDER BY among the aliases, then the columns.
//
// What the caller owes it. A tree of package parse, which Select does not change; the texts of the select list, for the
// names of the result's columns. *expr.Unsupported: the statement is for another way.
package bind
