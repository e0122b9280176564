package shard

import (
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/txn"
)

func TestWhatWasProposedIsNotReadAgain(t *testing.T) {
	m := newMemo()
	var p proposals
	var entries []*pb.Entry
	says := map[int][]command{}
	for i := range 10 {
		c := []command{{Barrier: uint64(2*i + 1)}, {Barrier: uint64(2*i + 2)}}
		p.given = append(p.given, handed{encodeEntry(c), c})
		if i == 3 { // it never comes
			continue
		}
		says[len(entries)] = c
		entries = append(entries, &pb.Entry{Data: encodeEntry(c)})
	}
	foreign := &pb.Entry{Data: encodeEntry([]command{{Barrier: 99}})}
	p.appended(m, append(entries[:4:4], foreign))
	p.appended(m, entries[4:])
	for i, e := range entries {
		if got, err := m.read(e); err != nil || &got[0] != &says[i][0] {
			t.Errorf("entry %d says %+v, %v; want what was proposed", i, got, err)
		}
	}
	if got, err := m.read(foreign); err != nil || len(got) != 1 || got[0].Barrier != 99 {
		t.Errorf("an entry of another says %+v, %v", got, err)
	}
	if p.given != nil {
		t.Errorf("%d proposals are left", len(p.given))
	}
}

// An entry of format 1 is one command and no list.
func TestEntriesOfTheFirstFormatAreRead(t *testing.T) {
	was := command{Decide: &decideCmd{Attempt: txn.Attempt{Node: 1, Seq: 7}, Commit: true, At: 9}}
	got, err := decodeEntry(txn.Encode(was))
	if err != nil || len(got) != 1 || got[0].Decide == nil || *got[0].Decide != *was.Decide {
		t.Errorf("it reads as %+v, %v", got, err)
	}
	for _, damaged := range [][]byte{{0xff}, {0xa1}, {0x81}, {0x82, 0xa0}} {
		if got, err := decodeEntry(damaged); err == nil {
			t.Errorf("%x reads as %+v", damaged, got)
		}
	}
}
