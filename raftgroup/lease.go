package raftgroup

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// leading is what only the leader of a term knows. It is born with the term and
// dropped with it.
type leading struct {
	term       uint64
	serving    bool // an entry of this term is applied
	lease      lease
	deafChecks int // that found that nobody answers
	drains     map[txn.NodeID]bool
	changeAt   time.Duration // of the next change of members
	lost       txn.NodeID    // a member without a vote that has lost all that it had
	transferAt time.Duration // from when on it may hand over
}

func newLeading(term uint64, transferAt time.Duration) *leading {
	return &leading{term: term, lease: lease{}, drains: map[txn.NodeID]bool{}, transferAt: transferAt}
}

// lease is on what a leader's answers without asking others rest: each message to a
// follower carries a stamp of the leader's clock, and each answer brings back the latest
// that the follower has heard in the term. From the moment of that stamp on, if not
// earlier, the follower elects nobody else for one election time-out.
//
// Invariant: no other leader can exist before the lease has run out, unless this one
// asked for it; then the lease is void for the rest of the term.
type lease struct {
	sentTimes map[txn.NodeID]int64
	void      bool // another was asked to lead in this term
}

// answered takes in that a follower has brought back a stamp.
func (l *lease) answered(from txn.NodeID, stamp int64) {
	if l.sentTimes == nil {
		l.sentTimes = map[txn.NodeID]int64{}
	}
	l.sentTimes[from] = max(l.sentTimes[from], stamp)
}

// echoed is the latest stamp that a majority of the voters has reached; the leader
// itself, if it is one of them, has reached the present.
func (l *lease) echoed(voters []uint64, self txn.NodeID, now time.Duration) int64 {
	stamps := make([]int64, 0, len(voters))
	for _, v := range voters {
		if txn.NodeID(v) == self {
			stamps = append(stamps, int64(now))
		} else {
			stamps = append(stamps, l.sentTimes[txn.NodeID(v)])
		}
	}
	slices.Sort(stamps)
	slices.Reverse(stamps)
	return stamps[len(stamps)/2]
}

// LeaseUntil is the instant of this node's clock up to which no other leader can exist,
// so that this member may answer for the group without asking the others; 0: it may not.
// A majority has promised, from the stamp it echoed on, to elect nobody for one election
// timeout; clocks run apart by at most one hundredth each.
func (me *member) LeaseUntil() time.Duration {
	if me.lead == nil || me.lead.lease.void || !me.lead.serving {
		me.cfg.Params.Rules.HitIf(me.lead != nil && me.lead.serving, coverage.LeaseVoid)
		return 0
	}
	now := me.env.Now().Mono
	s := me.lead.lease.echoed(me.electorate(), me.cfg.Self, now)
	if out := me.log.meta.Outgoing; len(out) > 0 { // in the middle of a change it takes both majorities
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

// electorate is whose answers a lease rests on.
func (me *member) electorate() []uint64 {
	if m := &me.log.meta; me.cfg.Params.InjectedBugs.LeaseCountsLearners {
		return slices.Concat(m.Voters, m.Learners)
	}
	return me.log.meta.Voters
}
