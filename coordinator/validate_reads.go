package coordinator

import (
	"cmp"
	"slices"

	"isochron/txn"
)

// A statement may fail because of rows it has read, while its transaction continues: on a duplicate
// key, for example. Rows read without a lock may have changed by then, and even rows read under a
// lock: a leader that was lost, or that has received nothing from this gateway for too long, has
// released the lock, unknown to this gateway. The commit would detect that, but a client that
// receives an error need not commit. So errors are returned only for reads that are still valid:
// the leaders check them, as for a transaction that has written nothing, and lock nothing.

// readSpan is a span that was read and not partly skipped.
type readSpan struct{ txn.SpanCheck }

// confirm reports whether the transaction's reads are valid together. If not, it aborts. Where no
// leader can answer, they are taken as valid.
func (cs *commitManager) confirm(t *transaction, req *Request) {
	reads := t.reads()
	if !cs.cfg.Spec.Leases() || cs.cfg.Spec.Yield.RowLeases || len(reads.seen.rows)+len(reads.spans) == 0 {
		req.answer(t.response(nil))
		return
	}
	prepares, err := divide(cs.env.Directory(), reads, nil, cs.protocolSwitch.seq)
	if err == nil && len(cs.all) >= maxCommitments {
		err = txn.Errorf(txn.KindUnavailable, "this gateway's limit of %d concurrent commits is reached; nothing was executed; retry later", maxCommitments)
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

// reads is a transaction with the same id and the reads of this one.
func (t *transaction) reads() *transaction {
	out := &transaction{id: t.id, age: t.age, level: t.level, began: t.began}
	if t.level != txn.Serializable || t.asOf != 0 {
		return out // snapshot reads, or a level without a promise
	}
	for _, r := range t.seen.rows {
		if !r.spanned {
			out.seen.add(r)
		}
	}
	out.spans = t.spans
	return out
}

// covered reports for keys whether one of the spans contains them.
func covered(spans []readSpan) func(txn.Key) bool {
	var rising []txn.Span // by start; each ends where the farthest of those before it does
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
