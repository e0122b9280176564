package replica

import (
	"slices"
	"time"

	"isochron/txn"
	"isochron/yield"
)

// holds are the undecided attempts as others meet them: what those hold that say OK or
// Yes, and since when each is here.
type holds struct {
	*member
	timestamps *yield.TimestampTable // of entries that say OK or Yes
	local      map[txn.Attempt]*standing
}

func newHolds(m *member) *holds {
	h := &holds{member: m, timestamps: yield.NewTimestampTable(m.rec.meta.MaxTS), local: map[txn.Attempt]*standing{}}
	h.timestamps.Rules = m.cfg.Params.Rules
	return h
}

// standing is what is known of an entry in memory alone.
type standing struct {
	since    time.Duration // when it was entered here
	held     bool          // it is in stamps
	orphanAt time.Duration
}

// enter takes in what an entry holds.
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

// leave takes out what an entry held, once it is decided or void.
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

// What is proposed may rest on the end of another attempt, of which this replica
// has not heard yet. It takes in no Yes beside a Yes with which it clashes: so that
// of two attempts that clash and both came to count, whoever has taken in both
// knows how the first one ended. A change of views rests on that (merge.go).

// clashes reports whether an attempt cannot count beside what is held here.
func (h *holds) clashes(p *txn.Prepare) bool {
	if l := h.local[p.Attempt]; l != nil && l.held {
		return false
	}
	return h.timestamps.Clashes(h.cfg.Spec.Yield, p.Attempt, p.At, lockSetOf(p))
}

// orphans reports those that are undecided for too long.
func (h *holds) orphans(now time.Duration) {
	h.rec.entries.All(func(a txn.Attempt, e txn.Entry) bool {
		if l := h.local[a]; now >= l.orphanAt {
			l.orphanAt = now + h.cfg.Params.RecoverAfter
			h.env.Orphan(txn.Orphan{Attempt: a, Txn: e.Prepare.Txn, Participants: e.Prepare.Participants, RecordShard: e.Prepare.RecordShard})
		}
		return true
	})
}

// count is the number of attempts that are in others' way.
func (h *holds) count() (n int) {
	for _, l := range h.local { // order: a count
		if l.held {
			n++
		}
	}
	return n
}

// lockSetOf is what an attempt reads and writes: Shared has all that it has read.
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
