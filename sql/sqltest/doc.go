// Package sqltest is a cluster in memory for tests of the SQL layer: a reference
// of what txn.DB promises, with none of the machinery behind it.
//
// How it works. All keys are in one sorted map under one mutex. A transaction remembers the
// versions of its reads and is admitted at commit only if all are still current; its writes then
// appear at the same time. Rounds are counted as the real cluster counts them: a Read that must
// leave the gateway is one, and repeated reads of the transaction cost none. Explicit locks are a
// table of the holders of keys.
//
// What the caller owes it. It is for tests: it is slow, and it persists nothing.
package sqltest
