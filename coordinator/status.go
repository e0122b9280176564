package coordinator

import "isochron/txn"

// A gateway's state, for operators.

// Unfinished counts the open transactions that are not committing, and the attempts that are not
// finished everywhere.
func (c *Coordinator) Unfinished() (open, commits int) { return len(c.txns.open()), len(c.commits.all) }

// HotRecords is the number of records with statistics, and their bytes; 0 where the protocol uses
// none.
func (c *Coordinator) HotRecords() (records, bytes int) {
	if c.forecasts.hot == nil {
		return 0, 0
	}
	return c.forecasts.hot.Len(), c.forecasts.hot.Bytes()
}

// Admission lists the classes of transactions with tries recently lost to each other.
func (c *Coordinator) Admission() []txn.AdmissionClass { return c.admission.admission.Classes() }

// Open is the number of transactions and commits that have not ended.
func (c *Coordinator) Open() (transactions, commitments int) { return len(c.txns), len(c.commits.all) }

// Using lists the open transactions that have one of these schema checks.
func (c *Coordinator) Using(guards []string) []txn.User { return c.txns.using(guards) }

// Rollbacks counts this incarnation's rolled-back transactions, by cause.
func (c *Coordinator) Rollbacks() []uint64 {
	rollbacks, _ := c.reports.counted()
	return rollbacks
}

// Retried counts those of the Rollbacks that the gateway retried by itself, by cause.
func (c *Coordinator) Retried() []uint64 {
	_, retried := c.reports.counted()
	return retried
}
