// Package expr compiles and evaluates MySQL's expressions.
//
// How it works. Most of an expression is computed by Vitess' evalengine, which has typed, compiled expressions with
// collations. A function that the engine lacks, or computes differently from MySQL, is one of the Functions of this
// package. Compile replaces each call of such a function, innermost first, with a slot behind the columns of the row,
// which the engine reads as one more column:
//
//	UPPER(c) = SOUNDEX(CONCAT(c, 'x'))
//
//	row:   [ c | slot 0 | slot 1 ]
//	step:  slot 0 = SOUNDEX( engine: CONCAT(c, 'x') )
//	step:  slot 1 = UPPER( engine: c )
//	value: engine: slot 1 = slot 0
//
// A step in a branch of IF, CASE, IFNULL, COALESCE, AND or OR has guards: conditions, computed before it, under which the
// branch is taken. It is computed only if they hold, so a branch that is not taken cannot fail, warn or wait.
//
// A step of an argument is computed when the call asks for the argument, so ELT(2, 1/0, 'b') does not divide: a call stops
// at the first NULL, and those with Ask compute what they need. Where MySQL converts all arguments for their warnings
// (Convert), so does the call.
//
// The type of a result may depend on the value of a constant, as that of ROUND(x, 2) does; Context.Bound then reports that
// what was compiled is for the present values of the parameters only.
//
// Dates and times are read by one set of rules (time_argument.go), under sql_mode; they may have parts of 0, which the
// engine's own expressions do not return as they are. JSON documents pass between expressions as text in MySQL's normal
// form: a decimal inside one is a double for the next function, a date a string.
//
// Invariants.
//
//   - A function does not change its arguments.
//   - A panic inside the engine or a function ends the statement with an error, never the process.
//   - What a value may occupy is bounded by Context.MaxPacket before it is allocated.
//
// What the caller owes it.
//
//  1. A Program is used by one goroutine at a time. Its Context is that of the running statement.
//  2. A row has a value for each of the columns that Compile was given, as text in MySQL's form, of the declared type.
//  3. Text is valid in utf8mb4, which all collations of the catalogue use.
package expr
