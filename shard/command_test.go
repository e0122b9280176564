package shard

import (
	"reflect"
	"slices"
	"testing"

	"isochron/store"
	"isochron/txn"
)

// An entry of format 1 is one command, not a list.
func TestEntriesOfTheFirstFormatAreRead(t *testing.T) {
	was := command{Decide: &decideCmd{Attempt: txn.Attempt{Node: 1, Seq: 7}, Commit: true, At: 9}}
	got, err := decodeEntry(txn.Encode(was))
	if err != nil || len(got) != 1 || got[0].Decide == nil || !reflect.DeepEqual(got[0].Decide, was.Decide) {
		t.Errorf("it reads as %+v, %v", got, err)
	}
	for _, damaged := range [][]byte{{0xff}, {0xa1}, {0x81}, {0x82, 0xa0}} {
		if got, err := decodeEntry(damaged); err == nil {
			t.Errorf("%x reads as %+v", damaged, got)
		}
	}
}

// Votes of one entry are restored in the entry's order.
func TestVotesOfOneEntryKeepTheirOrder(t *testing.T) {
	engine := store.NewMem()
	st, err := loadState(Config{ID: 1, Engine: engine}, []byte("s"), 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []uint64
	for index := range uint64(2) {
		var b store.Batch
		st.applied.Index, st.applied.Term = index+1, 1
		for place := range 20 {
			seq := 1000*(index+1) + uint64(7*place%20) // not sorted
			want = append(want, seq)
			st.apply(&b, place, command{Vote: &voteCmd{Attempt: txn.Attempt{Node: 1, Epoch: 1, Seq: seq}}}, 0)
		}
		st.putApplied(&b)
		engine.Apply(&b)
	}
	restored, err := loadState(Config{ID: 1, Engine: engine}, []byte("s"), 0)
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
