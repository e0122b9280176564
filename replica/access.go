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
	number   uint64 // in the order in which they came
	answered bool
}

// readers are the reads that wait here. Under a load that is too much for its rows there are
// thousands: one is looked at again when the row is free that was found to be in its way.
type readers struct {
	*member
	rows   committed
	holds  *holds
	list   []*reader             // as they came, which is the order of their deadlines; some were answered
	behind map[txn.Key][]*reader // by a row that is in their way; "": it is in a range
	open   int                   // that were not answered
	last   uint64                // number
}

// onAccess answers reads from what is committed here. Where somebody is about
// to write it waits for the end of that, for it would be refused at its commit
// (ours; in TAPIR's paper none waits: txn.Params.ReadsUnwaited).
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

// spareReaders that were answered, and as many more as wait, may stand in the list.
const spareReaders = 64

// waits has a read wait for what is in its way; false if nothing is.
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

// wake answers those for whom nobody is in the way any more, in the order in which they came.
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

// expire answers those who have waited long enough with what there is.
func (r *readers) expire(now time.Duration) {
	var late []*reader
	for rd := r.first(); rd != nil && now >= rd.deadline; rd = r.first() {
		rd.answered = true
		late = append(late, rd)
	}
	r.end(late)
}

// end answers some of those that wait.
func (r *readers) end(list []*reader) {
	r.open -= len(list)
	for _, rd := range list {
		r.answer(rd)
	}
}

// first is the first of them that waits still, nil if none does.
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

// nextWake is when the first of them has waited long enough.
func (r *readers) nextWake() time.Duration {
	if rd := r.first(); rd != nil {
		return rd.deadline
	}
	return txn.Never
}
