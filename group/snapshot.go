package group

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

// outgoingSnapshot is one that others fetch.
type outgoingSnapshot struct {
	index   uint64
	prefix  []byte
	members *pb.ConfState
	snap    store.Snapshot
	expires time.Duration
}

// incomingSnapshot is one that is fetched.
type incomingSnapshot struct {
	from    txn.NodeID
	msg     *pb.Message
	gen     uint64
	next    []byte
	at      Place
	install func() // once all is here
	retryAt time.Duration
	tries   int
}

const (
	snapshotMaxTries = 20
	snapChunkBytes   = 1 << 20 // bound of one piece
	snapshotLasts    = 20      // election time-outs since somebody fetched of it
)

// makeSnapshot answers raft's wish to send one.
func (g *Group[C]) makeSnapshot() (*pb.Snapshot, error) {
	if g.snapOut == nil {
		if g.cfg.Ephemeral {
			var b store.Batch
			g.machine.Save(&b)
			g.cfg.Engine.Apply(&b)
		}
		g.snapOut = &outgoingSnapshot{
			index: g.applied.Index, prefix: g.prefix(), members: g.log.meta.confState(), snap: g.cfg.Engine.Snapshot(),
		}
		g.counts.SnapshotsSent++
		g.env.Note(txn.Note{Kind: txn.NoteSnapshotSent, Shard: g.cfg.ID, Index: g.snapOut.index})
	}
	g.keepSnapOut()
	term, err := g.log.Term(g.snapOut.index)
	if err != nil { // the log was cut past it meanwhile
		g.dropSnapOut()
		return nil, raft.ErrSnapshotTemporarilyUnavailable
	}
	index := g.snapOut.index
	return &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
		Index: &index, Term: &term, ConfState: g.snapOut.members,
	}}, nil
}

func (me *member) keepSnapOut() {
	me.snapOut.expires = me.env.Now().Mono + snapshotLasts*me.cfg.Params.ElectionTimeout
}

func (me *member) dropSnapOut() {
	if me.snapOut != nil {
		me.snapOut.snap.Close()
		me.snapOut = nil
	}
}

// loseSnapOut drops it and has raft begin anew with whoever waited for it.
func (me *member) loseSnapOut() {
	if me.snapOut == nil {
		return
	}
	me.dropSnapOut()
	if me.lead == nil {
		return
	}
	for _, v := range me.log.meta.members() {
		if v != uint64(me.cfg.Self) {
			me.rn.ReportSnapshot(v, raft.SnapshotFailure)
		}
	}
}

// OnSnapFetch sends the next piece.
func (me *member) OnSnapFetch(from txn.NodeID, m *txn.SnapFetch) {
	out := &txn.SnapChunk{Shard: me.cfg.ID, Index: m.Index, From: m.From}
	if me.snapOut == nil || me.snapOut.index != m.Index {
		out.Gone = true
		if me.lead != nil {
			me.rn.ReportSnapshot(uint64(from), raft.SnapshotFailure)
		}
	} else {
		me.keepSnapOut()
		me.snapOut.piece(out)
	}
	me.tell(from, txn.Message{SnapChunk: out})
}

// piece fills in what stands from where the piece begins.
func (s *outgoingSnapshot) piece(out *txn.SnapChunk) {
	start := append(append([]byte(nil), s.prefix...), out.From...)
	it := s.snap.Iter(start, store.After(s.prefix))
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
}

// index is that of the last entry that the snapshot contains.
func (in *incomingSnapshot) index() uint64 { return in.msg.GetSnapshot().GetMetadata().GetIndex() }

// awaits reports whether a piece is the next of this snapshot.
func (in *incomingSnapshot) awaits(from txn.NodeID, m *txn.SnapChunk) bool {
	return in != nil && in.from == from && in.index() == m.Index && in.install == nil &&
		bytes.Equal(in.next, m.From) && len(m.Keys) == len(m.Values) &&
		(m.Next == nil || bytes.Compare(m.Next, in.next) > 0)
}

// beginSnapshot keeps raft's message back until its state is here; false if
// raft can have it at once.
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
	g.env.Note(txn.Note{Kind: txn.NoteSnapshotFetched, Shard: g.cfg.ID, Index: index, Peer: from})
	g.fetchMore()
	return true
}

func (me *member) fetchMore() {
	in := me.snapIn
	in.retryAt = me.env.Now().Mono + me.cfg.Params.ElectionTimeout*2/3
	me.tell(in.from, txn.Message{SnapFetch: &txn.SnapFetch{Shard: me.cfg.ID, Index: in.index(), From: in.next}})
}

// OnSnapChunk stores a piece and asks for the next.
func (g *Group[C]) OnSnapChunk(from txn.NodeID, m *txn.SnapChunk) {
	in := g.snapIn
	if !in.awaits(from, m) {
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
		g.env.Trace("the pieces of the snapshot of shard %d do not make one", g.cfg.ID)
		g.snapIn = nil // the leader tries again when nobody fetches any more
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
		panic("group: raft takes a snapshot that was not fetched")
	}
	b.DeleteRange(g.prefix(), genPrefix(g.cfg.ID, g.log.meta.Gen+1))
	g.log.meta.Gen = in.gen
	g.log.restart(b, index, snap.GetMetadata().GetTerm())
	g.log.meta.setConf(snap.GetMetadata().GetConfState())
	g.log.meta.put(b, g.cfg.ID)
	g.snapIn = nil
	g.dropSnapOut()
	g.applied = in.at
	in.install()
	g.env.Trace("has the snapshot of shard %d at %d", g.cfg.ID, index)
	g.counts.SnapshotsInstalled++
	g.env.Note(txn.Note{Kind: txn.NoteSnapshotInstalled, Shard: g.cfg.ID, Index: index})
}

// TickSnapshots gives up what takes too long.
func (g *Group[C]) TickSnapshots() {
	now := g.env.Now()
	if s := g.snapOut; s != nil && now.Mono >= s.expires {
		g.loseSnapOut()
	}
	if in := g.snapIn; in != nil && in.install == nil && now.Mono >= in.retryAt {
		if in.tries++; in.tries > snapshotMaxTries {
			g.snapIn = nil
			return
		}
		g.fetchMore()
	}
}
