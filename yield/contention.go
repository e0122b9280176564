package yield

import (
	"time"

	"isochron/txn"
)

// ContentionQuery is a table's contention, for display.
type ContentionQuery struct {
	Waits []Wait   // longest wait first, at most WaitsMax
	Hot   []HotRow // in the order of their keys
}

// Contention returns the waits and the hot rows.
func (t *Table) Contention() ContentionQuery { return ContentionQuery{t.listWaits(), t.hot.list()} }

// Wait is one waiting request, for display.
type Wait struct {
	Txn, For txn.ID
	Key      txn.Key // empty: it waits for a transaction, not in a queue
	Deadline time.Duration
	Near     txn.Key // a row concerned, if known
	Since    time.Duration

	Priority, ForPriority txn.Priority
}

// WaitsMax bounds the waits of a ContentionQuery.
const WaitsMax = 1000

// listWaits lists the waits, longest first.
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
