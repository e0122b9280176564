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
		first, err := m.command(e)
		if err != nil || first.Vote.Attempt.Seq != i {
			t.Fatalf("entry %d reads as %v, %v", i, first, err)
		}
		if again, _ := m.command(e); again != first {
			t.Fatalf("entry %d was read twice", i)
		}
	}
	if most := memoBytes/1000 + 2; len(m.commands) > most || len(m.order) != len(m.commands) {
		t.Errorf("it keeps %d entries, in an order of %d; at most %d were to be kept", len(m.commands), len(m.order), most)
	}
	if c, err := m.command(entries[0]); err != nil || c.Vote.Attempt.Seq != 0 {
		t.Errorf("a forgotten entry reads as %v, %v", c, err)
	}
	if c, err := m.command(&pb.Entry{}); err != nil || c.Vote != nil || c.Decide != nil {
		t.Errorf("an empty entry reads as %v, %v", c, err)
	}
	if _, err := m.command(&pb.Entry{Data: []byte{0xff}}); err == nil {
		t.Error("a damaged entry can be read")
	}
}

func TestWhatWasProposedIsNotReadAgain(t *testing.T) {
	m := newMemo()
	var p proposals
	var entries []*pb.Entry
	commands := map[int]*command{}
	for i := range 10 {
		c := &command{Barrier: uint64(i + 1)}
		p.add(txn.Encode(*c), c)
		if i == 3 { // it never comes
			continue
		}
		commands[len(entries)] = c
		entries = append(entries, &pb.Entry{Data: txn.Encode(*c)})
	}
	foreign := &pb.Entry{Data: txn.Encode(command{Barrier: 99})}
	p.appended(m, append(entries[:4:4], foreign))
	p.appended(m, entries[4:])
	for i, e := range entries {
		if got, err := m.command(e); err != nil || got != commands[i] {
			t.Errorf("entry %d says %+v, %v; want what was proposed", i, got, err)
		}
	}
	if got, err := m.command(foreign); err != nil || got.Barrier != 99 {
		t.Errorf("an entry of another says %+v, %v", got, err)
	}
	if p != nil {
		t.Errorf("%d proposals are left", len(p))
	}
}
