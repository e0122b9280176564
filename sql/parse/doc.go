// Package parse turns the text of a statement into a syntax tree.
//
// How it works. The parser is Vitess'. It knows no sql_mode: a text under a mode that changes the meaning of quotes and signs is
// written as the parser reads it first (mode.go), and so are the escapes of ODBC and FOR UPDATE OF (lock.go). Comments that a
// server executes are made part of the text before. What it refuses is MySQL's error 1064, with the place.
//
// INTERSECT, EXCEPT, TABLE t and several windows in one clause are not the parser's: sets.go writes them in words that it
// has, and puts the set operators into the tree.
//
// A tree does not have the text of its parts, and MySQL names a column of a result by the text of its expression:
// Texts cuts the select lists into these texts.
//
// Digest is a text without its literals, for logs and counters; Parameterise takes the values out of a text, so that texts
// that differ in them alone become one. Both read texts, not trees, and leave what they do not understand.
//
// What the caller owes it. The text's depth and size are bounded before Parse sees it: the parser and all that walks its
// trees recurse.
package parse
