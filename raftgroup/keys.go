package raftgroup

import (
	"encoding/binary"

	"isochron/store"
	"isochron/txn"
)

// The engine keys of a member of a group:
//
//	's' shard 'h'             hard state of raft
//	's' shard 'm'             meta: voters, generation, start of the log
//	's' shard 'l' index       a log entry
//	's' shard 'g' gen ...     the state; the machine defines its keys
//
// A snapshot is received into a new generation and becomes the state by one
// change of the meta key.
func groupKey(id txn.ShardID, kind byte) []byte {
	k := binary.BigEndian.AppendUint64([]byte{'s'}, uint64(id))
	return append(k, kind)
}

func entryKey(id txn.ShardID, index uint64) []byte {
	return binary.BigEndian.AppendUint64(groupKey(id, 'l'), index)
}

func genPrefix(id txn.ShardID, gen uint64) []byte {
	return binary.BigEndian.AppendUint64(groupKey(id, 'g'), gen)
}

// meta is a member's persistent state besides raft's own.
type meta struct {
	Version   int      `cbor:"1,keyasint"`
	Voters    []uint64 `cbor:"2,keyasint"`
	Gen       uint64   `cbor:"3,keyasint"`
	FirstTerm uint64   `cbor:"4,keyasint"` // term of the entry before the first
	First     uint64   `cbor:"5,keyasint"` // index of the entry before the first

	// The configuration is the applied index's; it is joint while Outgoing voters still have their
	// vote.
	Learners     []uint64 `cbor:"6,keyasint,omitempty"`
	Outgoing     []uint64 `cbor:"7,keyasint,omitempty"`
	LearnersNext []uint64 `cbor:"8,keyasint,omitempty"`
	AutoLeave    bool     `cbor:"9,keyasint,omitempty"`
}

// metaVersion 2: an entry of the log may have several commands (1: one).
const metaVersion = 2

func (m meta) put(b *store.Batch, id txn.ShardID) { b.Set(groupKey(id, 'm'), txn.Encode(m)) }

func loadMeta(r store.Reader, id txn.ShardID) (m meta, ok bool, err error) {
	raw, ok := r.Get(groupKey(id, 'm'))
	if ok {
		err = txn.Decode(raw, &m)
	}
	return m, ok, err
}
