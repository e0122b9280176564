// Package procedure reads CREATE PROCEDURE, and makes of the body of a procedure statements that
// take its parameters as values.
//
// How it thinks. A procedure is a text with a name. Its body is a list of statements that read or
// change rows, without loops or conditions, so that what it does follows from its parameters. Each
// statement becomes one as a client would prepare it: where a parameter stands, a ? stands in its
// text, and a list says which parameter it takes there. To call the procedure is then to execute
// its statements as prepared ones, one after the other in a transaction, and no value is ever put
// into a text.
//
// A statement is parsed, parameters are replaced in what the parser made of it, that is written out
// and parsed again. If the two are not the same, the statement is refused: what is carried out is
// what was written, or the procedure cannot be made.
//
// A name that is a parameter's and stands for an expression is the parameter, also where a column
// has that name, as in MySQL; the columns that an INSERT or UPDATE sets are never parameters.
//
// What the caller owes it. A Procedure is not changed; it may be used by several goroutines. The
// options of the parser are those under which the text was written.
package procedure
