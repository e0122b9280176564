package shard

import (
	"slices"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
	"google.golang.org/protobuf/proto"

	"isochron/participant"
	"isochron/store"
	"isochron/txn"
)

// Who takes part in a shard changes by entries of its own log. The directory
// says what is wanted; the leader goes there step by step: it adds who is
// missing as a learner, waits until it has the log, and then changes all votes
// in one joint change, which needs the majorities before and after. Whoever
// leads next goes on from what the log says.
//
// A configuration holds from when its entry is applied. Two majorities of
// neighbouring configurations overlap, and a replica that has the entry of one
// change knows that the one before it is committed, and applies it before it
// campaigns: so whoever is elected is at most one change behind, and leases and
// votes stay true.
//
// A replica that joins is blank: it has no genesis, no members, and no vote,
// until a snapshot gives it all three. Otherwise a replica that was here before
// and was retired could help to elect somebody who lacks what is committed.

// Want tells a replica of what the directory wants from now on.
func (r *Replica) Want(w participant.Desired) {
	r.wish = w
	if r.lead != nil {
		r.lead.locks.Rebound(r.bounds())
		r.lead.changeProtocol()
	}
}

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

// blank: this replica has nothing yet, or nothing any more.
func (r *Replica) blank() bool { return len(r.log.meta.Voters) == 0 }

// tooEarly reports whether a blank replica must not heed a message: a vote
// would rest on nothing, and a log from its beginning lacks the genesis.
func (r *Replica) tooEarly(m *pb.Message) bool {
	switch m.GetType() {
	case pb.MsgVote, pb.MsgPreVote, pb.MsgTimeoutNow:
		return true
	case pb.MsgApp:
		return m.GetIndex() == 0
	case pb.MsgHeartbeat:
		return m.GetCommit() > 0 // it is for an earlier life of this replica
	}
	return false
}

// tellLost tells a leader that this replica has nothing of what it has acknowledged
// in an earlier life. Only one without a vote can come back so.
func (r *Replica) tellLost(from txn.NodeID, m *pb.Message) {
	if m.GetType() == pb.MsgHeartbeat && slices.Contains(r.wish.Learners, r.cfg.Self) {
		r.env.Send(txn.Participant(from, r.cfg.ID), txn.Message{Raft: &txn.Raft{Shard: r.cfg.ID, Lost: true}})
	}
}

// noteLost has the leader begin anew with a replica without a vote that has lost all.
func (r *Replica) noteLost(from txn.NodeID) {
	if r.lead != nil && slices.Contains(r.wish.Learners, from) && slices.Contains(r.log.meta.Learners, uint64(from)) &&
		r.rn.Status().Progress[uint64(from)].Match > 0 {
		r.lead.lost = from
	}
}

// applyMembers carries out a committed change; b is the batch that says that it
// is applied.
func (r *Replica) applyMembers(b *store.Batch, e *pb.Entry) {
	cc := new(pb.ConfChangeV2)
	if err := proto.Unmarshal(e.GetData(), cc); err != nil {
		panic(&store.Failure{Doing: "reading a committed change of members", Err: err})
	}
	if err := r.log.meta.takes(cc); err != nil {
		panic(&store.Failure{Doing: "making a committed change of members", Err: err})
	}
	r.log.meta.setConf(r.rn.ApplyConfChange(cc))
	r.log.meta.put(b, r.cfg.ID)
	r.loseSnapOut() // it says who the members were
	m := &r.log.meta
	r.env.Trace("shard %d: voters %v, outgoing %v, learners %v", r.cfg.ID, m.Voters, m.Outgoing, m.Learners)
}

// changeMembers has the leader take the next step towards the wish.
func (r *Replica) changeMembers(now txn.Now) {
	m := &r.log.meta
	if !r.lead.serving || len(r.wish.Voters) == 0 || len(m.Outgoing) > 0 {
		return
	}
	if m.First == 0 && slices.ContainsFunc(m.members(), func(v uint64) bool { return !slices.Contains(r.cfg.Founders, txn.NodeID(v)) }) {
		r.cutTo(r.state.applied.Index) // so that who joins gets a snapshot, and with it the genesis
	}
	if now.Mono < r.lead.changeAt {
		return
	}
	if changes := r.nextChanges(); len(changes) > 0 {
		r.lead.changeAt = now.Mono + r.cfg.Params.ElectionTimeout
		if r.giveProposals(); len(r.proposals.next) > 0 {
			return // votes that name the members of now must stand before it
		}
		_ = r.rn.ProposeConfChange(&pb.ConfChangeV2{Changes: changes}) // refused: it is tried again
	}
}

// nextChanges is the next step towards the wish; none if it has come true, or
// if there is something to wait for.
func (r *Replica) nextChanges() []*pb.ConfChangeSingle {
	m, progress := &r.log.meta, r.rn.Status().Progress
	for _, n := range slices.Concat(r.wish.Voters, r.wish.Learners) {
		if !m.member(n) {
			return []*pb.ConfChangeSingle{change(pb.ConfChangeAddLearnerNode, n)}
		}
	}
	if n := r.lead.lost; n != 0 {
		r.lead.lost = 0
		if slices.Contains(m.Learners, uint64(n)) { // so that raft forgets what it believes of it
			return []*pb.ConfChangeSingle{change(pb.ConfChangeRemoveNode, n), change(pb.ConfChangeAddLearnerNode, n)}
		}
	}
	var out []*pb.ConfChangeSingle
	answering, votes := 0, false
	for _, n := range r.wish.Voters {
		up := r.hasLog(progress, n)
		if up {
			answering++
		}
		if !slices.Contains(m.Voters, uint64(n)) {
			if !up {
				return nil // until it has the log
			}
			out, votes = append(out, change(pb.ConfChangeAddNode, n)), true
		}
	}
	for _, v := range m.Voters {
		if n := txn.NodeID(v); slices.Contains(r.wish.Learners, n) {
			out, votes = append(out, change(pb.ConfChangeAddLearnerNode, n)), true
		} else if !slices.Contains(r.wish.Voters, n) {
			out, votes = append(out, change(pb.ConfChangeRemoveNode, n)), true
		}
	}
	for _, v := range m.Learners {
		if !r.wish.Holds(txn.NodeID(v)) {
			out = append(out, change(pb.ConfChangeRemoveNode, txn.NodeID(v)))
		}
	}
	if votes && (2*answering <= len(r.wish.Voters) || r.leavesFirst(progress)) {
		return nil
	}
	return out
}

func change(kind pb.ConfChangeType, n txn.NodeID) *pb.ConfChangeSingle {
	return &pb.ConfChangeSingle{Type: kind.Enum(), NodeId: proto.Uint64(uint64(n))}
}

// leavesFirst: a leader that is to go hands over, if there is somebody, before
// the change: so nobody waits for an election.
func (r *Replica) leavesFirst(progress map[uint64]tracker.Progress) bool {
	return !slices.Contains(r.wish.Voters, r.cfg.Self) && r.successor(progress, r.wish.Voters) != 0
}

// hasLog reports whether a member answers and has nearly all of the log.
func (r *Replica) hasLog(progress map[uint64]tracker.Progress, n txn.NodeID) bool {
	p, ok := progress[uint64(n)]
	return n == r.cfg.Self || ok && p.RecentActive && p.Match > 0 && p.State == tracker.StateReplicate && p.Match+16 >= r.log.last()
}

// successor is the first of the candidates that can take over now; 0 if none.
func (r *Replica) successor(progress map[uint64]tracker.Progress, candidates []txn.NodeID) txn.NodeID {
	for _, n := range candidates {
		if n != r.cfg.Self && slices.Contains(r.log.meta.Voters, uint64(n)) && !r.lead.drains[n] && r.hasLog(progress, n) {
			return n
		}
	}
	return 0
}

// betterLeaders are those who should lead rather than this leader.
func (r *Replica) betterLeaders() []txn.NodeID {
	at := slices.Index(r.wish.Preferred, r.cfg.Self)
	switch {
	case r.draining || len(r.wish.Voters) > 0 && !slices.Contains(r.wish.Voters, r.cfg.Self):
		return slices.Concat(r.wish.Preferred, r.wish.Voters)
	case at < 0:
		return r.wish.Preferred
	}
	return r.wish.Preferred[:at]
}

// preferLeader hands leadership to a better replica that is alive and has
// nearly all of the log.
func (r *Replica) preferLeader(now txn.Now) {
	better := r.betterLeaders()
	if len(better) == 0 || !r.lead.serving || now.Mono < r.lead.transferAt || len(r.log.meta.Outgoing) > 0 {
		return
	}
	if to := r.successor(r.rn.Status().Progress, better); to != 0 {
		r.lead.transferAt = now.Mono + 2*r.cfg.Params.ElectionTimeout
		r.lead.leaseVoid = true // the successor may be elected at any time now
		r.giveProposals()
		r.rn.TransferLeader(uint64(to))
		r.handing = true
	}
}

// Converged reports whether this replica knows that it has the members that the
// directory wants.
func (r *Replica) Converged() bool {
	m := &r.log.meta
	if r.blank() || len(m.Outgoing) > 0 || len(m.Voters) != len(r.wish.Voters) || len(m.Learners) != len(r.wish.Learners) {
		return false
	}
	for _, v := range m.Voters {
		if !slices.Contains(r.wish.Voters, txn.NodeID(v)) {
			return false
		}
	}
	for _, v := range m.Learners {
		if !slices.Contains(r.wish.Learners, txn.NodeID(v)) {
			return false
		}
	}
	return true
}

// SetDraining has the replica lead no more, or lead again if it is wanted to.
func (r *Replica) SetDraining(on bool) {
	r.draining = on
	if on && r.lead != nil {
		r.lead.transferAt = 0
		r.preferLeader(r.env.Now())
	}
}

// CanHandOver reports whether this replica leads and somebody could lead instead.
func (r *Replica) CanHandOver() bool {
	return r.Serving() && r.successor(r.rn.Status().Progress, slices.Concat(r.wish.Preferred, r.wish.Voters)) != 0
}

// tellGone answers a campaign of a replica that is a member no more and was
// not told: who is out hears nothing of the log.
func (r *Replica) tellGone(from txn.NodeID, m *pb.Message) {
	if t := m.GetType(); t != pb.MsgPreVote && t != pb.MsgVote {
		return
	}
	if r.Serving() && !r.log.meta.member(from) && !r.wish.Holds(from) {
		r.env.Send(txn.Participant(from, r.cfg.ID), txn.Message{Raft: &txn.Raft{Shard: r.cfg.ID, Gone: true}})
	}
}

// askIfGone asks those who should vote whether this replica is a member still, in
// the form of a campaign that changes nothing at whoever hears of it. Raft's own
// campaigns do not ask for a replica without a vote, or with a change that it
// has not applied.
func (r *Replica) askIfGone() {
	if r.blank() {
		return
	}
	last := r.log.last()
	term, err := r.log.Term(last)
	if err != nil {
		return
	}
	for _, n := range r.wish.Voters {
		r.sendRaft(&pb.Message{
			Type: pb.MsgPreVote.Enum(), From: proto.Uint64(uint64(r.cfg.Self)), To: proto.Uint64(uint64(n)),
			Term: proto.Uint64(r.term + 1), Index: proto.Uint64(last), LogTerm: proto.Uint64(term),
		})
	}
}

// Out reports whether this replica is a member no more, and has heard nothing
// for so long that nobody can be about to take it back.
func (r *Replica) Out() bool {
	silent := r.lead == nil && r.env.Now().Mono >= r.heardAt+4*r.cfg.Params.ElectionTimeout
	return silent && (r.toldGone || !r.log.meta.member(r.cfg.Self))
}

// Kept reports whether a node's disk has a replica of the shard that is not blank:
// it was a member, and may be one still. What cannot be read is found out when it
// is opened.
func Kept(r store.Reader, id txn.ShardID) bool {
	raw, ok := r.Get(shardKey(id, 'm'))
	if !ok {
		return false
	}
	var m meta
	return txn.Decode(raw, &m) != nil || len(m.Voters) > 0
}

// Retire forgets all of a replica that is out and not wanted, but for its term
// and its vote, so that it is blank if it ever comes back. It is not used again.
func (r *Replica) Retire() {
	var b store.Batch
	b.DeleteRange(shardKey(r.cfg.ID, 'g'), next(shardKey(r.cfg.ID, 'g')))
	r.log.restart(&b, 0, 0)
	r.log.meta = meta{Version: metaVersion, Gen: r.log.meta.Gen + 1}
	r.log.meta.put(&b, r.cfg.ID)
	hard := &pb.HardState{Term: r.log.hard.Term, Vote: r.log.hard.Vote}
	if !raft.IsEmptyHardState(hard) {
		r.log.hard = hard
		r.log.putHard(&b) // a later replica of this process reads it
	}
	r.cfg.Engine.Apply(&b)
	r.dropSnapOut()
	r.dropLeadership()
	r.retired = true
	r.env.Trace("retires its replica of shard %d", r.cfg.ID)
}

func nodeIDs(ids []uint64) []txn.NodeID {
	var out []txn.NodeID
	for _, v := range ids {
		out = append(out, txn.NodeID(v))
	}
	return out
}
