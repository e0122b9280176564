// Package procedure parses CREATE PROCEDURE, and turns a procedure's body into statements that take its parameters as
// values. It does not execute them.
//
// How it works. A body is a list of statements that read or change rows, without loops or conditions, so its effect
// follows from its parameters. Each statement becomes one as a client would prepare it: every parameter is replaced by a
// ?, and a list has the parameter of each. A CALL executes these prepared statements one after the other in a
// transaction; no value is ever inserted into a text.
//
//	INSERT INTO t VALUES (p, q + 1)  -->  INSERT INTO t VALUES (?, ? + 1)   [p, q]
//
// The head and the ends of statements are read token by token. Each token of a statement that has the name of a parameter is
// marked, and the statement is parsed: the tree says which marks are values. These become ?; all else stays as it is
// written, but an item of a select list with a parameter is given the name that it would have had. The result is parsed
// again. If it differs from the first tree with placeholders in the place of the marks, the statement is refused: the
// executed statement is the written one, or the procedure cannot be created.
//
// A name used as an expression that is a parameter's is the parameter, even if a column has that name, as in MySQL. The
// columns that an INSERT or UPDATE sets are never parameters.
//
// Invariant: the parameter list of a statement has as many entries as its text has placeholders.
//
// What the caller owes it. Whether the text was written under ANSI_QUOTES; its depth and size are bounded before. A Procedure
// is immutable and safe for concurrent use.
package procedure
