package shard

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

// batch is what was gathered.
type batch struct {
	items []batched
	in    map[txn.Attempt]bool
	// awaited is how many had read here when it was opened, and have not come yet: when
	// all have, it is judged. The clock is the bound.
	awaited int
}

// runner has read here and not asked for a vote yet.
type runner struct {
	since  time.Duration
	before uint64 // the number of the batch that waits for it
}

// runs notes who has read here, where prepares are gathered.
func (l *leadership) runs(m *txn.Access) {
	if !l.r.cfg.Row.Yield.Batches || m.Final {
		return
	}
	if _, ok := l.runners[m.Txn]; !ok {
		l.runners[m.Txn] = runner{since: l.r.env.Now().Mono, before: l.batches + 1}
	}
}

// runsNoMore is told of who asks for its vote, or ends without one. The batch that waits
// for nobody else is judged.
func (l *leadership) runsNoMore(id txn.ID) {
	r, ok := l.runners[id]
	if !ok {
		return
	}
	delete(l.runners, id)
	if len(l.batch.items) > 0 && r.before <= l.batches {
		l.batch.awaited--
		l.judgeIfWhole()
	}
}

// tickBatch judges a batch whose time is over, and waits no longer for those who read
// before the tick before this one: they may have gone without a word.
func (l *leadership) tickBatch(now time.Duration) {
	l.closeBatch()
	for id, r := range l.runners { // order: each is dropped by itself
		if now-r.since > l.r.cfg.Params.TickInterval {
			delete(l.runners, id)
		}
	}
}

type batched struct {
	from  txn.NodeID
	p     *txn.Prepare
	began arrival
}

// gatherPrepare takes a Prepare into the batch, and judges the batch if it is whole. The
// first opens it, and waits for those who are on their way.
func (l *leadership) gatherPrepare(from txn.NodeID, p *txn.Prepare) {
	if l.batch.in[p.Attempt] {
		return
	}
	if l.batch.in == nil {
		l.batch.in = map[txn.Attempt]bool{}
	}
	if len(l.batch.items) == 0 {
		l.batches++
		l.batch.awaited = len(l.runners)
	}
	l.batch.in[p.Attempt] = true
	l.batch.items = append(l.batch.items, batched{from, p, l.r.arrives()})
	l.runsNoMore(p.Txn)
	l.judgeIfWhole()
}

// judgeIfWhole judges the batch if it is full, or nobody for whom it waits is left.
func (l *leadership) judgeIfWhole() {
	if n := len(l.batch.items); n > 0 && (l.batch.awaited == 0 || n >= l.r.cfg.Params.BatchSize) {
		l.closeBatch()
	}
}

// closeBatch judges what was gathered.
func (l *leadership) closeBatch() {
	if len(l.batch.items) == 0 {
		return
	}
	items := l.batch.items
	l.batch = batch{}
	items = slices.DeleteFunc(items, func(b batched) bool { return l.over(b.p.Attempt) })
	slices.SortFunc(items, func(a, b batched) int {
		if a.p.Age.Older(b.p.Age) {
			return -1
		}
		return 1
	})
	var stay []batched
	for i, lost := range losers(items) {
		if lost {
			l.refuse(items[i].from, items[i].p, txn.WhyLostInBatch.Refusal())
			continue
		}
		stay = append(stay, items[i])
	}
	for _, i := range readersFirst(stay) {
		if b := stay[i]; !l.over(b.p.Attempt) {
			l.prepare(b.from, b.p, b.began)
		}
	}
}

// over reports whether an attempt has ended while its Prepare was in a batch, so
// that it must not be voted on: it may be forgotten everywhere by now.
func (l *leadership) over(a txn.Attempt) bool { return l.refused[a] || l.isRetired(a) }

// losers tells which of a batch, oldest first, must give way.
func losers(items []batched) []bool {
	lose := make([]bool, len(items))
	wrote, read := map[txn.Key]*txn.Prepare{}, map[txn.Key]*txn.Prepare{} // by an older one
	var spans []txn.Span
	for i, b := range items {
		twice, before, after := false, false, false
		for _, w := range b.p.Writes {
			twice = twice || wrote[w.Key] != nil
			after = after || read[w.Key] != nil || slices.ContainsFunc(spans, func(s txn.Span) bool { return s.Contains(w.Key) })
		}
		for _, r := range b.p.Reads {
			before = before || wrote[r.Key] != nil
		}
		for k := range wrote { // order: whether there is one
			before = before || slices.ContainsFunc(b.p.Spans, func(s txn.SpanCheck) bool { return s.Span.Contains(k) })
		}
		for _, w := range b.p.Writes {
			wrote[w.Key] = b.p
		}
		for _, r := range b.p.Reads {
			read[r.Key] = b.p
		}
		for _, s := range b.p.Spans {
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
func readersFirst(items []batched) []int {
	writers := map[txn.Key][]int{}
	for i, b := range items {
		for _, w := range b.p.Writes {
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
	for i, b := range items {
		for _, r := range b.p.Reads {
			follow(i, writers[r.Key])
		}
		for k, ws := range writers { // order: counts alone
			if slices.ContainsFunc(b.p.Spans, func(s txn.SpanCheck) bool { return s.Span.Contains(k) }) {
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
