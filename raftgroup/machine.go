package raftgroup

import (
	"iter"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/store"
)

// LogPosition is a position in the log.
type LogPosition struct{ Index, Term uint64 }

// Machine computes a group's state from its log, and runs the leader's work on top. The group
// knows only the number and size of its commands.
//
// The group calls it from within its own calls: a machine may propose and send then,
// but it must not call Step, Process or Tick.
type Machine[C any] interface {
	// Found writes the group's initial state: the same at every founder.
	Found(b *store.Batch, prefix []byte)
	// Load reads the state below a prefix of the engine, and returns its position in the
	// log. install puts it in force; if install is not called, the previous state
	// stays in force.
	Load(prefix []byte) (at LogPosition, install func(), err error)
	// Save writes the state that an ephemeral machine keeps only in memory, for a snapshot.
	Save(b *store.Batch)

	// Apply applies a committed entry, which may have no commands. b receives its changes to
	// the engine; the engine has none of the batch yet.
	Apply(b *store.Batch, at LogPosition, commands []C)
	// Finish completes the batch of one or more entries: b receives the applied position.
	Finish(b *store.Batch)
	// Applied reports that the engine has the batch. serves: this leader serves from now on,
	// because the batch has an entry of its term, and so all earlier committed entries are applied.
	Applied(serves bool)
	// Durable reports that entries are on this member's disk, committed or not, and that the
	// acknowledgement was sent. An entry may be reported more than once.
	Durable(e Entries[C])

	// Lead reports that this member was elected; it serves later, or never.
	Lead(term uint64)
	// Deposed ends what Lead began. Proposed commands that are not applied may still be applied,
	// or be lost.
	Deposed()
}

// Codec encodes commands as the content of an entry.
type Codec[C any] interface {
	Encode(commands []C) []byte
	// Decode is the inverse; an error means that the entry is damaged.
	Decode(data []byte) ([]C, error)
	// Size estimates the bytes of a command in an entry.
	Size(c C) uint64
}

// Entries are entries of the log, decoded on demand.
type Entries[C any] struct {
	Term    uint64 // the newest term on this member's disk
	entries []*pb.Entry
	cache   *EntryCache[C]
}

// All iterates over the entries that have commands. Entries that cannot be decoded are
// omitted: the error is reported when they are applied.
func (e Entries[C]) All() iter.Seq2[LogPosition, []C] {
	return func(yield func(LogPosition, []C) bool) {
		for _, entry := range e.entries {
			if entry.GetType() != pb.EntryNormal || len(entry.GetData()) == 0 {
				continue
			}
			commands, _ := e.cache.read(entry)
			if !yield(LogPosition{entry.GetIndex(), entry.GetTerm()}, commands) {
				return
			}
		}
	}
}
