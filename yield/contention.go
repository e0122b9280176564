package yield

import (
	"time"

	"isochron/txn"
)

// ContentionQuery is what people are shown of a table.
type ContentionQuery struct {
	Waits []Wait   // those first who have waited longest, at most WaitsMax
	Hot   []HotRow // in the order of their keys
}

// Contention tells who waits for whom, and what is hot.
func (t *Table) Contention() ContentionQuery { return ContentionQuery{t.listWaits(), t.hot.list()} }

// Wait is one request that waits, for people.
type Wait struct {
	Txn, For txn.ID
	Key      txn.Key // empty: it waits for a transaction as a whole
	Deadline time.Duration
	Near     txn.Key // a row that it is about, if known
	Since    time.Duration

	Priority, ForPriority txn.Priority
}

// WaitsMax bounds how many a Survey lists.
const WaitsMax = 1000

// listWaits lists who waits for whom, those first who have waited longest.
func (t *Table) listWaits() []Wait {
	ws := t.waits.longest()
	var out []Wait
	for _, w := range ws[:min(len(ws), WaitsMax)] {
		x := Wait{Txn: w.Txn, Key: w.Key, Deadline: w.Deadline, Near: w.Near, Since: w.Since, Priority: w.Age.Priority}
		if h := t.graph.blocker(w); h != nil {
			x.For, x.ForPriority = h.Txn, h.Age.Priority
		}
		out = append(out, x)
	}
	return out
}
