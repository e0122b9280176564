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

// Who takes part in a group changes by entries of its own log. Its caller
// says what is wanted; the leader goes there step by step: it adds who is
// missing as a learner, waits until it has the log, and then changes all votes
// in one joint change, which needs the majorities before and after. Whoever
// leads next goes on from what the log says.
//
// A configuration holds from when its entry is applied. Two majorities of
// neighbouring configurations overlap, and a member that has the entry of one
// change knows that the one before it is committed, and applies it before it
// campaigns: so whoever is elected is at most one change behind, and leases and
// votes stay true. The last step of a change may be known to those alone who are out
// by it: until a leader of those who stay lets them go they keep their logs, and tell
// who campaigns what is committed.
//
// A member that joins is blank: it has no genesis, no members, and no vote,
// until a snapshot gives it all three. Otherwise a member that was here before
// and was retired could help to elect somebody who lacks what is committed.

// Desired is who should take part.
type Desired struct {
	Voters    []txn.NodeID
	Learners  []txn.NodeID // follow without a vote
	Preferred []txn.NodeID // who should lead, the best first
}

func (d *Desired) holds(n txn.NodeID) bool {
	return slices.Contains(d.Voters, n) || slices.Contains(d.Learners, n)
}

func (d *Desired) prefers(n txn.NodeID) bool { return slices.Contains(d.Preferred, n) }

// SetDesired tells a member of who should take part from now on.
func (me *member) SetDesired(d Desired) { me.desired = d }

// confState is the configuration as raft wants it.
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

// votes reports whether a node has a vote, before or after a change under way.
func (m *meta) votes(n txn.NodeID) bool {
	return slices.Contains(m.Voters, uint64(n)) || slices.Contains(m.Outgoing, uint64(n))
}

func (m *meta) member(n txn.NodeID) bool {
	return m.votes(n) || slices.Contains(m.Learners, uint64(n))
}

// members are all that take part, with a vote or without.
func (m *meta) members() []uint64 {
	out := slices.Concat(m.Voters, m.Outgoing, m.Learners)
	slices.Sort(out)
	return slices.Compact(out)
}

// Members are those of the newest applied configuration: who has a vote, who has one
// until a change under way has ended, and who follows without.
func (me *member) Members() (voters, outgoing, learners []txn.NodeID) {
	m := &me.log.meta
	return nodeIDs(m.Voters), nodeIDs(m.Outgoing), nodeIDs(m.Learners)
}

// uninitialized: this member has nothing yet, or nothing any more.
func (me *member) uninitialized() bool { return len(me.log.meta.Voters) == 0 }

// tooEarly reports whether a blank member must not heed a message: a vote
// would rest on nothing, and a log from its beginning lacks the genesis.
func tooEarly(m *pb.Message) bool {
	switch m.GetType() {
	case pb.MsgVote, pb.MsgPreVote, pb.MsgTimeoutNow:
		return true
	case pb.MsgApp:
		return m.GetIndex() == 0
	case pb.MsgHeartbeat:
		return m.GetCommit() > 0 // it is for an earlier life of this member
	}
	return false
}

// asksForVote reports whether a message is a candidate's.
func asksForVote(m *pb.Message) bool {
	return m.GetType() == pb.MsgVote || m.GetType() == pb.MsgPreVote
}

// ruleOfBlank is the rule by which a blank member does not heed a message.
func ruleOfBlank(m *pb.Message) coverage.Rule {
	if m.GetType() == pb.MsgApp {
		return coverage.BlankLog
	}
	return coverage.BlankVote
}

// sendLost tells a leader that this member has nothing of what it has acknowledged
// in an earlier life. Only one without a vote can come back so.
func (me *member) sendLost(from txn.NodeID, m *pb.Message) {
	if m.GetType() == pb.MsgHeartbeat && slices.Contains(me.desired.Learners, me.cfg.Self) {
		me.sendControl(from, txn.Message{Raft: &txn.Raft{Shard: me.cfg.ID, Lost: true}})
	}
}

// noteLost has the leader begin anew with one without a vote that has lost all.
func (me *member) noteLost(from txn.NodeID) {
	if me.lead != nil && slices.Contains(me.desired.Learners, from) && slices.Contains(me.log.meta.Learners, uint64(from)) &&
		me.rn.Status().Progress[uint64(from)].Match > 0 {
		me.lead.lost = from
	}
}

// applyMembers carries out a committed change; b is the batch that says that it
// is applied.
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
	me.cfg.Params.Rules.HitIf(me.snapshots.held != nil, coverage.OfferOfOldMembers)
	me.loseOffer() // it says who the members were
	m := &me.log.meta
	me.env.Trace("shard %d: voters %v, outgoing %v, learners %v", me.cfg.ID, m.Voters, m.Outgoing, m.Learners)
}

// Converged reports whether this member knows that the desired ones take part, and
// nobody else.
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

// SetDraining has the member lead no more, or lead again if it is wanted to.
func (g *Group[C]) SetDraining(on bool) {
	g.draining = on
	if on && g.lead != nil {
		g.lead.transferAt = 0
		g.preferLeader(g.env.Now().Mono)
	}
}

// CanHandOver reports whether this member leads and somebody could lead instead.
func (me *member) CanHandOver() bool {
	return me.Serving() && me.state().successor(slices.Concat(me.desired.Preferred, me.desired.Voters)) != 0
}

// sendRemoved answers a campaign of one that is a member no more and was
// has not heard so: who is out hears nothing of the log.
func (me *member) sendRemoved(from txn.NodeID, m *pb.Message) {
	if t := m.GetType(); t != pb.MsgPreVote && t != pb.MsgVote {
		return
	}
	if me.Serving() && !me.log.meta.member(from) && !me.desired.holds(from) {
		me.cfg.Params.Rules.Hit(coverage.GoneIsTold)
		me.sendControl(from, txn.Message{Raft: &txn.Raft{Shard: me.cfg.ID, Gone: true}})
	}
}

// sendCommitted answers a campaign at one that has learned that it is out. The candidate may not
// know that the change is committed by which that is so: then it needs votes of those who are
// out, who refuse it if their logs have more that was never committed. They are told by nobody
// any more, so they would refuse it for ever.
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

// noteCommitted takes up that an entry is committed, if this log has it. Raft hears of
// that from leaders alone. That this member takes the sender for one ends with its patience,
// and nothing was promised to it.
func (me *member) noteCommitted(from txn.NodeID, at LogPosition) {
	term, err := me.log.Term(at.Index)
	if err != nil || term != at.Term || at.Index > me.log.last() || at.Index <= me.log.hard.GetCommit() || me.leader != 0 || me.lead != nil {
		return
	}
	_ = me.rn.Step(&pb.Message{Type: pb.MsgHeartbeat.Enum(), From: proto.Uint64(uint64(from)), To: proto.Uint64(uint64(me.cfg.Self)),
		Term: proto.Uint64(me.term), Commit: proto.Uint64(at.Index)})
}

// askIfGone asks those who should vote whether this member is one still, in
// the form of a campaign that changes nothing at whoever hears of it. Raft's own
// campaigns do not ask for one without a vote, or with a change that it
// has not applied.
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

// Removed reports whether this member is one no more, and has heard nothing for so long that nobody
// can be about to take it back.
func (me *member) Removed() bool { return me.mayDestroy() && me.env.Now().Mono >= me.outAt() }

// mayDestroy: it has nothing, or a leader has said that it is out. That its own log says so is
// not enough: those who stay may need to hear that from it (sendCommitted).
func (me *member) mayDestroy() bool { return me.lead == nil && (me.removed || me.uninitialized()) }

// outAt is when a member has heard nothing for that long.
func (me *member) outAt() time.Duration {
	return me.election.lastContact + 4*me.cfg.Params.ElectionTimeout
}

// Retire forgets all of one that is out and not wanted, but for its term
// and its vote, so that it is blank if it ever comes back. It is not used again.
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
