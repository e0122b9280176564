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
// Connections authenticate the sender and protect the message, so every message was written
// by a member; lying members are out of scope. These checks find cheaply detectable
// mix-ups, caused by a bug or by another release: such a message is treated as lost.
//
// Three cases are not. The content of an entry is decoded when it is applied, not at each hop: an entry
// that cannot be decoded stops the node then (store.Failure), as it must once it is committed.
// A heartbeat whose commit index is beyond this log means that the log has lost entries it
// had acknowledged: the node stops too, before it votes for a candidate that lacks them. And a
// leader whose log differs from an entry committed here has lost that entry, or was elected by members
// that have: the node stops, because it may be the last that has it.

// maxNumber bounds terms and indexes: far above what a log can reach, far below
// integer overflow.
const maxNumber = 1 << 62

// wellFormed reports whether raft can process a message of another member.
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
	case pb.MsgAppResp: // no member has entries that this leader lacks
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
	return false // no other types are sent
}

// conflict returns the first committed entry of this log for which the sender has a different one, and
// the term of the sender's. Raft would keep its own and not follow any further.
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

// consecutive reports whether the entries follow the entry named in the message, and no term
// decreases or exceeds the sender's.
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

// saneSnapshot reports whether the snapshot has a position in the log, and members that include this node.
func saneSnapshot(m *pb.Message, self txn.NodeID) bool {
	at := m.GetSnapshot().GetMetadata()
	if at.GetIndex() == 0 || at.GetIndex() > maxNumber || at.GetTerm() == 0 || at.GetTerm() > m.GetTerm() {
		return false
	}
	var to meta
	to.setConf(pb.EnsureConfState(at.GetConfState()))
	return len(to.Voters) > 0 && to.member(self) && to.wellFormed()
}

// restored returns the configuration as raft restores it.
func (m *meta) restored() (confchange.Changer, error) {
	c := confchange.Changer{Tracker: tracker.MakeProgressTracker(1, 0)}
	cfg, progress, err := confchange.Restore(c, m.confState())
	c.Tracker.Config, c.Tracker.Progress = cfg, progress
	return c, err
}

// wellFormed reports whether raft restores exactly this configuration.
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

// accepts returns the reason why a change cannot be applied to the configuration; nil if it can.
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

// lostLog stops a node whose log has lost acknowledged entries.
type lostLog struct {
	shard       txn.ShardID
	last, acked uint64
}

func (e lostLog) Error() string {
	return fmt.Sprintf("the log of shard %d ends at entry %d, but according to its leader this node has acknowledged entry %d: "+
		"its disk lost acknowledged entries; rebuild the node from the others (isochron rebuild)", e.shard, e.last, e.acked)
}

// conflictingLog stops a node whose leader lacks a committed entry.
type conflictingLog struct {
	shard             txn.ShardID
	leader            txn.NodeID
	at, ours, leaders uint64
}

func (e conflictingLog) Error() string {
	return fmt.Sprintf("entry %d of the log of shard %d is committed here with term %d, but its leader (node %d) has an entry of term %d there: "+
		"a node of the shard lost acknowledged entries, and this node may be the last that has them; keep its data directory, and see \"A damaged node\" in docs/operate/recover.md",
		e.at, e.shard, e.ours, e.leader, e.leaders)
}
