package shard

import (
	"encoding/binary"

	"isochron/store"
	"isochron/txn"
)

// The engine keys of a replica:
//
//	's' shard 'h'             hard state of raft
//	's' shard 'm'             meta: voters, generation, where the log begins
//	's' shard 'l' index       a log entry
//	's' shard 'g' gen 'a'     applied index and its companions
//	's' shard 'g' gen 'p' a   an undecided vote
//	's' shard 'g' gen 'o' a   an outcome
//	's' shard 'g' gen 'w' n   a coordinator incarnation's retired mark
//	's' shard 'g' gen 'v' ... rows, see store
//
// A snapshot is received into a new generation and becomes the state by one
// change of the meta key.
func shardKey(id txn.ShardID, kind byte) []byte {
	k := binary.BigEndian.AppendUint64([]byte{'s'}, uint64(id))
	return append(k, kind)
}

func entryKey(id txn.ShardID, index uint64) []byte {
	return binary.BigEndian.AppendUint64(shardKey(id, 'l'), index)
}

func genPrefix(id txn.ShardID, gen uint64) []byte {
	return binary.BigEndian.AppendUint64(shardKey(id, 'g'), gen)
}

func attemptKey(prefix []byte, kind byte, a txn.Attempt) []byte {
	k := append(append(make([]byte, 0, len(prefix)+17), prefix...), kind)
	k = binary.BigEndian.AppendUint32(k, uint32(a.Node))
	k = binary.BigEndian.AppendUint32(k, a.Epoch)
	return binary.BigEndian.AppendUint64(k, a.Seq)
}

// next is the smallest key above every key with the prefix.
func next(prefix []byte) []byte {
	e := append([]byte(nil), prefix...)
	for i := len(e) - 1; i >= 0; i-- {
		if e[i]++; e[i] != 0 {
			return e[:i+1]
		}
	}
	return nil
}

// meta is what a replica knows of itself beside raft's own state.
type meta struct {
	Version   int      `cbor:"1,keyasint"`
	Voters    []uint64 `cbor:"2,keyasint"`
	Gen       uint64   `cbor:"3,keyasint"`
	FirstTerm uint64   `cbor:"4,keyasint"` // term of the entry before the first
	First     uint64   `cbor:"5,keyasint"` // index of the entry before the first

	// The configuration is that of the applied index; it is joint while Outgoing
	// voters have their vote too.
	Learners     []uint64 `cbor:"6,keyasint,omitempty"`
	Outgoing     []uint64 `cbor:"7,keyasint,omitempty"`
	LearnersNext []uint64 `cbor:"8,keyasint,omitempty"`
	AutoLeave    bool     `cbor:"9,keyasint,omitempty"`
}

// metaVersion 2: an entry of the log may have many commands (1: one).
const metaVersion = 2

func (m meta) put(b *store.Batch, id txn.ShardID) { b.Set(shardKey(id, 'm'), txn.Encode(m)) }
