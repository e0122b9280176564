package yield

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// LockSet is the rows and spans that a request is to lock. Spans are shared.
type LockSet struct {
	Shared    []txn.Key
	Exclusive []txn.Key
	Spans     []txn.Span
	// HoldsNothing: the transaction holds nothing anywhere and requests nothing else.
	HoldsNothing bool
	// CommittedOnly: the transaction reads committed values only, never published ones.
	CommittedOnly bool
}

// Table is the lock table of one shard. A lock without a conflict allocates nothing.
//
// It combines parts that do not know it: state (rows, holders, hot, waits), the operations on it
// (locks, chains) and the questions about it (graph, rules).
type Table struct {
	events  TableEvents
	waking  bool   // waiters are being retried, or must not be now
	numbers serial // of waits and of tenures
	rows    rows
	holders holders
	hot     hotRows
	waits   waits
	locks   locks
	// Reservations are not locks; only multi-region transactions make them.
	reserved  Reservations
	chains    chains
	transfers lockTransfers
	graph     graph
	rules     rules
	counts    *coverage.Counts // nil: nothing is counted
}

// NewTable returns an empty table. w is notified of its effects on transactions.
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

// Count makes the table count hits of its rules.
func (t *Table) Count(c *coverage.Counts) { t.counts, t.rules.counts, t.reserved.counts = c, c, c }

// Holder returns the transaction's entry, nil if it holds nothing.
func (t *Table) Holder(id txn.ID) *Holder { return t.holders.get(id) }

// Reserved returns the reservations.
func (t *Table) Reserved() *Reservations { return &t.reserved }

// Holders lists the holders in the order of their ids.
func (t *Table) Holders() []*Holder { return t.holders.list() }

// Unvoted lists, in order, the transactions that hold or wait for something here and have not
// voted.
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

// Waiting is the number of waiting requests.
func (t *Table) Waiting() int { return t.waits.count }

// Asks reports whether this request already waits. A request entered twice would be granted twice,
// the second time after the transaction's end.
func (t *Table) Asks(id txn.ID, request uint64) bool { return t.waits.asks(id, request) }

// Cancel takes a waiter out of its queue.
func (t *Table) Cancel(w *Waiter) { t.waits.cancel(w) }

// Rebound changes the configuration of hot rows from now on.
func (t *Table) Rebound(b HotRowConfig) { t.hot.bounds = b.withDefaults() }

// NextWake is the earliest time at which a wait may expire (Expire): txn.Never if no request waits,
// 0 if one can proceed.
func (t *Table) NextWake() time.Duration { return t.waits.nextWake() }

// Last is the uncommitted value that a transaction would read if it requested the row exclusively;
// ok is false if there is none.
func (t *Table) Last(k txn.Key, id txn.ID) (row txn.Row, ok bool) { return t.chains.last(k, id) }

// Hot reports whether a transaction that writes these rows is in the chain of a hot row, or writes
// a hot row that is published.
func (t *Table) Hot(id txn.ID, written []txn.Key) bool { return t.chains.part(id, written) }
