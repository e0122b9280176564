package raftgroup

import (
	"slices"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
	"google.golang.org/protobuf/proto"

	"isochron/coverage"
	"isochron/txn"
)

// Reconcile takes a serving leader's next step towards the desired state: it transfers leadership to
// a better member, and proposes the next change of members.
func (g *Group[C]) Reconcile() {
	if g.lead == nil || !g.lead.serving {
		return
	}
	now := g.env.Now().Mono
	g.preferLeader(now)
	g.changeMembers(now)
}

// preferLeader transfers leadership to a preferred member that answers and has
// nearly all of the log.
func (g *Group[C]) preferLeader(now time.Duration) {
	better := g.desired.betterLeaders(g.cfg.Self, g.draining)
	if len(better) == 0 || !g.lead.serving || now < g.lead.transferAt || len(g.log.meta.Outgoing) > 0 {
		return
	}
	if to := g.state().successor(better); to != 0 {
		g.lead.transferAt = now + 2*g.cfg.Params.ElectionTimeout
		g.lead.lease.void = true // the successor may be elected at any time now
		g.giveProposals()
		g.rn.TransferLeader(uint64(to))
		g.handing = true
	}
}

// changeMembers proposes the next change towards the desired members.
func (g *Group[C]) changeMembers(now time.Duration) {
	m := &g.log.meta
	if len(g.desired.Voters) == 0 || len(m.Outgoing) > 0 {
		g.cfg.Params.Rules.HitIf(len(m.Outgoing) > 0, coverage.OneChange)
		return
	}
	if m.First == 0 && slices.ContainsFunc(m.members(), func(v uint64) bool { return !slices.Contains(g.cfg.Founders, txn.NodeID(v)) }) {
		g.cutTo(g.applied.Index) // so that a joining member gets a snapshot, which contains the group's initial state
	}
	if now < g.lead.changeAt {
		return
	}
	if changes := g.state().changes(&g.lead.lost); len(changes) > 0 {
		g.lead.changeAt = now + g.cfg.Params.ElectionTimeout
		if g.giveProposals(); len(g.proposals.next) > 0 {
			g.cfg.Params.Rules.Hit(coverage.CommandsBeforeChange)
			return // commands that name the present members must precede the change
		}
		_ = g.rn.ProposeConfChange(&pb.ConfChangeV2{Changes: changes}) // refused: it is tried again
	}
}

// membershipState is the information on which a leader changes members and transfers leadership.
type membershipState struct {
	*meta
	self     txn.NodeID
	desired  *Desired
	last     uint64 // of the log
	progress map[uint64]tracker.Progress
	drains   map[txn.NodeID]bool
	rules    *coverage.Counts
}

func (me *member) state() membershipState {
	return membershipState{&me.log.meta, me.cfg.Self, &me.desired, me.log.last(), me.rn.Status().Progress, me.lead.drains, me.cfg.Params.Rules}
}

// changes returns the next step towards the desired members; none if they are reached, or if the leader
// must wait. lost, if not 0, is a learner that has to be added again; it is set to 0.
func (s membershipState) changes(lost *txn.NodeID) []*pb.ConfChangeSingle {
	for _, n := range slices.Concat(s.desired.Voters, s.desired.Learners) {
		if !s.member(n) {
			return []*pb.ConfChangeSingle{change(pb.ConfChangeAddLearnerNode, n)}
		}
	}
	if n := *lost; n != 0 {
		*lost = 0
		if slices.Contains(s.Learners, uint64(n)) { // so that raft resets its progress
			return []*pb.ConfChangeSingle{change(pb.ConfChangeRemoveNode, n), change(pb.ConfChangeAddLearnerNode, n)}
		}
	}
	var out []*pb.ConfChangeSingle
	answering, votes := 0, false
	for _, n := range s.desired.Voters {
		up := s.hasLog(n)
		if up {
			answering++
		}
		if !slices.Contains(s.Voters, uint64(n)) {
			if !up {
				s.rules.Hit(coverage.LogBeforeVote)
				return nil // until it has the log
			}
			out, votes = append(out, change(pb.ConfChangeAddNode, n)), true
		}
	}
	for _, v := range s.Voters {
		if n := txn.NodeID(v); slices.Contains(s.desired.Learners, n) {
			out, votes = append(out, change(pb.ConfChangeAddLearnerNode, n)), true
		} else if !slices.Contains(s.desired.Voters, n) {
			out, votes = append(out, change(pb.ConfChangeRemoveNode, n)), true
		}
	}
	for _, v := range s.Learners {
		if !s.desired.holds(txn.NodeID(v)) {
			out = append(out, change(pb.ConfChangeRemoveNode, txn.NodeID(v)))
		}
	}
	if votes && (2*answering <= len(s.desired.Voters) || s.leavesFirst()) {
		return nil
	}
	return out
}

func change(kind pb.ConfChangeType, n txn.NodeID) *pb.ConfChangeSingle {
	return &pb.ConfChangeSingle{Type: kind.Enum(), NodeId: proto.Uint64(uint64(n))}
}

// leavesFirst reports whether a leader that is to be removed can transfer leadership before
// the change, so that no election is needed.
func (s membershipState) leavesFirst() bool {
	return !slices.Contains(s.desired.Voters, s.self) && s.successor(s.desired.Voters) != 0
}

// hasLog reports whether a member answers and has nearly all of the log.
func (s membershipState) hasLog(n txn.NodeID) bool {
	p, ok := s.progress[uint64(n)]
	return n == s.self || ok && p.RecentActive && p.Match > 0 && p.State == tracker.StateReplicate && p.Match+16 >= s.last
}

// successor returns the first candidate that can take over now; 0 if there is none.
func (s membershipState) successor(candidates []txn.NodeID) txn.NodeID {
	for _, n := range candidates {
		if n != s.self && slices.Contains(s.Voters, uint64(n)) && !s.drains[n] && s.hasLog(n) {
			return n
		}
	}
	return 0
}

// betterLeaders returns the members that are preferred to this leader.
func (d *Desired) betterLeaders(self txn.NodeID, draining bool) []txn.NodeID {
	at := slices.Index(d.Preferred, self)
	switch {
	case draining || len(d.Voters) > 0 && !slices.Contains(d.Voters, self):
		return slices.Concat(d.Preferred, d.Voters)
	case at < 0:
		return d.Preferred
	}
	return d.Preferred[:at]
}
