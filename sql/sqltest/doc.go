// Package sqltest is a cluster in memory for tests of the SQL layer: a reference
// of what txn.DB promises, with none of the machinery behind it.
//
// How it thinks. All keys stand in one sorted map under one mutex. A transaction
// remembers the version of what it read and is let through at commit only if
// all of it is still so; its writes then appear at once. Rounds are counted as
// the real thing counts them: a Read that must leave the gateway is one, and
// what the transaction has read before costs none. Explicit locks are a table of
// who holds which key.
//
// What the caller owes it. It is for tests: it is slow, and it forgets
// everything.
package sqltest
