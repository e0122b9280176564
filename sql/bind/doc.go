// Package bind resolves the names of a statement against the catalogue.
//
// How it works. Bind takes the syntax tree of a query and returns a Query: every name of a column is replaced by a reference
// to its position, aliases by what they stand for, `*` by its columns, and aggregates, functions over windows and subqueries
// are taken out of the expressions. What an expression then refers to is one of these rows:
//
//	SELECT a, SUM(b) s, RANK() OVER (ORDER BY SUM(b)) FROM t JOIN u ON t.id = u.id
//	WHERE c > 1 AND EXISTS (SELECT 1 FROM v WHERE v.x = t.a) GROUP BY a HAVING s > 2
//
//	rows of the sources: t's columns, then u's: join condition, filter, keys [a], arguments of aggregates [b]
//	subqueries:          [EXISTS ...], which refers to t.a as the first of its Outer
//	rows of groups:      [a, SUM(b)]: items [0, 1], having [1] > 2, the window's order [1]
//	windows:             [RANK()]: the last item
//
// A derived table or view that is a filter and a projection of columns becomes part of the query around it; others are
// sources with a Query of their own. A set operation is the only source of the query that orders and limits it.
//
// Names are sought as MySQL does: in WHERE among the columns; in GROUP BY among the columns, then the aliases; in HAVING and
// ORDER BY among the aliases, then the columns; in ON among the columns of both sides; then in the query around.
//
// ChangeOf binds a change. The rows that an UPDATE or DELETE of several tables, or with subqueries, changes are those of a Query:
// each of its tables has two columns that no name means, the row's key and its stored bytes, and its items are those of the
// targets and what assignments refer to.
//
// What the caller owes it. A tree of package parse, which is not changed; the texts of the select lists, for the
// names of the result's columns. *expr.Unsupported: the query is refused.
package bind
