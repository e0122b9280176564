// Package refused lists the forms of queries that are refused, and in which words.
//
// How it works. A query is executed by the SQL core or refused: Forms has what is refused, and docs/generated/refused.md is made
// from it. What no form of the list names is the form part: the error shows the part of the statement that is not supported.
//
// What the caller owes it. A name of Forms.
package refused
