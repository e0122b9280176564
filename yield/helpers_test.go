package yield

import (
	"time"

	"isochron/txn"
)

// request returns the rules' result for a lock set. It changes nothing.
func (t *Table) request(phase Phase, id txn.ID, age txn.Age, c LockSet) verdict {
	return t.rules.judge(phase, id, age, &c, t.rules.conflicts(phase, id, age, &c))
}

// grant gives a lock set without conflicts.
func (t *Table) grant(now time.Duration, id txn.ID, age txn.Age, c LockSet) *Holder {
	return t.locks.give(now, id, age, &c)
}
