// Package plan recognises statements that can be executed as rounds: a few
// parallel reads, everything they need asked at once.
//
// How it thinks. The engine has resolved the names, chosen the index and worked
// out its ranges; what it would do then, row by row, is done here for a whole
// read. A Read is the lower part of a statement's tree, from the table up through
// filter, projection, order and limit as far as they can be joined to it: its
// keys are fetched in one round, or two through an index that does not hold all
// that is wanted. Order and limit go down into the fetch where the index has the
// order asked for, so that the oldest of many rows costs the reading of one, and
// conflicts with one. What remains above, aggregates and the change of the rows,
// costs no round and stays the engine's. An insertion first evaluates all its
// rows and then asks after all their unique keys at once.
//
// Expressions are the engine's own, so both ways of executing a statement agree
// on every value.
//
// What the caller owes it. Compile is given the analysed tree of one statement and
// its result used for that tree only. A statement that does not fit gives nil:
// it is for the engine.
package plan
