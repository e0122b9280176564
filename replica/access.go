package replica

import (
	"time"

	"isochron/rulebook"
	"isochron/txn"
)

// reader is a read that waits for undecided writers.
type reader struct {
	from     txn.NodeID
	m        *txn.Access
	began    time.Duration
	deadline time.Duration
}

// readers are the reads that wait here.
type readers struct {
	*member
	rows  committed
	holds *holds
	list  []*reader
}

// onAccess answers reads from what is committed here. Where somebody is about
// to write it waits for the end of that, for it would be refused at its commit.
func (r *readers) onAccess(from txn.NodeID, m *txn.Access) {
	if m.AsOf != 0 || m.Present {
		r.env.Send(txn.Coordinator(from), txn.Message{AccessReply: &txn.AccessReply{Shard: r.cfg.ID, Request: m.Request, Refused: txn.WhyNoMoments.Refusal().Kind(),
			Reason: txn.WhyNoMoments.Refusal().String()}})
		return
	}
	now := r.env.Now().Mono
	rd := &reader{from, m, now, now + r.cfg.Params.LockWait}
	if !r.blocked(m) || len(r.list) >= maxReaders {
		r.answer(rd)
		return
	}
	r.cfg.Params.Rules.Bite(rulebook.ReaderWaits)
	r.list = append(r.list, rd)
}

func (r *readers) blocked(m *txn.Access) bool {
	var spans []txn.Span
	for _, s := range m.Scans {
		spans = append(spans, s.Span)
	}
	return r.holds.stamps.InTheWay(m.Keys, spans)
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

// wake answers those for whom nobody is in the way any more.
func (r *readers) wake() {
	r.answerWhere(func(rd *reader) bool { return !r.blocked(rd.m) })
}

// expire answers those who have waited long enough with what there is.
func (r *readers) expire(now time.Duration) {
	r.answerWhere(func(rd *reader) bool { return now >= rd.deadline })
}

func (r *readers) answerWhere(ready func(*reader) bool) {
	if len(r.list) == 0 {
		return
	}
	var rest []*reader
	for _, rd := range r.list {
		if ready(rd) {
			r.answer(rd)
		} else {
			rest = append(rest, rd)
		}
	}
	r.list = rest
}

// nextWake is when the first of them has waited long enough.
func (r *readers) nextWake() time.Duration {
	at := txn.Never
	for _, rd := range r.list {
		at = min(at, rd.deadline)
	}
	return at
}
