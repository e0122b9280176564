package sim

import (
	"bytes"
	"strings"
	"testing"

	"isochron/txn"
)

// The fields written for the hash are the wire form, for small and large numbers, and for fields
// set and unset.
func TestTheHashTakesTheWireForm(t *testing.T) {
	names := []txn.Attempt{{}, {Node: 1, Seq: 23}, {Node: 24, Epoch: 255, Seq: 256}, {Node: 1 << 20, Epoch: 65535, Seq: 65536}, {Epoch: 1 << 31, Seq: 1<<32 - 1}, {Seq: 1 << 40}}
	rows := [][]txn.Row{nil, {{}}, {{Key: "a", Value: []byte("v"), Version: names[1]}, {Key: txn.Key(strings.Repeat("k", 300)), Value: bytes.Repeat([]byte{0xff}, 70_000)}}, make([]txn.Row, 30)}
	for i, a := range names {
		for _, r := range rows {
			shard := txn.ShardID(i * 100)
			for _, m := range []*txn.Message{
				{FixedSetReads: &txn.FixedSetReads{Shard: shard, Attempt: a, Rows: r}},
				{Forward: &txn.Forward{Shard: shard, Attempt: a, Reader: names[(i+1)%len(names)], Rows: r}},
				{Release: &txn.Release{Shard: shard, Txn: txn.ID(a)}},
			} {
				if got, ok := appendWire([]byte("x"), m); !ok || !bytes.Equal(got[1:], txn.Encode(m)) {
					t.Errorf("%+v is hashed as %x, and sent as %x", m, got[1:], txn.Encode(m))
				}
			}
		}
	}
	if _, ok := appendWire(nil, &txn.Message{TxnStatusQuery: &txn.TxnStatusQuery{}}); ok {
		t.Error("a message of another kind is written out")
	}
}
