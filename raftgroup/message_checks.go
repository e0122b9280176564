package raftgroup

import (
	"fmt"

	"go.etcd.io/raft/v3/confchange"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"

	"isochron/store"
	"isochron/txn"
)

// Raft trusts its peers: many messages that no correct peer sends make it panic.
// Connections prove who speaks and that nothing was changed on the way, so what
// comes is what a member wrote; that a member lies is out of scope. What is
// looked at here is what is cheap to see in a message that got mixed up, by a
// mistake of ours or by another release: it is taken as lost.
//
// Three things are not. What an entry says is read when it is applied, not at each hop: one
// that cannot be read stops the node then (store.Failure), as it must once it is committed.
// A heartbeat that knows of more than this log has is no mix-up but a log that lost what it
// had acknowledged: the node stops too, before it votes for a candidate that lacks it. And a
// leader whose log differs from what is committed here lost that, or was elected by those who
// did: the node stops, for it may be the last that has it.

// maxNumber bounds terms and indexes: far above what a log can reach, far below
// where sums run over.
const maxNumber = 1 << 62

// wellFormed reports whether raft can be given a message of another member.
func (l *raftLog) wellFormed(m *pb.Message, self txn.NodeID, term uint64) bool {
	if m.GetTo() != uint64(self) || m.GetTerm() == 0 {
		return false
	}
	for _, n := range []uint64{m.GetTerm(), m.GetIndex(), m.GetLogTerm(), m.GetCommit(), m.GetRejectHint()} {
		if n > maxNumber {
			return false
		}
	}
	switch m.GetType() {
	case pb.MsgApp:
		if !consecutive(m) {
			return false
		}
		if at, theirs, ok := l.conflict(m); ok && m.GetTerm() >= term {
			ours, _ := l.Term(at)
			panic(&store.Failure{Doing: "following a leader", Err: conflictingLog{l.id, txn.NodeID(m.GetFrom()), at, ours, theirs}})
		}
		return true
	case pb.MsgSnap:
		return saneSnapshot(m, self)
	case pb.MsgAppResp: // nobody has what this leader has not
		return m.GetReject() || m.GetTerm() != term || m.GetIndex() <= l.last()
	case pb.MsgHeartbeat:
		if last := l.last(); m.GetTerm() >= term && m.GetCommit() > last {
			panic(&store.Failure{Doing: "following a leader", Err: lostLog{l.id, last, m.GetCommit()}})
		}
		return len(m.GetContext()) == 0
	case pb.MsgHeartbeatResp: // raft's own reads, which have a context, are not used
		return len(m.GetContext()) == 0
	case pb.MsgTimeoutNow, pb.MsgVote, pb.MsgVoteResp, pb.MsgPreVote, pb.MsgPreVoteResp:
		return true
	}
	return false // no member of ours sends anything else
}

// conflict is the first committed entry of this log in whose place the sender has another, and
// the term of that one. Raft would leave it as it is, and follow no further.
func (l *raftLog) conflict(m *pb.Message) (at, term uint64, ok bool) {
	if l.differs(m.GetIndex(), m.GetLogTerm()) {
		return m.GetIndex(), m.GetLogTerm(), true
	}
	for _, e := range m.GetEntries() {
		if l.differs(e.GetIndex(), e.GetTerm()) {
			return e.GetIndex(), e.GetTerm(), true
		}
	}
	return 0, 0, false
}

// differs reports whether an entry is committed here with another term.
func (l *raftLog) differs(index, term uint64) bool {
	if index < l.meta.First || index > min(l.hard.GetCommit(), l.last()) {
		return false
	}
	ours, err := l.Term(index)
	return err == nil && ours != term
}

// consecutive: the entries follow the one that the message names, and no term
// goes back or is above the sender's.
func consecutive(m *pb.Message) bool {
	index, term := m.GetIndex(), m.GetLogTerm()
	for _, e := range m.GetEntries() {
		index++
		if e.GetIndex() != index || e.GetTerm() < term || e.GetTerm() > m.GetTerm() {
			return false
		}
		term = e.GetTerm()
	}
	return true
}

// saneSnapshot: it has a place in the log, and members of whom this node is one.
func saneSnapshot(m *pb.Message, self txn.NodeID) bool {
	at := m.GetSnapshot().GetMetadata()
	if at.GetIndex() == 0 || at.GetIndex() > maxNumber || at.GetTerm() == 0 || at.GetTerm() > m.GetTerm() {
		return false
	}
	var to meta
	to.setConf(pb.EnsureConfState(at.GetConfState()))
	return len(to.Voters) > 0 && to.member(self) && to.wellFormed()
}

// restored is the configuration as raft takes it up.
func (m *meta) restored() (confchange.Changer, error) {
	c := confchange.Changer{Tracker: tracker.MakeProgressTracker(1, 0)}
	cfg, progress, err := confchange.Restore(c, m.confState())
	c.Tracker.Config, c.Tracker.Progress = cfg, progress
	return c, err
}

// wellFormed: raft makes of the configuration what it says.
func (m *meta) wellFormed() bool {
	for _, ids := range [][]uint64{m.Voters, m.Learners, m.Outgoing, m.LearnersNext} {
		for _, id := range ids {
			if id == 0 || id > uint64(^txn.NodeID(0)) {
				return false
			}
		}
	}
	c, err := m.restored()
	return err == nil && m.confState().Equivalent(c.Tracker.ConfState()) == nil
}

// accepts reports why a change cannot be made to the configuration; nil if it can.
func (m *meta) accepts(cc *pb.ConfChangeV2) error {
	c, err := m.restored()
	if err != nil {
		return err
	}
	if cc.LeaveJoint() {
		_, _, err = c.LeaveJoint()
	} else if autoLeave, joint := cc.EnterJoint(); joint {
		_, _, err = c.EnterJoint(autoLeave, cc.GetChanges()...)
	} else {
		_, _, err = c.Simple(cc.GetChanges()...)
	}
	return err
}

// lostLog is what stops a node whose log lost what it had acknowledged.
type lostLog struct {
	shard       txn.ShardID
	last, acked uint64
}

func (e lostLog) Error() string {
	return fmt.Sprintf("the log of shard %d ends at entry %d, but its leader says that this node has acknowledged entry %d: "+
		"its disk lost what it had promised to keep; have the node rebuilt from the others (isochron rebuild)", e.shard, e.last, e.acked)
}

// conflictingLog is what stops a node whose leader lacks what is committed.
type conflictingLog struct {
	shard             txn.ShardID
	leader            txn.NodeID
	at, ours, leaders uint64
}

func (e conflictingLog) Error() string {
	return fmt.Sprintf("entry %d of the log of shard %d is committed here, of term %d, and its leader, node %d, has one of term %d in its place: "+
		"a node of the shard lost what it had acknowledged, and this one may be the last that has it; keep its data directory, and see \"A damaged node\" in docs/operate/recover.md",
		e.at, e.shard, e.ours, e.leader, e.leaders)
}
