package shard

import (
	"slices"
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/store"
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

// Votes of one entry are restored in the order in which it has them.
func TestVotesOfOneEntryKeepTheirOrder(t *testing.T) {
	engine := store.NewMem()
	st, err := loadState(Config{ID: 1, Engine: engine}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []uint64
	for index := range uint64(2) {
		var b store.Batch
		st.applied.Index, st.applied.Term = index+1, 1
		for place := range 20 {
			seq := 1000*(index+1) + uint64(7*place%20) // in no order
			want = append(want, seq)
			st.apply(&b, place, command{Vote: &voteCmd{Attempt: txn.Attempt{Node: 1, Epoch: 1, Seq: seq}}}, 0)
		}
		st.putApplied(&b)
		engine.Apply(&b)
	}
	restored, err := loadState(Config{ID: 1, Engine: engine}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*state{st, restored} {
		var got []uint64
		for _, p := range s.byIndex() {
			got = append(got, p.Attempt.Seq)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the votes are in the order %v, want %v", got, want)
		}
	}
}

// What raft does not take is handed to it again, in order and before what comes later.
func TestWhatRaftDoesNotTakeWaits(t *testing.T) {
	p := proposals{}
	for i := range 5 {
		c := command{Barrier: uint64(i + 1)}
		p.next, p.bytes = append(p.next, c), p.bytes+c.bytes()
	}
	p.took(2)
	if len(p.next) != 3 || p.next[0].Barrier != 3 || p.next[2].Barrier != 5 || p.bytes != 3*p.next[0].bytes() {
		t.Errorf("%d bytes of %+v are left", p.bytes, p.next)
	}
	p.took(3)
	if len(p.next) != 0 || p.bytes != 0 {
		t.Errorf("%d bytes of %+v are left of nothing", p.bytes, p.next)
	}
}
