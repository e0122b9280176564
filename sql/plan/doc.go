// Package plan recognizes statements that can be executed in a few rounds, each of which reads many rows in parallel.
// Other statements are executed by the engine, row by row.
//
// How it works. The engine has resolved the names, chosen the index and computed its ranges. Rounds replace its
// row-by-row execution of a read. A Read is the lower part of a statement's tree, from the table up through filter,
// projection, order and limit as far as possible:
//
//	aggregate, change          engine, no round
//	  limit
//	    order                  Read: keys in one round,
//	      projection           or two through an index
//	        filter             without all needed columns
//	          table
//
// Order and limit are pushed into the fetch if the index has the requested order, so that reading the oldest of many rows
// reads one row and conflicts with one. An insertion first evaluates all its rows and then reads all their unique keys in
// one round.
//
// Invariant: expressions are the engine's own, so both executions of a statement compute the same values.
//
// What the caller owes it. Compile receives the analysed tree of one statement, and its result is used for that tree
// only. It returns nil for a statement that cannot be executed in rounds.
package plan
