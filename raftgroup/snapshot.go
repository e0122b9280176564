package raftgroup

import (
	"bytes"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/coverage"
	"isochron/store"
	"isochron/txn"
)

// A snapshot is sent in chunks. Raft's own message contains only its index; the
// receiver then fetches the keys of the state from the sender, which holds an engine
// snapshot of them, into a generation of its own that is not read yet. When
// it is complete, raft gets the snapshot message, and one batch makes the new
// generation the state. A crash before that leaves the old state intact.

// incomingSnapshot is a snapshot being fetched.
type incomingSnapshot struct {
	from    txn.NodeID
	msg     *pb.Message
	gen     uint64
	next    []byte
	at      LogPosition
	install func() // set when it is complete
	retryAt time.Duration
	tries   int
}

const snapshotMaxTries = 20

// makeSnapshot returns a snapshot for raft to send.
func (g *Group[C]) makeSnapshot() (*pb.Snapshot, error) {
	if g.snapshots.held == nil {
		if g.cfg.Ephemeral {
			var b store.Batch
			g.machine.Save(&b)
			g.cfg.Engine.Apply(&b)
		}
		g.snapshots.held = &outgoingSnapshot{
			index: g.applied.Index, prefix: g.prefix(), members: g.log.meta.confState(), snap: g.cfg.Engine.Snapshot(),
		}
		g.counts.SnapshotsSent++
		g.env.NodeEvent(txn.NodeEvent{Kind: txn.EventSnapshotSent, Shard: g.cfg.ID, Index: g.snapshots.held.index})
	}
	g.snapshots.keep(g.env.Now().Mono)
	term, err := g.log.Term(g.snapshots.held.index)
	if err != nil { // the log was cut past it meanwhile
		g.snapshots.drop()
		return nil, raft.ErrSnapshotTemporarilyUnavailable
	}
	index := g.snapshots.held.index
	return &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
		Index: &index, Term: &term, ConfState: g.snapshots.held.members,
	}}, nil
}

// loseOffer drops the held snapshot and has raft restart the receivers that waited for it.
func (me *member) loseOffer() {
	if me.snapshots.held == nil {
		return
	}
	me.snapshots.drop()
	if me.lead == nil {
		return
	}
	for _, v := range me.log.meta.members() {
		if v != uint64(me.cfg.Self) {
			me.rn.ReportSnapshot(v, raft.SnapshotFailure)
		}
	}
}

// OnSnapFetch sends the next chunk.
func (me *member) OnSnapFetch(from txn.NodeID, m *txn.SnapFetch) {
	out := me.snapshots.answer(me.env.Now().Mono, m)
	out.Shard = me.cfg.ID
	if out.Gone && me.lead != nil {
		me.rn.ReportSnapshot(uint64(from), raft.SnapshotFailure)
	}
	me.sendControl(from, txn.Message{SnapChunk: out})
}

// index is the index of the last entry in the snapshot.
func (in *incomingSnapshot) index() uint64 { return in.msg.GetSnapshot().GetMetadata().GetIndex() }

// awaits reports whether a chunk is the next of this snapshot.
func (in *incomingSnapshot) awaits(from txn.NodeID, m *txn.SnapChunk) bool {
	return in != nil && in.from == from && in.index() == m.Index && in.install == nil &&
		bytes.Equal(in.next, m.From) && len(m.Keys) == len(m.Values) &&
		(m.Next == nil || bytes.Compare(m.Next, in.next) > 0)
}

// beginSnapshot holds raft's message back until the state is fetched; false if
// raft can process it immediately.
func (g *Group[C]) beginSnapshot(from txn.NodeID, m *pb.Message) bool {
	index := m.GetSnapshot().GetMetadata().GetIndex()
	if m.GetTerm() < g.term || index <= g.log.hard.GetCommit() {
		return false // raft refuses it by itself
	}
	if in := g.snapIn; in != nil && in.from == from && in.index() == index && in.msg.GetTerm() == m.GetTerm() {
		return true
	}
	gen := g.log.meta.Gen + 1
	if g.snapIn != nil {
		gen = g.snapIn.gen + 1
	}
	var b store.Batch
	b.DeleteRange(genPrefix(g.cfg.ID, g.log.meta.Gen+1), store.After(groupKey(g.cfg.ID, 'g')))
	g.cfg.Engine.Apply(&b)
	g.snapIn = &incomingSnapshot{from: from, msg: m, gen: gen}
	g.env.Trace("fetches a snapshot of shard %d at %d from node %d", g.cfg.ID, index, from)
	g.env.NodeEvent(txn.NodeEvent{Kind: txn.EventSnapshotFetched, Shard: g.cfg.ID, Index: index, Peer: from})
	g.fetchMore()
	return true
}

func (me *member) fetchMore() {
	in := me.snapIn
	in.retryAt = me.env.Now().Mono + me.cfg.Params.ElectionTimeout*2/3
	me.sendControl(in.from, txn.Message{SnapFetch: &txn.SnapFetch{Shard: me.cfg.ID, Index: in.index(), From: in.next}})
}

// OnSnapChunk stores a chunk and fetches the next.
func (g *Group[C]) OnSnapChunk(from txn.NodeID, m *txn.SnapChunk) {
	in := g.snapIn
	if !in.awaits(from, m) {
		g.cfg.Params.Rules.Hit(coverage.ChunkInOrder)
		return
	}
	if m.Gone {
		g.snapIn = nil
		return
	}
	var b store.Batch
	prefix := genPrefix(g.cfg.ID, in.gen)
	for i, k := range m.Keys {
		b.Set(append(append(make([]byte, 0, len(prefix)+len(k)), prefix...), k...), m.Values[i])
	}
	g.cfg.Engine.Apply(&b)
	if in.tries = 0; m.Next != nil {
		in.next = m.Next
		g.fetchMore()
		return
	}
	now := g.env.Now()
	at, install, err := g.machine.Load(prefix)
	if err != nil || at.Index != m.Index {
		g.env.Trace("the chunks of the snapshot of shard %d are inconsistent", g.cfg.ID)
		g.snapIn = nil // the leader tries again when no fetch is in progress
		return
	}
	in.at, in.install = at, install
	_ = g.rn.Step(in.msg)
	g.afterStep(now, from, in.msg, &txn.Raft{})
	if g.snapIn == in && !g.rn.HasReady() { // raft refused it
		g.snapIn = nil
	}
}

// installSnapshot makes the fetched generation the state.
func (g *Group[C]) installSnapshot(b *store.Batch, snap *pb.Snapshot) {
	in := g.snapIn
	index := snap.GetMetadata().GetIndex()
	if in == nil || in.install == nil || in.index() != index {
		panic("raftgroup: raft installs a snapshot that was not fetched")
	}
	b.DeleteRange(g.prefix(), genPrefix(g.cfg.ID, g.log.meta.Gen+1))
	g.log.meta.Gen = in.gen
	g.log.restart(b, index, snap.GetMetadata().GetTerm())
	g.log.meta.setConf(snap.GetMetadata().GetConfState())
	g.log.meta.put(b, g.cfg.ID)
	g.snapIn = nil
	g.snapshots.drop()
	g.applied = in.at
	in.install()
	g.env.Trace("has the snapshot of shard %d at %d", g.cfg.ID, index)
	g.counts.SnapshotsInstalled++
	g.env.NodeEvent(txn.NodeEvent{Kind: txn.EventSnapshotInstalled, Shard: g.cfg.ID, Index: index})
}

// TickSnapshots ends snapshot transfers that take too long.
func (g *Group[C]) TickSnapshots() {
	now := g.env.Now()
	if g.snapshots.expired(now.Mono) {
		g.loseOffer()
	}
	if in := g.snapIn; in != nil && in.install == nil && now.Mono >= in.retryAt {
		if in.tries++; in.tries > snapshotMaxTries {
			g.snapIn = nil
			return
		}
		g.fetchMore()
	}
}
