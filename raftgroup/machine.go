package raftgroup

import (
	"iter"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/store"
)

// LogPosition is a position in the log.
type LogPosition struct{ Index, Term uint64 }

// Machine is the state that a group's log makes, and what stands on it. The group
// knows commands by their number and size only.
//
// The group calls it from within its own calls: a machine may propose then, and send,
// but it must not call Step, Process or Tick.
type Machine[C any] interface {
	// Found writes what the group is born with: the same at every founder.
	Found(b *store.Batch, prefix []byte)
	// Load reads the state that stands under a prefix of the engine, and says how far the
	// log is applied there. install makes it the state in force; if it is not called, the
	// one before stays.
	Load(prefix []byte) (at LogPosition, install func(), err error)
	// Save writes what an ephemeral state has kept in memory only, for a snapshot.
	Save(b *store.Batch)

	// Apply carries out a committed entry, which may say nothing. b takes what it changes of
	// the engine, which has none of the batch yet.
	Apply(b *store.Batch, at LogPosition, commands []C)
	// Finish completes the batch of one entry or several: b takes how far the log is applied.
	Finish(b *store.Batch)
	// Applied says that the engine has the batch. serves: from now on this leader serves,
	// for the batch has an entry of its term, and so all that was committed before it.
	Applied(serves bool)
	// Durable says that entries stand on this member's disk, committed or not, and that the
	// answer that promises it has left. An entry may be announced more than once.
	Durable(e Entries[C])

	// Lead says that this member was elected; it serves later, or never.
	Lead(term uint64)
	// Deposed ends what Lead began. What was proposed and is not applied may come yet,
	// or be lost.
	Deposed()
}

// Codec turns commands into the content of an entry and back.
type Codec[C any] interface {
	Encode(commands []C) []byte
	// Decode is the inverse; the error says that the entry is damaged.
	Decode(data []byte) ([]C, error)
	// Size is about how many bytes a command takes in an entry.
	Size(c C) uint64
}

// Entries are entries of the log, read when somebody asks.
type Entries[C any] struct {
	Term    uint64 // the newest that this member's disk knows of
	entries []*pb.Entry
	cache   *EntryCache[C]
}

// All goes over those that say something to the machine. What cannot be read is left
// out: that is found out when it is applied.
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
