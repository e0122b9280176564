package yield

// LockStats is the work of a table since it was made.
type LockStats struct {
	Locks uint64 // locks granted and freed
	Steps uint64 // holders and waiters visited in walks over the wait-for graph
	// WaitersExamined adds, for each of these locks, the waiters of its row: where lock requests
	// are objects in one list, a request scans that list under its mutex.
	WaitersExamined uint64
}

// Plus is the work of two tables.
func (w LockStats) Plus(o LockStats) LockStats {
	return LockStats{w.Locks + o.Locks, w.Steps + o.Steps, w.WaitersExamined + o.WaitersExamined}
}

// Since is the work after an earlier count. A newer table may have counted less.
func (w LockStats) Since(o LockStats) LockStats {
	return LockStats{w.Locks - min(o.Locks, w.Locks), w.Steps - min(o.Steps, w.Steps), w.WaitersExamined - min(o.WaitersExamined, w.WaitersExamined)}
}

// LockStats returns the table's work.
func (t *Table) LockStats() LockStats {
	return LockStats{t.locks.count, t.graph.steps, t.locks.waitersExamined}
}
