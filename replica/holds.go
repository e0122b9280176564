package replica

import (
	"slices"
	"time"

	"isochron/txn"
	"isochron/yield"
)

// holds are the locks of undecided attempts: of those with result OK or an accepted
// Yes, and the time at which each was entered.
type holds struct {
	*member
	timestamps *yield.TimestampTable // of entries that are OK or accepted as Yes
	local      map[txn.Attempt]*standing
}

func newHolds(m *member) *holds {
	h := &holds{member: m, timestamps: yield.NewTimestampTable(m.rec.meta.MaxTS), local: map[txn.Attempt]*standing{}}
	h.timestamps.Rules = m.cfg.Params.Rules
	return h
}

// standing is the in-memory state of an entry.
type standing struct {
	since    time.Duration // time of entry
	held     bool          // it is in timestamps
	orphanAt time.Duration
}

// enter updates the locks of an entry.
func (h *holds) enter(e txn.Entry) {
	a, now := e.Prepare.Attempt, h.env.Now().Mono
	l := h.local[a]
	if l == nil {
		rank := time.Duration(slices.Index(h.cfg.Members, h.cfg.Self))
		l = &standing{since: now, orphanAt: now + h.cfg.Params.RecoverAfter + rank*h.cfg.Params.ResendAfter}
		h.local[a] = l
	}
	holds := e.Result == txn.ValidationOK
	if e.Final {
		holds = e.Yes
	}
	switch {
	case holds && !l.held:
		h.timestamps.Hold(a, e.Prepare.At, lockSetOf(&e.Prepare))
	case !holds && l.held:
		h.timestamps.Drop(a, e.Prepare.At, lockSetOf(&e.Prepare), false)
	}
	l.held = holds
}

// leave releases the locks of an entry that is decided or void.
func (h *holds) leave(e *txn.Prepare, committed bool) {
	l := h.local[e.Attempt]
	delete(h.local, e.Attempt)
	if l != nil && l.held {
		h.timestamps.Drop(e.Attempt, e.At, lockSetOf(e), committed)
		if h.leads() {
			h.env.Held(h.cfg.ID, e.Txn, int64(l.since))
		}
	} else if committed {
		h.timestamps.Remember(e.Attempt, e.At, lockSetOf(e))
	}
}

// A proposal may depend on the end of another attempt that this replica has
// not received yet. The replica accepts no Yes while it holds a conflicting Yes: so if
// two conflicting attempts were both voted for, every replica that has accepted both
// knows the end of the first. A change of views depends on that (merge.go).

// conflicts reports whether an attempt conflicts with an attempt held here.
func (h *holds) conflicts(p *txn.Prepare) bool {
	if l := h.local[p.Attempt]; l != nil && l.held {
		return false
	}
	return h.timestamps.Clashes(h.cfg.Spec.Yield, p.Attempt, p.At, lockSetOf(p))
}

// orphans reports attempts that are undecided for too long.
func (h *holds) orphans(now time.Duration) {
	h.rec.entries.All(func(a txn.Attempt, e txn.Entry) bool {
		if l := h.local[a]; now >= l.orphanAt {
			l.orphanAt = now + h.cfg.Params.RecoverAfter
			h.env.Orphan(txn.Orphan{Attempt: a, Txn: e.Prepare.Txn, Participants: e.Prepare.Participants, RecordShard: e.Prepare.RecordShard})
		}
		return true
	})
}

// count is the number of attempts that hold locks.
func (h *holds) count() (n int) {
	for _, l := range h.local { // order: a count
		if l.held {
			n++
		}
	}
	return n
}

// lockSetOf returns the rows and ranges of an attempt: Shared has all keys it has read.
func lockSetOf(p *txn.Prepare) yield.LockSet {
	c := yield.LockSet{}
	for _, checks := range [][]txn.ReadCheck{p.Reads, p.SchemaChecks} {
		for _, check := range checks {
			c.Shared = append(c.Shared, check.Key)
		}
	}
	for _, w := range p.Writes {
		c.Exclusive = append(c.Exclusive, w.Key)
	}
	for _, s := range p.Spans {
		c.Spans = append(c.Spans, s.Span)
	}
	return c
}
