package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// Batches (Aria, as TXSQL's evaluation tells of it). Prepares are gathered and
// judged together, in the order of ages: one gives way that writes what an older of
// its batch writes, or that reads what an older writes while an older reads what it
// writes. The rest can be put into an order in which nobody reads what was written
// before it in the batch, and vote in that order. Whoever gives way is done again
// by its client, in a later batch.

// BatchedPrepare is a Prepare in a batch: how it goes on, and what becomes of it if it gives way.
type BatchedPrepare struct {
	*txn.Prepare
	Retry  func()
	Refuse func(reason txn.Refusal)
}

// Batches gathers the Prepares of one leader.
type Batches struct {
	size   int           // of a batch that is whole
	forget time.Duration // how long one who has read is awaited

	items []BatchedPrepare
	in    map[txn.Attempt]bool
	// awaited is how many had read here when the batch was opened, and have not come
	// yet: when all have, it is whole. The clock is the bound.
	awaited int
	opened  uint64 // batches so far
	readers map[txn.ID]reader
}

// reader has read here and not asked for a vote yet.
type reader struct {
	since  time.Duration
	before uint64 // the number of the batch that waits for it
}

// NewBatches gathers at most size Prepares at once, and waits for nobody who has read longer than
// forget ago: it may have gone without a word.
func NewBatches(size int, forget time.Duration) *Batches {
	return &Batches{size: size, forget: forget, in: map[txn.Attempt]bool{}, readers: map[txn.ID]reader{}}
}

// Len is how many wait to be judged.
func (b *Batches) Len() int { return len(b.items) }

// Has reports whether the Prepare of an attempt is among them.
func (b *Batches) Has(a txn.Attempt) bool { return b.in[a] }

// Reads notes who has read here.
func (b *Batches) Reads(now time.Duration, id txn.ID) {
	if _, ok := b.readers[id]; !ok {
		b.readers[id] = reader{since: now, before: b.opened + 1}
	}
}

// Leaves notes who asks for its vote elsewhere, or ends without one. It reports whether the
// batch waited for nobody else, and is whole.
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

// Gather takes a Prepare in that is not there yet, and reports whether the batch is whole. The
// first opens it, and waits for those who are on their way.
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

// whole: the batch is full, or nobody for whom it waits is left.
func (b *Batches) whole() bool {
	n := len(b.items)
	return n > 0 && (b.awaited == 0 || n >= b.size)
}

// Forget drops those who are awaited for too long.
func (b *Batches) Forget(now time.Duration) {
	for id, r := range b.readers { // order: each is dropped by itself
		if now-r.since > b.forget {
			delete(b.readers, id)
		}
	}
}

// NextWake is the earliest instant at which there is something to be done by time alone: a
// batch that is not whole is judged as soon as somebody looks, and Forget drops readers.
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

// Judge empties the batch: who gives way, oldest first, and the rest in the order in which they
// vote. Of those that are over already nothing is said.
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

// losers tells which of a batch, oldest first, must give way.
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

// readersFirst orders a batch so that whoever reads a row comes before whoever
// writes it, older ones first where that leaves a choice. There is such an order for
// those that nobody made give way; without one the rest keeps its order, and the
// versions decide.
func readersFirst(items []BatchedPrepare) []int {
	writers := map[txn.Key][]int{}
	for i, g := range items {
		for _, w := range g.Writes {
			writers[w.Key] = append(writers[w.Key], i)
		}
	}
	later := make([][]int, len(items)) // who writes what it reads
	before := make([]int, len(items))  // how many read what it writes, and are not placed
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
		for k, ws := range writers { // order: counts alone
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
