package yield

// Work is what a table has done since it was made.
type Work struct {
	Locks uint64 // locks granted and freed
	Steps uint64 // holders and waiters looked at in walks over who waits for whom
	// Beside counts, at each of these locks, those who wait for the row: where waiting requests are
	// objects in one list, it is passed through under that list's mutex.
	Beside uint64
}

// Plus is the work of two tables.
func (w Work) Plus(o Work) Work {
	return Work{w.Locks + o.Locks, w.Steps + o.Steps, w.Beside + o.Beside}
}

// Since is the work after an earlier count. A table that began anew has counted less.
func (w Work) Since(o Work) Work {
	return Work{w.Locks - min(o.Locks, w.Locks), w.Steps - min(o.Steps, w.Steps), w.Beside - min(o.Beside, w.Beside)}
}

// Work tells what the table has done.
func (t *Table) Work() Work { return Work{t.locks.count, t.graph.steps, t.locks.beside} }
