// Package dialect translates clients' MySQL statements into the dialect of an external source, and
// returns the facts about a packet that a gateway needs to send it there.
//
// How it works. A statement is parsed by sql/parse, and PostgreSQL text is
// written from the tree; no text is patched. The writer is total: each kind of node is either
// written or refused with *ErrNotTranslated, which has the construct, the reason and an
// alternative. Wherever a translation is given it means in PostgreSQL what the statement means in
// MySQL; where that would cost an index or is impossible, docs/generated/dialects.md, which is made
// from the tests, describes the difference. Four decisions carry much:
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
//   - Truth. MySQL's truth values are numbers. A condition used as a value is cast to an integer,
//     and a value used as a condition is compared with 0.
//
// For a source that speaks MySQL the tree is written in words that MySQL and MariaDB both have, with each
// name in quotes and each column of the answer under the name that the client's text gives it. The text is
// parsed once more and compared with the tree, so that no name or value has become anything else.
//
// Before the parser, a lexer that does not recurse bounds a text's depth (lexer.go).
//
// A source's answer is in its own form: a boolean column is t or f, bytes are \x.., a time with a
// zone contains it. The reader of the answer knows the column's type, and converts it to MySQL's
// form.
//
// What the caller owes it. A correct schema: without one a table's statements are translated too,
// but constructs that need types or keys are refused or left to the source. The source's session
// must have standard_conforming_strings on and the client's time zone. Values of placeholders go as
// text, in the order of Translation.Args. The state of MySQL's session (LAST_INSERT_ID, DATABASE,
// variables) is given by the caller in Options or replaced beforehand.
//
// Bounds. A text has at most 16 MiB and is nested at most 1000 deep; all functions are pure
// functions of their arguments and may be called by several goroutines in parallel.
package dialect
