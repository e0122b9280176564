package coordinator

import "isochron/txn"

// What an operator is shown of a gateway.

// Unfinished counts what is open here and in no commit, and what is in its commit
// or not finished everywhere.
func (c *Coordinator) Unfinished() (open, commits int) { return len(c.txns.open()), len(c.commits.all) }

// HotRecords are how many records the gateway keeps statistics of, and the bytes that they take;
// 0 where its row goes by none.
func (c *Coordinator) HotRecords() (records, bytes int) {
	if c.forecasts.hot == nil {
		return 0, 0
	}
	return c.forecasts.hot.Len(), c.forecasts.hot.Bytes()
}

// Admission lists the kinds of transaction of which tries have failed for each other here of late.
func (c *Coordinator) Admission() []txn.AdmissionClass { return c.admission.admission.Classes() }

// Open is the number of transactions and commitments that have not ended.
func (c *Coordinator) Open() (transactions, commitments int) { return len(c.txns), len(c.commits.all) }

// Using are the open transactions that have one of these guards.
func (c *Coordinator) Using(guards []string) []txn.User { return c.txns.using(guards) }

// Rollbacks are the transactions of this incarnation that were rolled back, by cause.
func (c *Coordinator) Rollbacks() []uint64 {
	rollbacks, _ := c.reports.counted()
	return rollbacks
}

// Retried are those of the Rollbacks that the gateway did again by itself, by cause.
func (c *Coordinator) Retried() []uint64 {
	_, retried := c.reports.counted()
	return retried
}
