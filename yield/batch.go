package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// Batches (Aria, as described in TXSQL's evaluation). Prepares are gathered and judged together, in
// the order of ages. A prepare aborts if it writes a row that an older one of its batch writes, or
// if it both reads a row that an older one writes and writes a row that an older one reads. The
// others can be ordered so that none reads a row written before it in the batch, and vote in that
// order. The aborted are retried by their clients, in a later batch.

// BatchedPrepare is a Prepare in a batch, with what continues it and what refuses it.
type BatchedPrepare struct {
	*txn.Prepare
	Retry  func()
	Refuse func(reason txn.Refusal)
}

// Batches gathers the Prepares of one leader.
type Batches struct {
	size   int           // prepares in a full batch
	forget time.Duration // how long a reader's Prepare is awaited

	items []BatchedPrepare
	in    map[txn.Attempt]bool
	// awaited is the number of transactions that had read here when the batch was opened and have
	// not sent their prepare: the batch is complete at 0. A tick is the bound.
	awaited int
	opened  uint64 // batches so far
	readers map[txn.ID]reader
}

// reader has read here and not sent its prepare.
type reader struct {
	since  time.Duration // number of the first batch that does not wait for it
	before uint64        // the number of the batch that waits for it
}

// NewBatches gathers at most size Prepares a batch, and does not wait for transactions that read
// more than forget ago: their clients may be gone.
func NewBatches(size int, forget time.Duration) *Batches {
	return &Batches{size: size, forget: forget, in: map[txn.Attempt]bool{}, readers: map[txn.ID]reader{}}
}

// Len is the number of prepares gathered.
func (b *Batches) Len() int { return len(b.items) }

// Has reports whether the Prepare of an attempt is gathered.
func (b *Batches) Has(a txn.Attempt) bool { return b.in[a] }

// Reads notes that a transaction has read here.
func (b *Batches) Reads(now time.Duration, id txn.ID) {
	if _, ok := b.readers[id]; !ok {
		b.readers[id] = reader{since: now, before: b.opened + 1}
	}
}

// Leaves notes that a transaction asks for its vote elsewhere, or ended without one. It reports
// whether that completes the batch.
func (b *Batches) Leaves(id txn.ID) (whole bool) {
	r, ok := b.readers[id]
	if !ok {
		return false
	}
	delete(b.readers, id)
	if len(b.items) == 0 || r.before > b.opened {
		return false
	}
	b.awaited--
	return b.whole()
}

// Gather adds a Prepare that is not in the batch, and reports whether the batch is complete. The
// first opens the batch.
func (b *Batches) Gather(g BatchedPrepare) (whole bool) {
	if len(b.items) == 0 {
		b.opened++
		b.awaited = len(b.readers)
	}
	b.in[g.Attempt] = true
	b.items = append(b.items, g)
	b.Leaves(g.Txn)
	return b.whole()
}

// whole: the batch is full, or waits for no transaction.
func (b *Batches) whole() bool {
	n := len(b.items)
	return n > 0 && (b.awaited == 0 || n >= b.size)
}

// Forget drops readers that were awaited for too long.
func (b *Batches) Forget(now time.Duration) {
	for id, r := range b.readers { // order: each is dropped by itself
		if now-r.since > b.forget {
			delete(b.readers, id)
		}
	}
}

// NextWake is the earliest time at which there is something to do by time alone: an incomplete
// batch is judged at the next tick, and Forget drops readers.
func (b *Batches) NextWake() time.Duration {
	if len(b.items) > 0 {
		return 0
	}
	at := txn.Never
	for _, r := range b.readers { // order: the least of all
		at = min(at, r.since+b.forget+1)
	}
	return at
}

// Judge empties the batch: the aborted, oldest first, and the others in voting order. Attempts that
// are over already are left out.
func (b *Batches) Judge(over func(txn.Attempt) bool) (lost, stay []BatchedPrepare) {
	if len(b.items) == 0 {
		return nil, nil
	}
	items := slices.DeleteFunc(b.items, func(g BatchedPrepare) bool { return over(g.Attempt) })
	b.items = nil
	clear(b.in)
	slices.SortFunc(items, func(x, y BatchedPrepare) int {
		if x.Age.Older(y.Age) {
			return -1
		}
		return 1
	})
	var rest []BatchedPrepare
	for i, loses := range losers(items) {
		if loses {
			lost = append(lost, items[i])
		} else {
			rest = append(rest, items[i])
		}
	}
	for _, i := range readersFirst(rest) {
		stay = append(stay, rest[i])
	}
	return lost, stay
}

// losers reports which of a batch, oldest first, abort.
func losers(items []BatchedPrepare) []bool {
	lose := make([]bool, len(items))
	wrote, read := map[txn.Key]*txn.Prepare{}, map[txn.Key]*txn.Prepare{} // by an older one
	var spans []txn.Span
	for i, g := range items {
		twice, before, after := false, false, false
		for _, w := range g.Writes {
			twice = twice || wrote[w.Key] != nil
			after = after || read[w.Key] != nil || slices.ContainsFunc(spans, func(s txn.Span) bool { return s.Contains(w.Key) })
		}
		for _, r := range g.Reads {
			before = before || wrote[r.Key] != nil
		}
		for k := range wrote { // order: whether there is one
			before = before || slices.ContainsFunc(g.Spans, func(s txn.SpanCheck) bool { return s.Span.Contains(k) })
		}
		for _, w := range g.Writes {
			wrote[w.Key] = g.Prepare
		}
		for _, r := range g.Reads {
			read[r.Key] = g.Prepare
		}
		for _, s := range g.Spans {
			spans = append(spans, s.Span)
		}
		lose[i] = twice || before && after
	}
	return lose
}

// readersFirst orders a batch so that the readers of a row precede its writers, older ones first
// where that leaves a choice. Such an order exists for prepares that losers has passed; without one
// the rest keeps its order, and version checks decide.
func readersFirst(items []BatchedPrepare) []int {
	writers := map[txn.Key][]int{}
	for i, g := range items {
		for _, w := range g.Writes {
			writers[w.Key] = append(writers[w.Key], i)
		}
	}
	later := make([][]int, len(items)) // writers of its read rows
	before := make([]int, len(items))  // readers of its written rows that are not placed
	follow := func(i int, ws []int) {
		for _, w := range ws {
			if w != i {
				later[i] = append(later[i], w)
				before[w]++
			}
		}
	}
	for i, g := range items {
		for _, r := range g.Reads {
			follow(i, writers[r.Key])
		}
		for k, ws := range writers { // order: counts only
			if slices.ContainsFunc(g.Spans, func(s txn.SpanCheck) bool { return s.Span.Contains(k) }) {
				follow(i, ws)
			}
		}
	}
	var out []int
	placed := make([]bool, len(items))
	for range items {
		next := -1
		for i := range items {
			if !placed[i] && (next < 0 || before[i] == 0) {
				next = i
				if before[i] == 0 {
					break
				}
			}
		}
		placed[next] = true
		out = append(out, next)
		for _, w := range later[next] {
			before[w]--
		}
	}
	return out
}
