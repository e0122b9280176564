package shard

import (
	"bytes"
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/txn"
)

func TestAMemoIsRightAndBounded(t *testing.T) {
	m := newMemo()
	var entries []*pb.Entry
	for i := range uint64(3000) {
		e := &pb.Entry{Data: txn.Encode(command{Vote: &voteCmd{
			Attempt: txn.Attempt{Seq: i}, Writes: []txn.Write{{Key: "k", Value: bytes.Repeat([]byte{1}, 1000)}}}})}
		entries = append(entries, e)
		first, err := m.read(e)
		if err != nil || len(first) != 1 || first[0].Vote.Attempt.Seq != i {
			t.Fatalf("entry %d reads as %v, %v", i, first, err)
		}
		if again, _ := m.read(e); &again[0] != &first[0] {
			t.Fatalf("entry %d was read twice", i)
		}
	}
	if most := memoBytes/1000 + 2; len(m.commands) > most || len(m.order) != len(m.commands) {
		t.Errorf("it keeps %d entries, in an order of %d; at most %d were to be kept", len(m.commands), len(m.order), most)
	}
	if c, err := m.read(entries[0]); err != nil || len(c) != 1 || c[0].Vote.Attempt.Seq != 0 {
		t.Errorf("a forgotten entry reads as %v, %v", c, err)
	}
	if c, err := m.read(&pb.Entry{}); err != nil || len(c) > 0 {
		t.Errorf("an empty entry reads as %v, %v", c, err)
	}
	if _, err := m.read(&pb.Entry{Data: []byte{0xff}}); err == nil {
		t.Error("a damaged entry can be read")
	}
}
