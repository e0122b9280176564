package replica

import (
	"cmp"
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// reader is a read that waits for undecided writers.
type reader struct {
	from     txn.NodeID
	m        *txn.Access
	began    time.Duration
	deadline time.Duration
	number   uint64 // in the order of arrival
	answered bool
}

// readers are the reads that wait here. Under overload there are
// thousands: a read is checked again when the row it waits for is free.
type readers struct {
	*member
	rows   committed
	holds  *holds
	list   []*reader             // in the order of arrival and of deadlines; some are answered
	behind map[txn.Key][]*reader // by a row that it waits for; "": a range
	open   int                   // not answered
	last   uint64                // the last number
}

// onAccess answers reads from the committed state. If an undecided transaction writes a
// requested row the read waits for its end, because the reader would fail validation at its commit
// (in TAPIR's paper no read waits: txn.Params.ReadsUnwaited).
func (r *readers) onAccess(from txn.NodeID, m *txn.Access) {
	if m.AsOf != 0 || m.WantReadTS {
		r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: &txn.AccessReply{Shard: r.cfg.ID, Request: m.Request, Refused: txn.ReasonNoSnapshotReads.Refusal().Kind(),
			Reason: txn.ReasonNoSnapshotReads.Refusal().String()}})
		return
	}
	now := r.env.Now().Mono
	r.last++
	rd := &reader{from: from, m: m, began: now, deadline: now + r.cfg.Params.LockWait, number: r.last}
	if r.cfg.Params.ReadsUnwaited || r.open >= maxReaders || !r.waits(rd) {
		r.answer(rd)
		return
	}
	r.cfg.Params.Rules.Hit(coverage.ReaderWaits)
	r.list = append(r.list, rd)
	if r.open++; len(r.list) > 2*r.open+spareReaders {
		r.list = slices.DeleteFunc(r.list, func(rd *reader) bool { return rd.answered })
	}
}

// spareReaders bounds the answered reads in the list, beyond the number of waiting ones.
const spareReaders = 64

// waits registers a read for the conflicting writer's end; false if there is none.
func (r *readers) waits(rd *reader) bool {
	var spans []txn.Span
	for _, s := range rd.m.Scans {
		spans = append(spans, s.Span)
	}
	at, yes := r.holds.timestamps.InTheWay(rd.m.Keys, spans)
	if yes {
		r.behind[at] = append(r.behind[at], rd)
	}
	return yes
}

func (r *readers) answer(rd *reader) {
	out := &txn.AccessReply{Shard: r.cfg.ID, Request: rd.m.Request, At: r.rec.meta.MaxTS}
	for _, k := range rd.m.Keys {
		out.Rows = append(out.Rows, r.rows.row(k))
	}
	for _, s := range rd.m.Scans {
		out.Scans = append(out.Scans, r.rows.scan(s))
	}
	if now := r.env.Now().Mono; now > rd.began {
		out.WaitedNanos = int64(now - rd.began)
	}
	r.env.Send(txn.Coordinator(rd.from), txn.Message{AccessReply: out})
}

// wake answers the reads that no writer conflicts with any more, in the order of arrival.
func (r *readers) wake() {
	freed := r.holds.timestamps.Freed()
	if r.open == 0 {
		clear(r.behind)
		return
	}
	var ready []*reader
	for _, k := range append(freed, "") {
		if k != "" && r.holds.timestamps.Written(k) {
			continue // again
		}
		list := r.behind[k]
		delete(r.behind, k)
		for _, rd := range list {
			if !rd.answered && !r.waits(rd) {
				rd.answered = true
				ready = append(ready, rd)
			}
		}
	}
	slices.SortFunc(ready, func(a, b *reader) int { return cmp.Compare(a.number, b.number) })
	r.end(ready)
}

// expire answers reads whose deadline has passed from the committed state.
func (r *readers) expire(now time.Duration) {
	var late []*reader
	for rd := r.first(); rd != nil && now >= rd.deadline; rd = r.first() {
		rd.answered = true
		late = append(late, rd)
	}
	r.end(late)
}

// end answers the given reads.
func (r *readers) end(list []*reader) {
	r.open -= len(list)
	for _, rd := range list {
		r.answer(rd)
	}
}

// first returns the first waiting read, nil if there is none.
func (r *readers) first() *reader {
	for len(r.list) > 0 && r.list[0].answered {
		r.list[0] = nil
		r.list = r.list[1:]
	}
	if len(r.list) == 0 {
		return nil
	}
	return r.list[0]
}

// nextWake returns the earliest deadline of the waiting reads.
func (r *readers) nextWake() time.Duration {
	if rd := r.first(); rd != nil {
		return rd.deadline
	}
	return txn.Never
}
