package shard

import (
	"encoding/binary"

	"isochron/txn"
)

// The engine keys of a state, below the prefix that its group assigns (see
// raftgroup/keys.go for the other keys):
//
//	'a'     applied index and its companions
//	'p' a   an undecided vote
//	'o' a   an outcome
//	'w' n   a coordinator incarnation's retired mark
//	'v' ... rows, see store
func attemptKey(prefix []byte, kind byte, a txn.Attempt) []byte {
	k := append(append(make([]byte, 0, len(prefix)+17), prefix...), kind)
	k = binary.BigEndian.AppendUint32(k, uint32(a.Node))
	k = binary.BigEndian.AppendUint32(k, a.Epoch)
	return binary.BigEndian.AppendUint64(k, a.Seq)
}

// rowsPrefix returns the prefix of the rows of a state.
func rowsPrefix(prefix []byte) []byte { return append(append([]byte(nil), prefix...), 'v') }
