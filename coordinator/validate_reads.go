package coordinator

import (
	"cmp"
	"slices"

	"isochron/txn"
)

// A statement may fail because of what it has read, while its transaction goes on: it
// has met a duplicate key, say. What was read without a lock may be overtaken by then, and
// so may what was read under one: a leader that was lost, or that has heard nothing of
// this gateway for too long, has let the lock go, and nobody here knows of it yet. At the
// commit that would show, but a client that is told of an error need not come to a
// commit. So it is told only what stands: the leaders check what was read, as they do for
// a transaction that has written nothing, and hold nothing for it.

// readSpan is a span that was read and not skipped in part.
type readSpan struct{ txn.SpanCheck }

// confirm answers whether what the transaction has read stands at one moment. If not,
// it has lost. Where no leader can say so, it is taken to stand.
func (cs *commitManager) confirm(t *transaction, req *Request) {
	reads := t.reads()
	if !cs.cfg.Spec.Leases() || cs.cfg.Spec.Yield.RowLeases || len(reads.seen.rows)+len(reads.spans) == 0 {
		req.answer(t.response(nil))
		return
	}
	prepares, err := divide(cs.env.Directory(), reads, nil, cs.protocolSwitch.seq)
	if err == nil && len(cs.all) >= maxCommitments {
		err = txn.Errorf(txn.KindUnavailable, "this gateway has %d commits on their way, its bound; nothing was done", maxCommitments)
	}
	if err != nil {
		cs.ender.end(t, err)
		req.answer(t.response(err))
		return
	}
	ask := &Request{SchemaChecks: req.SchemaChecks, Done: func(r Response) { cs.confirmed(t, req, r.Err) }}
	k := cs.open(reads, ask, prepares, true)
	k.confirms = true
	k.Ask()
}

// confirmed ends what confirm began.
func (cs *commitManager) confirmed(t *transaction, req *Request, err *txn.Error) {
	switch {
	case t.failed != nil: // wounded meanwhile
		err = t.failed
	case err != nil && cs.txns[t.id] == t:
		cs.ender.fail(t, err)
	}
	req.answer(t.response(err))
}

// reads is a transaction that has read, under the same name, what this one has read.
func (t *transaction) reads() *transaction {
	out := &transaction{id: t.id, age: t.age, level: t.level, began: t.began}
	if t.level != txn.Serializable || t.asOf != 0 {
		return out // its reads are of one moment, or promise nothing
	}
	for _, r := range t.seen.rows {
		if !r.spanned {
			out.seen.add(r)
		}
	}
	out.spans = t.spans
	return out
}

// covered tells of keys whether one of the spans holds them.
func covered(spans []readSpan) func(txn.Key) bool {
	var rising []txn.Span // by their start; each ends where the farthest of those before it does
	return func(k txn.Key) bool {
		if len(spans) > 0 && rising == nil {
			for _, s := range spans {
				rising = append(rising, s.Span)
			}
			slices.SortFunc(rising, func(a, b txn.Span) int { return cmp.Compare(a.Start, b.Start) })
			for i := 1; i < len(rising); i++ {
				rising[i].End = max(rising[i].End, rising[i-1].End)
			}
		}
		after, _ := slices.BinarySearchFunc(rising, k, func(s txn.Span, k txn.Key) int {
			if s.Start <= k {
				return -1
			}
			return 1
		})
		return after > 0 && k < rising[after-1].End
	}
}
