package yield

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// LockSet is what a request wants to hold. Spans are shared.
type LockSet struct {
	Shared    []txn.Key
	Exclusive []txn.Key
	Spans     []txn.Span
	// HoldsNothing: the transaction holds nothing anywhere and asks for nothing else.
	HoldsNothing bool
	// CommittedOnly: the transaction goes on from committed values alone.
	CommittedOnly bool
}

// Table is the lock table of one shard. A lock that meets no other allocates nothing.
//
// It puts parts together, none of which knows it: what is kept (rows, holders, hot, waits), what
// changes that (locks, chains), and what is asked of it (graph, rules).
type Table struct {
	events  TableEvents
	waking  bool   // those who wait are let ask again, or must not be now
	numbers serial // of waits and tenures
	rows    rows
	holders holders
	hot     hotRows
	waits   waits
	locks   locks
	// reserved are not locked, and for those of several regions
	reserved  Reservations
	chains    chains
	transfers lockTransfers
	graph     graph
	rules     rules
	counts    *coverage.Counts // nil: nothing is counted
}

// NewTable returns an empty table. What it does the world hears.
func NewTable(p Policy, b HotRowConfig, w TableEvents) *Table {
	t := &Table{events: w}
	rows, holders, hot, waits := &t.rows, &t.holders, &t.hot, &t.waits
	rows.begin()
	*holders = newHolders(&t.numbers)
	*hot = newHotRows(p.Hot, b, rows)
	*waits = newWaits(p.Detect, rows, hot, &t.numbers)
	t.transfers = lockTransfers{events: w, rows: rows, locks: &t.locks}
	t.reserved = Reservations{rule: p.Reserves, votes: p.Votes, rows: rows, holders: holders}
	t.locks = locks{rows: rows, holders: holders, hot: hot, waits: waits, reserved: &t.reserved, objects: p.Objects}
	t.chains = chains{rule: p.Hot, detect: p.Detect, rows: rows, holders: holders, hot: hot, waits: waits}
	t.graph = graph{rows: rows, chains: &t.chains, waits: waits}
	t.rules = rules{policy: p, rows: rows, holders: holders, hot: hot, locks: &t.locks, chains: &t.chains, graph: &t.graph}
	return t
}

// Count has the table count where its rules bite.
func (t *Table) Count(c *coverage.Counts) { t.counts, t.rules.counts, t.reserved.counts = c, c, c }

// Holder is the transaction's entry, nil if it holds nothing.
func (t *Table) Holder(id txn.ID) *Holder { return t.holders.get(id) }

// Reserved are the reservations.
func (t *Table) Reserved() *Reservations { return &t.reserved }

// Holders lists the holders in the order of their ids.
func (t *Table) Holders() []*Holder { return t.holders.list() }

// Unvoted lists, in order, the transactions that hold something or wait for something
// here and have not voted.
func (t *Table) Unvoted() []txn.ID {
	var out []txn.ID
	for id, h := range t.holders.byTxn { // order: sorted below
		if !h.Voted {
			out = append(out, id)
		}
	}
	for id := range t.waits.byTxn { // order: sorted below
		if t.holders.get(id) == nil {
			out = append(out, id)
		}
	}
	slices.SortFunc(out, func(a, b txn.ID) int {
		if a.Less(b) {
			return -1
		}
		return 1
	})
	return out
}

// Waiting is the number of requests that wait.
func (t *Table) Waiting() int { return t.waits.count }

// Asks reports whether a request of the transaction waits already. One that waited
// twice would be granted twice, the second time when the transaction has ended.
func (t *Table) Asks(id txn.ID, request uint64) bool { return t.waits.asks(id, request) }

// Cancel takes a waiter out of its queue.
func (t *Table) Cancel(w *Waiter) { t.waits.cancel(w) }

// Rebound changes the bounds from now on.
func (t *Table) Rebound(b HotRowConfig) { t.hot.bounds = b.withDefaults() }

// NextWake is the earliest instant at which the table has something to do by time alone:
// a wait may end (Expire). While nobody waits there is none; when somebody can go on it is 0.
func (t *Table) NextWake() time.Duration { return t.waits.nextWake() }

// Last is the uncommitted value from which a transaction would go on that asks
// for the row exclusively; ok is false if there is none.
func (t *Table) Last(k txn.Key, id txn.ID) (row txn.Row, ok bool) { return t.chains.last(k, id) }

// Hot reports whether a transaction that writes the rows has a part in a hot one
// that is passed on.
func (t *Table) Hot(id txn.ID, written []txn.Key) bool { return t.chains.part(id, written) }
