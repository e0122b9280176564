// Package dialect turns what a client says at the MySQL door into what a foreign source
// understands, and says of a packet what a gateway must know to send it there.
//
// How it thinks. A statement is parsed by the engine's own MySQL parser, and PostgreSQL text
// is written from the tree; no text is patched. The writer is total: each kind of node is
// either written or refused with *ErrNotTranslated, which says what, why and what to write
// instead. Wherever a translation is given it means in PostgreSQL what the statement means in
// MySQL; where that would cost an index or cannot be had, docs/generated/dialects.md, which is
// made from the tests, has what holds instead. Four decisions carry much:
//
//   - Names. Every identifier is written in quotes. It is spelled as the schema spells it, found
//     without regard to case as MySQL finds column names; a name that the schema does not know
//     is folded to lower case, as PostgreSQL folds one without quotes. The answer's columns keep
//     the names that MySQL would give them.
//   - Text. Comparison, order, grouping and LIKE of text follow the collation of the source's
//     columns, so that its indexes are used and its unique keys mean what they say there. In
//     PostgreSQL that regards case. REGEXP does not, and neither does LIKE if Options asks so.
//   - Calls. A source runs only functions that its version has built in: builtins.txt lists them. A
//     call for PostgreSQL has pg_catalog before it, and the finished text is read once more for
//     any that has not (pgcalls.go).
//   - Truth. MySQL's truth values are numbers. A condition that is asked for as a value is cast
//     to an integer, and a value that stands as a condition is compared with 0.
//
// A text is read by two eyes: a lexer of this package, which cannot recurse and which mends
// what the parser is known to get wrong before it sees it, and the parser.
//
// What a source answers is in its own form: a boolean column is t or f, bytes are \x.., a time with
// a zone says it. Whoever reads the answer knows the column's type, and makes MySQL's form of it.
//
// What the caller owes it. A schema that tells the truth: without one a table's statements are
// translated too, but what needs types or keys is refused or left to the source to judge. The
// source's session must have standard_conforming_strings on and the client's time zone. Values
// of placeholders go as text, in the order of Translation.Args. What MySQL's session knows
// (LAST_INSERT_ID, DATABASE, variables) the caller gives in Options or replaces beforehand.
//
// Bounds. A text has at most 16 MiB and is nested at most 1000 deep; all is a pure function of
// its arguments and may be called by several goroutines at once.
package dialect
