package decide

import (
	"slices"
	"time"

	"isochron/txn"
)

// Each participant has its own time for a resend, since a reply that one has no leader implies
// nothing about the others. After such a reply the next resend is soon, then less and less often,
// but immediately when a leader becomes known. What waits in a full connection does not arrive
// sooner if more is queued behind it, so unanswered messages lengthen the interval too. Otherwise
// all attempts that wait for one leader would fill the connections that its election needs.
const (
	// retransmitsUndelayed is the number of unanswered messages to a participant, and of successive
	// replies without a leader, before the interval grows: a lost leader is replaced about then.
	retransmitsUndelayed = 4
	// retransmitDoublings and soonDoubles bound the growth.
	retransmitDoublings = 3
	soonDoubles         = 6
)

// retransmits is when unanswered messages to participants are sent again.
type retransmits []retransmit

type retransmit struct {
	shard      txn.ShardID
	at         time.Duration
	unanswered int
	refusals   int    // replies in a row that it has no leader
	awaits     bool   // the last reply was one, and nothing was sent since
	term       uint64 // the latest known then: its leader was asked, or will be in its turn
}

// of returns a participant's entry; a new one is due. There are no more than the attempt has
// participants.
func (p *retransmits) of(s txn.ShardID) *retransmit {
	for i := range *p {
		if (*p)[i].shard == s {
			return &(*p)[i]
		}
	}
	if *p == nil {
		*p = make(retransmits, 0, 4) // most attempts have no more participants
	}
	*p = append(*p, retransmit{shard: s})
	return &(*p)[len(*p)-1]
}

// noteSent records a send now, and sets the time of the next.
func (e *retransmit) noteSent(now, every time.Duration) {
	e.at = now + every<<min(max(e.unanswered+1-retransmitsUndelayed, 0), retransmitDoublings)
	e.unanswered++
	e.awaits = false
}

// asked records that a formerly leaderless participant is asked to prepare again.
func (p retransmits) asked(s txn.ShardID) {
	for i := range p {
		if p[i].shard == s {
			p[i].awaits = false
		}
	}
}

// refused records that the participant has no leader; term is the latest known. It returns the time
// of the next send.
func (e *retransmit) refused(now, soon time.Duration, term uint64) time.Duration {
	again := now + soon<<min(max(e.refusals+1-retransmitsUndelayed, 0), soonDoubles)
	e.unanswered = max(e.unanswered-1, 0)
	e.refusals++
	e.awaits, e.term = true, max(e.term, term)
	e.at = min(e.at, again)
	return again
}

// hasLeader reports whether a leaderless participant has a leader now.
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

// receive makes those due immediately that have.
func (p retransmits) receive(w Env) {
	for i := range p {
		if e := &p[i]; e.hasLeader(w) {
			e.awaits, e.at = false, 0
		}
	}
}
