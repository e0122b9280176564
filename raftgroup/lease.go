package raftgroup

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// leading is the state that exists only at the leader of a term. It is created with the term and
// dropped with it.
type leading struct {
	term       uint64
	serving    bool // an entry of this term is applied
	lease      lease
	deafChecks int // checks that found no answers
	drains     map[txn.NodeID]bool
	changeAt   time.Duration // of the next change of members
	lost       txn.NodeID    // a learner that has lost all its data
	transferAt time.Duration // it may transfer leadership from then on
}

func newLeading(term uint64, transferAt time.Duration) *leading {
	return &leading{term: term, lease: lease{}, drains: map[txn.NodeID]bool{}, transferAt: transferAt}
}

// lease allows a leader to answer without asking others: each message to a
// follower carries the leader's time, and each answer returns the latest one that the follower has
// received in the term. From the time of that message on, or longer, the follower votes for no
// other leader for one election timeout.
//
// Invariant: no other leader exists before the lease has expired, unless this one
// asked for it; then the lease is void for the rest of the term.
type lease struct {
	sentTimes map[txn.NodeID]int64
	void      bool // another member was asked to lead in this term
}

// answered records the time that a follower has returned.
func (l *lease) answered(from txn.NodeID, sentAt int64) {
	if l.sentTimes == nil {
		l.sentTimes = map[txn.NodeID]int64{}
	}
	l.sentTimes[from] = max(l.sentTimes[from], sentAt)
}

// echoed returns the latest time that a majority of the voters has returned; for the leader
// itself, if it is a voter, the present counts.
func (l *lease) echoed(voters []uint64, self txn.NodeID, now time.Duration) int64 {
	sentTimes := make([]int64, 0, len(voters))
	for _, v := range voters {
		if txn.NodeID(v) == self {
			sentTimes = append(sentTimes, int64(now))
		} else {
			sentTimes = append(sentTimes, l.sentTimes[txn.NodeID(v)])
		}
	}
	slices.Sort(sentTimes)
	slices.Reverse(sentTimes)
	return sentTimes[len(sentTimes)/2]
}

// LeaseUntil is the time of this node's clock until which no other leader exists,
// so that this member may answer for the group without asking the others; 0: it may not.
// A majority has promised, from the time it returned, to elect no other leader for one election
// timeout; clocks drift by at most one hundredth each.
func (me *member) LeaseUntil() time.Duration {
	if me.lead == nil || me.lead.lease.void || !me.lead.serving {
		me.cfg.Params.Rules.HitIf(me.lead != nil && me.lead.serving, coverage.LeaseVoid)
		return 0
	}
	now := me.env.Now().Mono
	s := me.lead.lease.echoed(me.electorate(), me.cfg.Self, now)
	if out := me.log.meta.Outgoing; len(out) > 0 { // during a change of members the lease needs both majorities
		both := min(s, me.lead.lease.echoed(out, me.cfg.Self, now))
		me.cfg.Params.Rules.HitIf(both < s, coverage.LeaseJoint)
		s = both
	}
	if s == 0 {
		return 0
	}
	return time.Duration(s) + me.cfg.Params.ElectionTimeout*98/100
}

// Leased reports whether no other leader can exist now.
func (me *member) Leased() bool { return me.env.Now().Mono < me.LeaseUntil() }

// electorate returns the members whose answers count for a lease.
func (me *member) electorate() []uint64 {
	if m := &me.log.meta; me.cfg.Params.InjectedBugs.LeaseCountsLearners {
		return slices.Concat(m.Voters, m.Learners)
	}
	return me.log.meta.Voters
}
