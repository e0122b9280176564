package store

import (
	"slices"

	"github.com/tidwall/btree"
)

// Rand is the part of a seeded generator that a crash needs (math/rand/v2's *Rand has it).
type Rand interface{ IntN(n int) int }

// SyncPoint records how much had been applied when a sync began.
type SyncPoint struct{ applied uint64 }

// Mem is an Engine in memory that can lose power. It has two states: the live
// one, which readers see, and the durable one, the contents of a disk.
// Batches between the two are kept in order, so that a crash can keep a prefix
// of them: a disk may have written more than was synced, but it
// writes its log from front to back.
//
// Its zero value is not usable; call NewMem.
type Mem struct {
	live     *memState
	durable  *memTree
	unsynced []Batch // applied after durable, in order
	applied  uint64  // batches applied since NewMem
	synced   uint64  // of these, the number in durable
	traces   *traces // not nil: it never loses power, and there is no durable state
}

type memTree = btree.Map[string, []byte]

// memState is a tree and the number of readers that need it unchanged.
// A writer that finds readers leaves them the tree and continues with a copy,
// which shares all nodes until they are written.
type memState struct {
	tree    *memTree
	readers int
}

// NewMem returns an empty engine.
func NewMem() *Mem { return newMemFrom(new(memTree)) }

// NewMemForGood returns an empty engine that never loses power. It keeps one
// state instead of two, and traces of written keys; a crash of it panics.
func NewMemForGood() *Mem { return &Mem{live: &memState{tree: new(memTree)}, traces: new(traces)} }

func newMemFrom(tree *memTree) *Mem {
	return &Mem{live: &memState{tree: tree}, durable: tree.Copy()}
}

// Get implements Reader.
func (m *Mem) Get(key []byte) ([]byte, bool) { return m.live.get(key) }

// seek returns the first key at or after key with the prefix row.
func (m *Mem) seek(row, key []byte) (k string, value []byte, ok bool) {
	if m.traces != nil && !m.traces.of(row) {
		return "", nil, false
	}
	m.live.tree.Ascend(string(key), func(there string, v []byte) bool {
		k, value, ok = there, v, true
		return false
	})
	return k, value, ok
}

// Iter implements Reader: it walks the present state.
func (m *Mem) Iter(start, end []byte) Iterator { return m.live.iter(start, end) }

// Snapshot implements Engine.
func (m *Mem) Snapshot() Snapshot {
	m.live.readers++
	return &memSnapshot{memState: m.live}
}

// Apply implements Engine.
func (m *Mem) Apply(b *Batch) {
	if b.Empty() {
		return
	}
	if m.live.readers > 0 {
		m.live = &memState{tree: m.live.tree.Copy()}
	}
	applyTo(m.live.tree, b.Ops)
	m.applied++
	if m.traces != nil {
		for i := range b.Ops {
			if b.Ops[i].Kind == OpSet {
				m.traces.leave(b.Ops[i].Key)
			}
		}
		return
	}
	m.unsynced = append(m.unsynced, Batch{Ops: slices.Clone(b.Ops)})
}

// BeginSync starts a sync: later batches are not covered by it.
func (m *Mem) BeginSync() SyncPoint { return SyncPoint{m.applied} }

// EndSync ends the sync that began at p: batches applied before it are durable.
// A point older than an earlier end changes nothing.
func (m *Mem) EndSync(p SyncPoint) {
	if p.applied <= m.synced || m.traces != nil {
		return
	}
	n := int(p.applied - m.synced)
	for _, b := range m.unsynced[:n] {
		applyTo(m.durable, b.Ops)
	}
	m.unsynced = slices.Delete(m.unsynced, 0, n)
	m.synced = p.applied
}

// Unsynced is the number of batches that a crash may lose.
func (m *Mem) Unsynced() int { return len(m.unsynced) }

// CrashClone returns the contents of a disk after a power failure now: all
// synced batches and, as drawn by r, the first few of the later ones. m stays usable.
func (m *Mem) CrashClone(r Rand) *Mem { return m.cloneAfter(r.IntN(len(m.unsynced) + 1)) }

// Crash is CrashClone for an engine that is not used afterwards.
func (m *Mem) Crash(r Rand) *Mem {
	survivor := m.CrashClone(r)
	*m = Mem{} // using a crashed disk is a bug: make it visible
	return survivor
}

// CrashStrict returns the clone that has only the synced batches.
func (m *Mem) CrashStrict() *Mem { return m.cloneAfter(0) }

func (m *Mem) cloneAfter(batches int) *Mem {
	if m.traces != nil {
		panic("store: crash of an engine that never loses power")
	}
	tree := m.durable.Copy()
	for _, b := range m.unsynced[:batches] {
		applyTo(tree, b.Ops)
	}
	return newMemFrom(tree)
}

func applyTo(tree *memTree, ops []Op) {
	for _, op := range ops {
		switch op.Kind {
		case OpSet:
			tree.Set(string(op.Key), op.Value)
		case OpDelete:
			tree.Delete(string(op.Key))
		case OpDeleteRange:
			deleteRange(tree, string(op.Key), string(op.Value))
		}
	}
}

func deleteRange(tree *memTree, start, end string) {
	var doomed []string
	tree.Ascend(start, func(k string, _ []byte) bool {
		if k >= end {
			return false
		}
		doomed = append(doomed, k)
		return true
	})
	for _, k := range doomed {
		tree.Delete(k)
	}
}

func (s *memState) get(key []byte) ([]byte, bool) {
	value, ok := s.tree.Get(string(key))
	if !ok {
		return nil, false
	}
	return append([]byte{}, value...), true // a present empty value is not nil
}

func (s *memState) iter(start, end []byte) Iterator {
	s.readers++
	return &memIter{state: s, it: s.tree.Iter(), start: string(start), end: string(end), bounded: end != nil}
}

type memSnapshot struct {
	*memState
	closed bool
}

func (s *memSnapshot) Get(key []byte) ([]byte, bool)   { return s.get(key) }
func (s *memSnapshot) Iter(start, end []byte) Iterator { return s.iter(start, end) }

func (s *memSnapshot) Close() {
	if !s.closed {
		s.readers--
		s.closed = true
	}
}
