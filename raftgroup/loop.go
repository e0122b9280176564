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

// Process runs raft's pending work until none remains.
func (g *Group[C]) Process() {
	for {
		g.giveProposals()
		if !g.rn.HasReady() {
			return
		}
		rd := g.rn.Ready()
		for _, m := range rd.Messages {
			switch m.GetTo() {
			case raft.LocalAppendThread:
				g.storageAppend(m)
			case raft.LocalApplyThread:
				g.storageApply(m)
			default:
				g.send(m)
			}
		}
		g.observeRole(g.env.Now())
	}
}

// storageAppend writes entries, votes and snapshots; the answers that promise
// their durability are sent after the sync.
func (g *Group[C]) storageAppend(m *pb.Message) {
	var b store.Batch
	if snap := m.GetSnapshot(); !raft.IsEmptySnap(snap) {
		g.installSnapshot(&b, snap)
	}
	g.log.append(&b, m.GetEntries())
	g.proposals.appended(g.cache, m.GetEntries())
	if hs := (&pb.HardState{Term: m.Term, Vote: m.Vote, Commit: m.Commit}); !raft.IsEmptyHardState(hs) {
		g.log.setHard(&b, hs)
	}
	if !b.Empty() {
		g.cfg.Engine.Apply(&b)
	}
	responses := g.news(m.GetResponses())
	if len(responses) == 0 {
		return
	}
	entries := m.GetEntries()
	answer := func() {
		if g.retired {
			return
		}
		g.deliver(responses)
		g.machine.Durable(Entries[C]{Term: g.log.hard.GetTerm(), entries: entries, cache: g.cache})
	}
	if g.cfg.Params.InjectedBugs.AckBeforeSync {
		answer()
		return
	}
	g.env.AfterSync(answer)
}

// acked is a follower's last acknowledgement.
type acked struct {
	leader, term, index uint64
	at                  time.Duration
}

// news removes acknowledgements that were sent to the leader a short time ago: raft
// answers every append, also one that only carries the commit index, and such an
// answer would cost a sync and a message without information. A leader that lacks one
// asks again with each heartbeat, and by then the interval has passed.
func (me *member) news(responses []*pb.Message) []*pb.Message {
	now := me.env.Now().Mono
	return slices.DeleteFunc(responses, func(m *pb.Message) bool {
		if m.GetType() != pb.MsgAppResp || m.GetReject() || m.GetTo() == uint64(me.cfg.Self) {
			return false
		}
		a := acked{m.GetTo(), m.GetTerm(), m.GetIndex(), now}
		same := a.leader == me.acked.leader && a.term == me.acked.term
		if same && a.index <= me.acked.index && now < me.acked.at+me.cfg.Params.HeartbeatInterval/2 {
			return true
		}
		if same { // a late one does not lower the index
			a.index = max(a.index, me.acked.index)
		}
		me.acked = a
		return false
	})
}

// deliver passes raft's answers to their receivers.
func (g *Group[C]) deliver(responses []*pb.Message) {
	for _, m := range responses {
		if m.GetTo() == uint64(g.cfg.Self) {
			_ = g.rn.Step(m)
		} else {
			g.send(m)
		}
	}
	g.observeRole(g.env.Now())
}

// storageApply applies committed entries, all in one batch.
func (g *Group[C]) storageApply(m *pb.Message) {
	var b store.Batch
	for _, e := range m.GetEntries() {
		commands, err := g.cache.read(e)
		if err != nil {
			panic(&store.Failure{Doing: "reading a committed log entry", Err: err})
		}
		if e.GetType() == pb.EntryConfChangeV2 {
			g.applyMembers(&b, e)
		}
		g.applied = LogPosition{e.GetIndex(), e.GetTerm()}
		g.machine.Apply(&b, g.applied, commands)
	}
	g.machine.Finish(&b)
	g.cfg.Engine.Apply(&b)
	serves := g.lead != nil && !g.lead.serving && g.applied.Term == g.lead.term
	if serves {
		g.lead.serving = true
	}
	g.cfg.Params.Rules.HitIf(g.lead != nil && !g.lead.serving, coverage.ServesOwnTerm)
	g.machine.Applied(serves)
	g.deliver(m.GetResponses())
}

// send sends a message of raft with the times of the lease.
func (me *member) send(m *pb.Message) {
	out := &txn.Raft{Shard: me.cfg.ID}
	if me.cfg.Ephemeral {
		out.Body = m
	} else {
		out.Data = marshal(m)
	}
	switch m.GetType() {
	case pb.MsgHeartbeat, pb.MsgApp, pb.MsgSnap:
		out.SentNanos = int64(me.env.Now().Mono)
	case pb.MsgHeartbeatResp, pb.MsgAppResp:
		if m.GetTerm() == me.term && txn.NodeID(m.GetTo()) == me.leader {
			out.EchoNanos = me.lastSentNanos
		}
		out.Draining = me.draining
	}
	me.sendControl(txn.NodeID(m.GetTo()), txn.Message{Raft: out})
}

// sendControl sends a message to another member.
func (me *member) sendControl(to txn.NodeID, m txn.Message) {
	me.env.Send(txn.Participant(to, me.cfg.ID), m)
}

// RaftMessage returns the raft message in m.
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
