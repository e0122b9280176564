package decide

import (
	"slices"
	"time"

	"isochron/txn"
)

// Each participant that has not answered is told again at a time of its own, for an answer that
// nobody leads one says nothing of the others. Whoever hears so tries again soon, and then less and
// less often, but at once when there is news of a leader; and what waits in a full connection does
// not come sooner if more is put behind it, so the more is unanswered the longer the next waits. All
// attempts that wait for one leader would fill the connections otherwise that its election needs.
const (
	// retransmitsUndelayed is how many messages to a participant may be unanswered, and how many may be
	// answered in a row that nobody leads it, before the interval grows: a lost leader is replaced
	// about then.
	retransmitsUndelayed = 4
	// retransmitDoublings and soonDoubles bound the growth.
	retransmitDoublings = 3
	soonDoubles         = 6
)

// retransmits is when participants are told again of what they have not answered.
type retransmits []retransmit

type retransmit struct {
	shard      txn.ShardID
	at         time.Duration
	unanswered int
	refusals   int    // answers in a row that nobody leads it
	awaits     bool   // the last was one, and it was not told since
	term       uint64 // the latest that was known then: who leads in it was asked, or will be in its turn
}

// of is a participant's entry; one that was told nothing yet is due. There are no more than the
// attempt has participants.
func (p *retransmits) of(s txn.ShardID) *retransmit {
	for i := range *p {
		if (*p)[i].shard == s {
			return &(*p)[i]
		}
	}
	if *p == nil {
		*p = make(retransmits, 0, 4) // most have no more participants
	}
	*p = append(*p, retransmit{shard: s})
	return &(*p)[len(*p)-1]
}

// noteSent notes that a participant was told now, and says when it is told again.
func (e *retransmit) noteSent(now, every time.Duration) {
	e.at = now + every<<min(max(e.unanswered+1-retransmitsUndelayed, 0), retransmitDoublings)
	e.unanswered++
	e.awaits = false
}

// asked notes that a participant that nobody led is asked to prepare again.
func (p retransmits) asked(s txn.ShardID) {
	for i := range p {
		if p[i].shard == s {
			p[i].awaits = false
		}
	}
}

// refused takes in that nobody leads the participant; term is the latest that is known. It is
// when it is told again.
func (e *retransmit) refused(now, soon time.Duration, term uint64) time.Duration {
	again := now + soon<<min(max(e.refusals+1-retransmitsUndelayed, 0), soonDoubles)
	e.unanswered = max(e.unanswered-1, 0)
	e.refusals++
	e.awaits, e.term = true, max(e.term, term)
	e.at = min(e.at, again)
	return again
}

// hasLeader reports whether a participant that nobody led has a leader now.
func (e *retransmit) hasLeader(w Env) bool {
	if !e.awaits {
		return false
	}
	n, term := w.Leader(e.shard, 0)
	return n != 0 && term > e.term
}

// news reports whether one of them has.
func (p retransmits) news(w Env) bool {
	return slices.ContainsFunc(p, func(e retransmit) bool { return e.hasLeader(w) })
}

// receive has those told at once that have.
func (p retransmits) receive(w Env) {
	for i := range p {
		if e := &p[i]; e.hasLeader(w) {
			e.awaits, e.at = false, 0
		}
	}
}
