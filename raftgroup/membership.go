package raftgroup

import (
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/coverage"
	"isochron/store"
	"isochron/txn"
)

// The members of a group change by entries of its own log. The caller sets the
// desired members; the leader goes there step by step: it adds a missing
// member as a learner, waits until it has the log, and then changes all votes
// in one joint change, which needs the majorities before and after. The next
// leader continues from the configuration in the log.
//
// A configuration is in force when its entry is applied. Majorities of
// neighbouring configurations overlap, and a member that has the entry of one
// change knows that the previous one is committed, and applies it before it
// campaigns: so every candidate that is elected is at most one change behind, and leases and
// votes stay valid. The last step of a change may be known only to members that it
// removes: until a leader of the remaining members reports their removal they keep their logs, and
// notify candidates of the commit index.
//
// A joining member is uninitialized: it has no initial state, no members, and no vote,
// until a snapshot provides all three. Otherwise a member that had been retired
// could help to elect a candidate that lacks committed entries.

// Desired is the desired membership.
type Desired struct {
	Voters    []txn.NodeID
	Learners  []txn.NodeID // follow without a vote
	Preferred []txn.NodeID // preferred leaders, the best first
}

func (d *Desired) holds(n txn.NodeID) bool {
	return slices.Contains(d.Voters, n) || slices.Contains(d.Learners, n)
}

func (d *Desired) prefers(n txn.NodeID) bool { return slices.Contains(d.Preferred, n) }

// SetDesired sets the desired membership.
func (me *member) SetDesired(d Desired) { me.desired = d }

// confState returns the configuration in raft's form.
func (m *meta) confState() *pb.ConfState {
	cs := &pb.ConfState{
		Voters: slices.Clone(m.Voters), Learners: slices.Clone(m.Learners),
		VotersOutgoing: slices.Clone(m.Outgoing), LearnersNext: slices.Clone(m.LearnersNext),
	}
	if m.AutoLeave {
		cs.AutoLeave = proto.Bool(true)
	}
	return cs
}

func (m *meta) setConf(cs *pb.ConfState) {
	m.Voters, m.Learners = slices.Clone(cs.GetVoters()), slices.Clone(cs.GetLearners())
	m.Outgoing, m.LearnersNext = slices.Clone(cs.GetVotersOutgoing()), slices.Clone(cs.GetLearnersNext())
	m.AutoLeave = cs.GetAutoLeave()
}

// votes reports whether a node has a vote, before or after a pending change.
func (m *meta) votes(n txn.NodeID) bool {
	return slices.Contains(m.Voters, uint64(n)) || slices.Contains(m.Outgoing, uint64(n))
}

func (m *meta) member(n txn.NodeID) bool {
	return m.votes(n) || slices.Contains(m.Learners, uint64(n))
}

// members returns all members, with a vote or without.
func (m *meta) members() []uint64 {
	out := slices.Concat(m.Voters, m.Outgoing, m.Learners)
	slices.Sort(out)
	return slices.Compact(out)
}

// Members returns the newest applied configuration: members with a vote, members with a vote
// until the pending change has ended, and members without a vote.
func (me *member) Members() (voters, outgoing, learners []txn.NodeID) {
	m := &me.log.meta
	return nodeIDs(m.Voters), nodeIDs(m.Outgoing), nodeIDs(m.Learners)
}

// uninitialized reports whether this member has no data yet, or has deleted it.
func (me *member) uninitialized() bool { return len(me.log.meta.Voters) == 0 }

// tooEarly reports whether an uninitialized member must ignore a message: its vote
// would be unfounded, and a log from its start lacks the initial state.
func tooEarly(m *pb.Message) bool {
	switch m.GetType() {
	case pb.MsgVote, pb.MsgPreVote, pb.MsgTimeoutNow:
		return true
	case pb.MsgApp:
		return m.GetIndex() == 0
	case pb.MsgHeartbeat:
		return m.GetCommit() > 0 // for an earlier life of this member
	}
	return false
}

// asksForVote reports whether a message is a candidate's.
func asksForVote(m *pb.Message) bool {
	return m.GetType() == pb.MsgVote || m.GetType() == pb.MsgPreVote
}

// ruleOfBlank returns the rule by which an uninitialized member ignores a message.
func ruleOfBlank(m *pb.Message) coverage.Rule {
	if m.GetType() == pb.MsgApp {
		return coverage.BlankLog
	}
	return coverage.BlankVote
}

// sendLost reports to a leader that this member has lost everything it acknowledged
// in an earlier life. Only a member without a vote can return in this way.
func (me *member) sendLost(from txn.NodeID, m *pb.Message) {
	if m.GetType() == pb.MsgHeartbeat && slices.Contains(me.desired.Learners, me.cfg.Self) {
		me.sendControl(from, txn.Message{Raft: &txn.Raft{Shard: me.cfg.ID, Lost: true}})
	}
}

// noteLost has the leader add a learner that has lost its data again.
func (me *member) noteLost(from txn.NodeID) {
	if me.lead != nil && slices.Contains(me.desired.Learners, from) && slices.Contains(me.log.meta.Learners, uint64(from)) &&
		me.rn.Status().Progress[uint64(from)].Match > 0 {
		me.lead.lost = from
	}
}

// applyMembers applies a committed change; b is the batch that records
// its application.
func (me *member) applyMembers(b *store.Batch, e *pb.Entry) {
	cc := new(pb.ConfChangeV2)
	if err := proto.Unmarshal(e.GetData(), cc); err != nil {
		panic(&store.Failure{Doing: "reading a committed change of members", Err: err})
	}
	if err := me.log.meta.accepts(cc); err != nil {
		panic(&store.Failure{Doing: "making a committed change of members", Err: err})
	}
	me.log.meta.setConf(me.rn.ApplyConfChange(cc))
	me.log.meta.put(b, me.cfg.ID)
	me.cfg.Params.Rules.HitIf(me.snapshots.held != nil, coverage.SnapshotOfOldMembers)
	me.loseOffer() // it contains the former members
	m := &me.log.meta
	me.env.Trace("shard %d: voters %v, outgoing %v, learners %v", me.cfg.ID, m.Voters, m.Outgoing, m.Learners)
}

// Converged reports whether this member knows that the members are exactly
// the desired ones.
func (me *member) Converged() bool { return me.log.meta.converged(&me.desired) }

func (m *meta) converged(d *Desired) bool {
	if len(m.Voters) == 0 || len(m.Outgoing) > 0 || len(m.Voters) != len(d.Voters) || len(m.Learners) != len(d.Learners) {
		return false
	}
	for _, v := range m.Voters {
		if !slices.Contains(d.Voters, txn.NodeID(v)) {
			return false
		}
	}
	for _, v := range m.Learners {
		if !slices.Contains(d.Learners, txn.NodeID(v)) {
			return false
		}
	}
	return true
}

// SetDraining stops or resumes leading: a draining member does not lead.
func (g *Group[C]) SetDraining(on bool) {
	g.draining = on
	if on && g.lead != nil {
		g.lead.transferAt = 0
		g.preferLeader(g.env.Now().Mono)
	}
}

// CanHandOver reports whether this member leads and another could lead instead.
func (me *member) CanHandOver() bool {
	return me.Serving() && me.state().successor(slices.Concat(me.desired.Preferred, me.desired.Voters)) != 0
}

// sendRemoved answers a campaign of a node that is no longer a member and does not
// know it: a removed member receives nothing of the log.
func (me *member) sendRemoved(from txn.NodeID, m *pb.Message) {
	if t := m.GetType(); t != pb.MsgPreVote && t != pb.MsgVote {
		return
	}
	if me.Serving() && !me.log.meta.member(from) && !me.desired.holds(from) {
		me.cfg.Params.Rules.Hit(coverage.RemovedIsNotified)
		me.sendControl(from, txn.Message{Raft: &txn.Raft{Shard: me.cfg.ID, Gone: true}})
	}
}

// sendCommitted answers a campaign at a member that knows it is removed. The candidate may not
// know that the change that removed it is committed: then it needs votes of removed members,
// which refuse if their logs have more entries that were never committed. No leader notifies these
// of their removal any more, so they would refuse permanently.
func (me *member) sendCommitted(from txn.NodeID, m *pb.Message) {
	if !asksForVote(m) || me.uninitialized() || me.log.meta.member(me.cfg.Self) || me.applied.Index == 0 {
		return
	}
	at := me.applied
	if index := m.GetIndex(); index < at.Index {
		term, err := me.log.Term(index)
		if err != nil {
			return // it is far behind, and others are not
		}
		at = LogPosition{index, term}
	}
	me.sendControl(from, txn.Message{Raft: &txn.Raft{Shard: me.cfg.ID, Committed: at.Index, CommittedTerm: at.Term}})
}

// noteCommitted records that an entry is committed, if this log has it. Raft accepts
// that from leaders only. This member takes the sender for a leader until its timer expires,
// and no promise was made to it.
func (me *member) noteCommitted(from txn.NodeID, at LogPosition) {
	term, err := me.log.Term(at.Index)
	if err != nil || term != at.Term || at.Index > me.log.last() || at.Index <= me.log.hard.GetCommit() || me.leader != 0 || me.lead != nil {
		return
	}
	_ = me.rn.Step(&pb.Message{Type: pb.MsgHeartbeat.Enum(), From: proto.Uint64(uint64(from)), To: proto.Uint64(uint64(me.cfg.Self)),
		Term: proto.Uint64(me.term), Commit: proto.Uint64(at.Index)})
}

// askIfGone asks the desired voters whether this member still is one, in
// the form of a campaign that changes nothing at its receivers. Raft's own
// campaigns do not ask for a member without a vote, or for one with a change that
// is not applied.
func (me *member) askIfGone() {
	if me.uninitialized() {
		return
	}
	last := me.log.last()
	term, err := me.log.Term(last)
	if err != nil {
		return
	}
	for _, n := range me.desired.Voters {
		me.send(&pb.Message{
			Type: pb.MsgPreVote.Enum(), From: proto.Uint64(uint64(me.cfg.Self)), To: proto.Uint64(uint64(n)),
			Term: proto.Uint64(me.term + 1), Index: proto.Uint64(last), LogTerm: proto.Uint64(term),
		})
	}
}

// Removed reports whether this member is no longer one, and has received nothing for so long that no
// leader can be adding it again.
func (me *member) Removed() bool { return me.mayDestroy() && me.env.Now().Mono >= me.outAt() }

// mayDestroy reports whether it has no data, or a leader has reported its removal. Its own log is
// not sufficient: the remaining members may need to learn of the removal from it (sendCommitted).
func (me *member) mayDestroy() bool { return me.lead == nil && (me.removed || me.uninitialized()) }

// outAt returns the time at which a member has received nothing for that long.
func (me *member) outAt() time.Duration {
	return me.election.lastContact + 4*me.cfg.Params.ElectionTimeout
}

// Retire deletes all data of a removed member that is not desired, except its term
// and its vote, so that it is uninitialized if it returns. It is not used afterwards.
func (g *Group[C]) Retire() {
	var b store.Batch
	b.DeleteRange(groupKey(g.cfg.ID, 'g'), store.After(groupKey(g.cfg.ID, 'g')))
	g.log.restart(&b, 0, 0)
	g.log.meta = meta{Version: metaVersion, Gen: g.log.meta.Gen + 1}
	g.log.meta.put(&b, g.cfg.ID)
	hard := &pb.HardState{Term: g.log.hard.Term, Vote: g.log.hard.Vote}
	if !raft.IsEmptyHardState(hard) {
		g.log.hard = hard
		g.cfg.Params.Rules.Hit(coverage.RetiredKeepsTerm)
		g.log.putHard(&b) // a later member of this process reads it
	}
	g.cfg.Engine.Apply(&b)
	g.snapshots.drop()
	g.dropLeadership()
	g.retired = true
	g.env.Trace("retires its replica of shard %d", g.cfg.ID)
}

func nodeIDs(ids []uint64) []txn.NodeID {
	var out []txn.NodeID
	for _, v := range ids {
		out = append(out, txn.NodeID(v))
	}
	return out
}
