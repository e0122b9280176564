package raftgroup

import (
	"fmt"
	"testing"

	"isochron/store"
	"isochron/txn"
)

// A snapshot is sent completely, in chunks, as it was when it was offered; a request for another
// one is answered that it is gone; and it is kept as long as a member fetches it.
func TestASnapshotIsSentInChunks(t *testing.T) {
	engine := store.NewMem()
	put := func(key string, size int) {
		var b store.Batch
		b.Set([]byte(key), make([]byte, size))
		engine.Apply(&b)
	}
	for i := range 5 {
		put(fmt.Sprint("s", i), snapChunkBytes*2/3)
	}
	put("t", 1) // outside of it
	o := snapshotSender{lasts: 10}
	if o.nextWake() != txn.Never || o.expired(1<<40) || o.cut(7) != 7 || !o.answer(0, &txn.SnapFetch{Index: 5}).Gone {
		t.Error("it offers a snapshot that it does not have")
	}
	o.held = &outgoingSnapshot{index: 5, prefix: []byte("s"), snap: engine.Snapshot()}
	o.keep(1)
	put("s9", 1) // after it
	if o.cut(7) != 5 || o.cut(3) != 3 || !o.answer(5, &txn.SnapFetch{Index: 4}).Gone || o.nextWake() != 11 {
		t.Errorf("it may be cut up to %d and %d, and lasts until %v", o.cut(7), o.cut(3), o.nextWake())
	}
	var got []string
	for ask := (&txn.SnapFetch{Index: 5}); ; {
		c := o.answer(8, ask)
		if c.Gone || len(c.Keys) == 0 || len(c.Keys) > 2 {
			t.Fatalf("a piece has %d keys, gone %v", len(c.Keys), c.Gone)
		}
		for _, k := range c.Keys {
			got = append(got, string(k))
		}
		if ask.From = c.Next; c.Next == nil {
			break
		}
	}
	if want := "[0 1 2 3 4]"; fmt.Sprint(got) != want {
		t.Errorf("it has %v, want %v", got, want)
	}
	if o.expired(17) || !o.expired(18) {
		t.Errorf("it lasts until %v", o.nextWake())
	}
	o.drop()
	o.drop()
	if o.held != nil {
		t.Error("it is held still")
	}
}
