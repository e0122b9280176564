package shard

import (
	"bytes"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/store"
	"isochron/txn"
)

// A snapshot travels in pieces. Raft's own message carries only its index; the
// receiver then fetches the state's keys from the sender, who holds an engine
// snapshot of them, into a generation of its own that nobody reads yet. When
// all is there, raft hears of the snapshot, and one batch makes the new
// generation the state. A crash before that leaves the old state whole.

type outgoingSnapshot struct {
	index   uint64
	prefix  []byte
	members *pb.ConfState
	snap    store.Snapshot
	expires time.Duration
}

type incomingSnapshot struct {
	from    txn.NodeID
	msg     *pb.Message
	gen     uint64
	next    []byte
	state   *state // once all is here
	retryAt time.Duration
	tries   int
}

const (
	snapshotMaxTries = 20
)

// makeSnapshot answers raft's wish to send one.
func (r *Replica) makeSnapshot() (*pb.Snapshot, error) {
	now := r.env.Now().Mono
	if r.snapOut == nil {
		if r.cfg.ephemeral() {
			var b store.Batch
			r.state.save(&b)
			r.cfg.Engine.Apply(&b)
		}
		r.snapOut = &outgoingSnapshot{
			index: r.state.applied.Index, prefix: r.state.prefix, members: r.log.meta.confState(), snap: r.cfg.Engine.Snapshot(),
		}
		r.counts.SnapshotsSent++
		r.env.Note(txn.Note{Kind: txn.NoteSnapshotSent, Shard: r.cfg.ID, Index: r.snapOut.index})
	}
	r.snapOut.expires = now + 20*r.cfg.Params.ElectionTimeout
	term, err := r.log.Term(r.snapOut.index)
	if err != nil { // the log was cut past it meanwhile
		r.dropSnapOut()
		return nil, raft.ErrSnapshotTemporarilyUnavailable
	}
	index := r.snapOut.index
	return &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
		Index: &index, Term: &term, ConfState: r.snapOut.members,
	}}, nil
}

func (r *Replica) dropSnapOut() {
	if r.snapOut != nil {
		r.snapOut.snap.Close()
		r.snapOut = nil
	}
}

// loseSnapOut drops it and has raft begin anew with whoever waited for it.
func (r *Replica) loseSnapOut() {
	if r.snapOut == nil {
		return
	}
	r.dropSnapOut()
	if r.lead == nil {
		return
	}
	for _, v := range r.log.meta.members() {
		if v != uint64(r.cfg.Self) {
			r.rn.ReportSnapshot(v, raft.SnapshotFailure)
		}
	}
}

// OnSnapFetch sends the next piece.
func (r *Replica) OnSnapFetch(from txn.NodeID, m *txn.SnapFetch) {
	out := &txn.SnapChunk{Shard: r.cfg.ID, Index: m.Index, From: m.From}
	if r.snapOut == nil || r.snapOut.index != m.Index {
		out.Gone = true
		if r.lead != nil {
			r.rn.ReportSnapshot(uint64(from), raft.SnapshotFailure)
		}
		r.env.Send(txn.Participant(from, r.cfg.ID), txn.Message{SnapChunk: out})
		return
	}
	s := r.snapOut
	s.expires = r.env.Now().Mono + 20*r.cfg.Params.ElectionTimeout
	start := append(append([]byte(nil), s.prefix...), m.From...)
	it := s.snap.Iter(start, next(s.prefix))
	defer it.Close()
	size := 0
	for ok := it.First(); ok; ok = it.Next() {
		key := it.Key()[len(s.prefix):]
		if size > snapChunkBytes {
			out.Next = bytes.Clone(key)
			break
		}
		out.Keys = append(out.Keys, bytes.Clone(key))
		out.Values = append(out.Values, bytes.Clone(it.Value()))
		size += len(key) + len(it.Value())
	}
	r.env.Send(txn.Participant(from, r.cfg.ID), txn.Message{SnapChunk: out})
}

// beginSnapshot keeps raft's message back until its state is here; false if
// raft can have it at once.
func (r *Replica) beginSnapshot(from txn.NodeID, m *pb.Message) bool {
	index := m.GetSnapshot().GetMetadata().GetIndex()
	if m.GetTerm() < r.term || index <= r.log.hard.GetCommit() {
		return false // raft refuses it by itself
	}
	if in := r.snapIn; in != nil && in.from == from && in.msg.GetSnapshot().GetMetadata().GetIndex() == index && in.msg.GetTerm() == m.GetTerm() {
		return true
	}
	gen := r.log.meta.Gen + 1
	if r.snapIn != nil {
		gen = r.snapIn.gen + 1
	}
	var b store.Batch
	b.DeleteRange(genPrefix(r.cfg.ID, r.log.meta.Gen+1), next(shardKey(r.cfg.ID, 'g')))
	r.cfg.Engine.Apply(&b)
	r.snapIn = &incomingSnapshot{from: from, msg: m, gen: gen}
	r.env.Trace("fetches a snapshot of shard %d at %d from node %d", r.cfg.ID, index, from)
	r.env.Note(txn.Note{Kind: txn.NoteSnapshotFetched, Shard: r.cfg.ID, Index: index, Peer: from})
	r.fetchMore()
	return true
}

func (r *Replica) fetchMore() {
	in := r.snapIn
	in.retryAt = r.env.Now().Mono + r.cfg.Params.ElectionTimeout*2/3
	r.env.Send(txn.Participant(in.from, r.cfg.ID), txn.Message{SnapFetch: &txn.SnapFetch{
		Shard: r.cfg.ID, Index: in.msg.GetSnapshot().GetMetadata().GetIndex(), From: in.next,
	}})
}

// OnSnapChunk stores a piece and asks for the next.
func (r *Replica) OnSnapChunk(from txn.NodeID, m *txn.SnapChunk) {
	in := r.snapIn
	if in == nil || in.from != from || in.msg.GetSnapshot().GetMetadata().GetIndex() != m.Index ||
		in.state != nil || !bytes.Equal(in.next, m.From) || len(m.Keys) != len(m.Values) ||
		m.Next != nil && bytes.Compare(m.Next, in.next) <= 0 {
		return
	}
	if m.Gone {
		r.snapIn = nil
		return
	}
	var b store.Batch
	prefix := genPrefix(r.cfg.ID, in.gen)
	for i, k := range m.Keys {
		b.Set(append(append(make([]byte, 0, len(prefix)+len(k)), prefix...), k...), m.Values[i])
	}
	r.cfg.Engine.Apply(&b)
	if in.tries = 0; m.Next != nil {
		in.next = m.Next
		r.fetchMore()
		return
	}
	now := r.env.Now()
	st, err := loadState(r.cfg, in.gen, int64(now.Mono))
	if err != nil || st.applied.Index != m.Index {
		r.env.Trace("the pieces of the snapshot of shard %d do not make one", r.cfg.ID)
		r.snapIn = nil // the leader tries again when nobody fetches any more
		return
	}
	in.state = st
	_ = r.rn.Step(in.msg)
	r.afterStep(now, from, in.msg, &txn.Raft{})
	if r.snapIn == in && !r.rn.HasReady() { // raft refused it
		r.snapIn = nil
	}
}

// installSnapshot makes the fetched generation the state.
func (r *Replica) installSnapshot(b *store.Batch, snap *pb.Snapshot) {
	in := r.snapIn
	index := snap.GetMetadata().GetIndex()
	if in == nil || in.state == nil || in.msg.GetSnapshot().GetMetadata().GetIndex() != index {
		panic("shard: raft takes a snapshot that was not fetched")
	}
	b.DeleteRange(genPrefix(r.cfg.ID, r.log.meta.Gen), genPrefix(r.cfg.ID, r.log.meta.Gen+1))
	r.log.meta.Gen = in.gen
	r.log.restart(b, index, snap.GetMetadata().GetTerm())
	r.log.meta.setConf(snap.GetMetadata().GetConfState())
	r.log.meta.put(b, r.cfg.ID)
	r.snapIn = nil
	r.dropSnapOut()
	r.state, r.sweep = in.state, nil
	r.followProtocol()
	r.clock.Observe(r.state.applied.MaxTS)
	r.env.Trace("has the snapshot of shard %d at %d", r.cfg.ID, index)
	r.counts.SnapshotsInstalled++
	r.env.Note(txn.Note{Kind: txn.NoteSnapshotInstalled, Shard: r.cfg.ID, Index: index})
	r.env.Applied(r.cfg.ID, nil) // anything may have changed
}

// tickSnapshots gives up what takes too long.
func (r *Replica) tickSnapshots(now txn.Now) {
	if s := r.snapOut; s != nil && now.Mono >= s.expires {
		r.loseSnapOut()
	}
	if in := r.snapIn; in != nil && in.state == nil && now.Mono >= in.retryAt {
		if in.tries++; in.tries > snapshotMaxTries {
			r.snapIn = nil
			return
		}
		r.fetchMore()
	}
}
