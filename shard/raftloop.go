package shard

import (
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/store"
	"isochron/txn"
)

// Process carries out what raft wants done, until it wants nothing more.
func (r *Replica) Process() {
	for {
		r.giveProposals()
		if !r.rn.HasReady() {
			return
		}
		rd := r.rn.Ready()
		for _, m := range rd.Messages {
			switch m.GetTo() {
			case raft.LocalAppendThread:
				r.storageAppend(m)
			case raft.LocalApplyThread:
				r.storageApply(m)
			default:
				r.sendRaft(m)
			}
		}
		r.observeRole(r.env.Now())
	}
}

// storageAppend writes entries, votes and snapshots; the answers that promise
// their durability leave after the sync.
func (r *Replica) storageAppend(m *pb.Message) {
	var b store.Batch
	if snap := m.GetSnapshot(); !raft.IsEmptySnap(snap) {
		r.installSnapshot(&b, snap)
	}
	r.log.append(&b, m.GetEntries())
	r.proposals.appended(r.memo, m.GetEntries())
	if hs := (&pb.HardState{Term: m.Term, Vote: m.Vote, Commit: m.Commit}); !raft.IsEmptyHardState(hs) {
		r.log.setHard(&b, hs)
	}
	if !b.Empty() {
		r.cfg.Engine.Apply(&b)
	}
	responses := r.news(m.GetResponses())
	if len(responses) == 0 {
		return
	}
	entries := m.GetEntries()
	answer := func() {
		if r.retired {
			return
		}
		r.deliver(responses)
		r.acknowledge(entries)
	}
	if r.cfg.Params.Bugs.AckBeforeSync {
		answer()
		return
	}
	r.env.AfterSync(answer)
}

// acked is what a follower has acknowledged last.
type acked struct {
	leader, term, index uint64
	at                  time.Duration
}

// news leaves out acknowledgements of what the leader was told a moment ago: raft
// answers every append, also those that only say what is committed, and such an
// answer would cost a sync and a message to say nothing. A leader that lacks one
// asks again with each heartbeat, and then it is a moment ago no more.
func (r *Replica) news(responses []*pb.Message) []*pb.Message {
	now := r.env.Now().Mono
	return slices.DeleteFunc(responses, func(m *pb.Message) bool {
		if m.GetType() != pb.MsgAppResp || m.GetReject() || m.GetTo() == uint64(r.cfg.Self) {
			return false
		}
		a := acked{m.GetTo(), m.GetTerm(), m.GetIndex(), now}
		same := a.leader == r.acked.leader && a.term == r.acked.term
		if same && a.index <= r.acked.index && now < r.acked.at+r.cfg.Params.HeartbeatInterval/2 {
			return true
		}
		if same { // one that comes late takes nothing back
			a.index = max(a.index, r.acked.index)
		}
		r.acked = a
		return false
	})
}

// deliver hands raft's answers to whom they belong.
func (r *Replica) deliver(responses []*pb.Message) {
	for _, m := range responses {
		if m.GetTo() == uint64(r.cfg.Self) {
			_ = r.rn.Step(m)
		} else {
			r.sendRaft(m)
		}
	}
	r.observeRole(r.env.Now())
}

// storageApply applies committed entries, all in one batch.
func (r *Replica) storageApply(m *pb.Message) {
	var b store.Batch
	var effects []effect
	now := int64(r.env.Now().Mono)
	for _, e := range m.GetEntries() {
		commands, err := r.memo.read(e)
		if err != nil {
			panic(&store.Failure{Doing: "reading a committed log entry", Err: err})
		}
		if e.GetType() == pb.EntryConfChangeV2 {
			r.applyMembers(&b, e)
		}
		r.state.applied.Index, r.state.applied.Term = e.GetIndex(), e.GetTerm()
		for place, c := range commands {
			effects = append(effects, r.state.apply(&b, place, c, now))
		}
	}
	r.state.putApplied(&b)
	r.cfg.Engine.Apply(&b)
	r.clock.Observe(r.state.applied.MaxTS)
	for _, e := range effects {
		if e.protocol {
			r.followProtocol()
		}
		if r.lead != nil {
			r.lead.applied(e)
		}
		if len(e.visible) > 0 {
			r.env.Applied(r.cfg.ID, e.visible)
		}
	}
	if r.lead != nil {
		r.lead.maybeServe()
		r.lead.changeProtocol()
		r.lead.retryAsOf()
	}
	r.deliver(m.GetResponses())
}

// sendRaft sends one of raft's messages with the lease's stamps on it.
func (r *Replica) sendRaft(m *pb.Message) {
	out := &txn.Raft{Shard: r.cfg.ID}
	if r.cfg.ephemeral() {
		out.Body = m
	} else {
		out.Data = marshal(m)
	}
	switch m.GetType() {
	case pb.MsgHeartbeat, pb.MsgApp, pb.MsgSnap:
		out.StampNanos = int64(r.env.Now().Mono)
	case pb.MsgHeartbeatResp, pb.MsgAppResp:
		if m.GetTerm() == r.term && txn.NodeID(m.GetTo()) == r.leader {
			out.EchoNanos = r.heardStamp
		}
		out.Draining = r.draining
	}
	r.env.Send(txn.Participant(txn.NodeID(m.GetTo()), r.cfg.ID), txn.Message{Raft: out})
}

// RaftMessage is raft's own message in one of ours.
func RaftMessage(m *txn.Raft) (*pb.Message, error) {
	if body, ok := m.Body.(*pb.Message); ok {
		return body, nil
	}
	return decodeRaft(m.Data)
}

func decodeRaft(b []byte) (*pb.Message, error) {
	m := new(pb.Message)
	return m, proto.Unmarshal(b, m)
}
