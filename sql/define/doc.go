// Package define reads the statements that define databases, tables and views, and computes what they make of a table. It reads
// and writes nothing itself.
//
// How it works. Read makes a Statement of a text, by a reader of its own: of sixty forms of CREATE TABLE the parser of package parse
// refuses twelve (column checks, SERIAL, DOUBLE PRECISION, KEY ... USING and others). Expressions in it are parsed by that parser.
// A CREATE TABLE builds a catalog.Definition:
//
//	text --Read--> CreateTable --Build--> columns and types -> draft -> defaults, generated columns, checks over it -> keys,
//	foreign keys -> catalog.Definition
//
// Types, defaults, expressions, keys and foreign keys are checked with MySQL's error numbers before anything is changed. Expressions are
// stored as MySQL shows them: all brackets written, names quoted, functions in lower case.
//
// What the caller owes it. The text's size is bounded before. Env finds tables in the catalogue that the statement is planned with;
// the change that stores the definition checks that the parents of foreign keys are still the same.
package define
