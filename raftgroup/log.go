package raftgroup

import (
	"fmt"
	"slices"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/coverage"
	"isochron/store"
	"isochron/txn"
)

// raftLog is raft's storage: the entries in memory, from the first that was not
// removed, and the same on the engine.
//
// Invariant: entries[i] has index meta.First + 1 + i.
type raftLog struct {
	id      txn.ShardID
	engine  store.Engine
	meta    meta
	hard    *pb.HardState
	entries []*pb.Entry
	bytes   int64 // of entries
	// snapshot returns the metadata of a snapshot of the applied state.
	snapshot  func() (*pb.Snapshot, error)
	ephemeral bool
	careless  bool // a bug was injected: overwritten entries stay on the engine
	rules     *coverage.Counts
}

// openLog reads the log from the engine. fresh: there was none, and it starts with the
// founders.
func openLog(id txn.ShardID, engine store.Engine, founders []txn.NodeID, ephemeral bool) (l *raftLog, fresh bool, err error) {
	l = &raftLog{id: id, engine: engine, hard: &pb.HardState{}, ephemeral: ephemeral}
	var ok bool
	if l.meta, ok, err = loadMeta(engine, id); err != nil {
		return nil, false, fmt.Errorf("shard %d: %w", id, err)
	}
	if !ok {
		l.meta = meta{Version: metaVersion, Gen: 1}
		for _, v := range founders {
			l.meta.Voters = append(l.meta.Voters, uint64(v))
		}
		return l, true, nil
	}
	if l.meta.Version == 1 { // from here on a program of that version could not read the log
		l.meta.Version = metaVersion
		var b store.Batch
		l.meta.put(&b, l.id)
		engine.Apply(&b)
	}
	if l.meta.Version != metaVersion {
		return nil, false, fmt.Errorf("shard %d was written in format %d; this program reads format %d", id, l.meta.Version, metaVersion)
	}
	if raw, ok := engine.Get(groupKey(id, 'h')); ok {
		if err := proto.Unmarshal(raw, l.hard); err != nil {
			return nil, false, fmt.Errorf("shard %d: raft's state is damaged: %w", id, err)
		}
	}
	return l, false, l.loadEntries()
}

// loadEntries reads the entries after First. Terms never decrease along a log: entries
// of an older term after newer ones were overwritten and are not part of it.
func (l *raftLog) loadEntries() error {
	start := entryKey(l.id, l.meta.First+1)
	it := l.engine.Iter(start, store.After(groupKey(l.id, 'l')))
	defer it.Close()
	want, term := l.meta.First+1, l.meta.FirstTerm
	for ok := it.First(); ok; ok = it.Next() {
		e := new(pb.Entry)
		if err := proto.Unmarshal(it.Value(), e); err != nil {
			return fmt.Errorf("shard %d: log entry %d is damaged: %w", l.id, want, err)
		}
		switch {
		case e.GetIndex() != want:
			return fmt.Errorf("shard %d: log entry %d is missing, entry %d was found instead", l.id, want, e.GetIndex())
		case e.GetTerm() < term:
			return fmt.Errorf("shard %d: log entry %d is of term %d, but the entry before it is of term %d: an overwritten entry was not deleted",
				l.id, want, e.GetTerm(), term)
		}
		l.entries = append(l.entries, e)
		l.bytes += entryBytes(e)
		want, term = want+1, e.GetTerm()
	}
	return nil
}

func marshal(m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("group: raft message cannot be encoded: %v", err))
	}
	return b
}

// append writes entries and replaces all entries from the first one's index on.
func (l *raftLog) append(b *store.Batch, entries []*pb.Entry) {
	if len(entries) == 0 {
		return
	}
	first := entries[0].GetIndex()
	if first <= l.meta.First || first > l.last()+1 {
		panic(fmt.Sprintf("shard %d: entries from %d do not fit a log of %d..%d", l.id, first, l.meta.First+1, l.last()))
	}
	if first <= l.last() && !l.ephemeral && !l.careless {
		l.rules.HitIf(entries[len(entries)-1].GetIndex() < l.last(), coverage.SuffixCut)
		b.DeleteRange(entryKey(l.id, first), entryKey(l.id, l.last()+1))
	}
	kept := first - l.meta.First - 1
	l.bytes += bytesOf(entries) - bytesOf(l.entries[kept:])
	l.entries = append(l.entries[:kept], entries...) // the slice is not shared
	if l.ephemeral {
		return
	}
	for _, e := range entries {
		b.Set(entryKey(l.id, e.GetIndex()), marshal(e))
	}
}

func (l *raftLog) setHard(b *store.Batch, h *pb.HardState) {
	l.hard = h
	if !l.ephemeral {
		l.putHard(b)
	}
}

func (l *raftLog) putHard(b *store.Batch) {
	b.Set(groupKey(l.id, 'h'), marshal(l.hard))
}

// cutOneByOneMax is the number of entries deleted one by one: their keys are known, and a range
// deletion would have to search for them.
const cutOneByOneMax = 1000

// cut removes the entries up to index.
func (l *raftLog) cut(b *store.Batch, index uint64) {
	term, err := l.Term(index)
	if err != nil || index <= l.meta.First {
		return
	}
	if n := index - l.meta.First; n <= cutOneByOneMax {
		for i := l.meta.First + 1; i <= index; i++ {
			b.Delete(entryKey(l.id, i))
		}
	} else {
		b.DeleteRange(entryKey(l.id, l.meta.First+1), entryKey(l.id, index+1))
	}
	l.bytes -= bytesOf(l.entries[:index-l.meta.First])
	l.entries = append([]*pb.Entry(nil), l.entries[index-l.meta.First:]...)
	l.meta.First, l.meta.FirstTerm = index, term
	l.meta.put(b, l.id)
}

// restart empties the log after a snapshot.
func (l *raftLog) restart(b *store.Batch, index, term uint64) {
	b.DeleteRange(groupKey(l.id, 'l'), store.After(groupKey(l.id, 'l')))
	l.entries, l.bytes = nil, 0
	l.meta.First, l.meta.FirstTerm = index, term
}

// entryBytes estimates the memory of an entry.
func entryBytes(e *pb.Entry) int64 { return int64(len(e.GetData())) + 128 }

func bytesOf(entries []*pb.Entry) (n int64) {
	for _, e := range entries {
		n += entryBytes(e)
	}
	return n
}

// beyond returns the index up to which entries must be removed so that the rest takes at most
// that many bytes; First if none has to.
func (l *raftLog) beyond(most int64) uint64 {
	upTo, left := l.meta.First, l.bytes
	for _, e := range l.entries {
		if left <= most {
			break
		}
		left -= entryBytes(e)
		upTo++
	}
	return upTo
}

func (l *raftLog) last() uint64 { return l.meta.First + uint64(len(l.entries)) }

// InitialState implements raft.Storage.
func (l *raftLog) InitialState() (*pb.HardState, *pb.ConfState, error) {
	return l.hard, l.meta.confState(), nil
}

// Entries implements raft.Storage.
func (l *raftLog) Entries(lo, hi, maxSize uint64) ([]*pb.Entry, error) {
	if lo <= l.meta.First {
		return nil, raft.ErrCompacted
	}
	if hi > l.last()+1 {
		return nil, raft.ErrUnavailable
	}
	var out []*pb.Entry
	size := uint64(0)
	for _, e := range l.entries[lo-l.meta.First-1 : hi-l.meta.First-1] {
		size += uint64(proto.Size(e))
		if len(out) > 0 && size > maxSize {
			break
		}
		out = append(out, e)
	}
	return slices.Clip(out), nil
}

// Term implements raft.Storage.
func (l *raftLog) Term(i uint64) (uint64, error) {
	switch {
	case i < l.meta.First:
		return 0, raft.ErrCompacted
	case i == l.meta.First:
		return l.meta.FirstTerm, nil
	case i > l.last():
		return 0, raft.ErrUnavailable
	}
	return l.entries[i-l.meta.First-1].GetTerm(), nil
}

// LastIndex implements raft.Storage.
func (l *raftLog) LastIndex() (uint64, error) { return l.last(), nil }

// FirstIndex implements raft.Storage.
func (l *raftLog) FirstIndex() (uint64, error) { return l.meta.First + 1, nil }

// Snapshot implements raft.Storage.
func (l *raftLog) Snapshot() (*pb.Snapshot, error) { return l.snapshot() }
