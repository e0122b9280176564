package yield

// LockStats is what a table has done since it was made.
type LockStats struct {
	Locks uint64 // locks granted and freed
	Steps uint64 // holders and waiters looked at in walks over who waits for whom
	// WaitersExamined counts, at each of these locks, those who wait for the row: where waiting requests are
	// objects in one list, it is passed through under that list's mutex.
	WaitersExamined uint64
}

// Plus is the work of two tables.
func (w LockStats) Plus(o LockStats) LockStats {
	return LockStats{w.Locks + o.Locks, w.Steps + o.Steps, w.WaitersExamined + o.WaitersExamined}
}

// Since is the work after an earlier count. A table that began anew has counted less.
func (w LockStats) Since(o LockStats) LockStats {
	return LockStats{w.Locks - min(o.Locks, w.Locks), w.Steps - min(o.Steps, w.Steps), w.WaitersExamined - min(o.WaitersExamined, w.WaitersExamined)}
}

// LockStats tells what the table has done.
func (t *Table) LockStats() LockStats {
	return LockStats{t.locks.count, t.graph.steps, t.locks.waitersExamined}
}
