package shard

import (
	"fmt"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/txn"
	"isochron/yield"
)

// A batch is validated when the last transaction that has read here has sent its prepare or has
// ended, or at a tick; a vote may abort one that would precede it.
func TestPreparesAreValidatedWhenComplete(t *testing.T) {
	cfg := &Config{Env: &quiet{}, Spec: protocol.Spec{Yield: yield.Policy{Batches: true}}}
	over, replies := map[txn.Attempt]bool{}, ""
	g := &prepareBatcher{yield.NewBatches(10, time.Second), cfg, func(a txn.Attempt) bool { return over[a] }}
	put := func(seq uint64, key txn.Key, ends uint64) {
		p := &txn.Prepare{Attempt: txn.Attempt{Seq: seq}, Txn: id(seq), Age: txn.Age{Start: txn.Timestamp(seq)}, Writes: []txn.Write{{Key: key}}}
		g.gather(yield.BatchedPrepare{Prepare: p, Refuse: func(reason txn.Refusal) {
			replies += fmt.Sprintf("-%d:%v ", seq, reason.Reason == txn.ReasonBatchConflict)
		}, Retry: func() {
			replies += fmt.Sprintf("+%d ", seq)
			over[txn.Attempt{Seq: ends}] = true
		}})
	}
	want := func(s string) {
		t.Helper()
		if replies != s {
			t.Errorf("said %q, want %q", replies, s)
		}
		replies = ""
	}
	for seq := range uint64(4) {
		g.reads(&txn.Access{Txn: id(seq + 1)})
	}
	g.reads(&txn.Access{Txn: id(9), OnlyRead: true}) // sends no prepare
	put(2, "a", 3)
	put(3, "b", 0)
	put(4, "a", 0)
	want("")
	g.leaves(id(1))
	want("-4:true +2 ")
	g.reads(&txn.Access{Txn: id(7)})
	put(6, "c", 0)
	want("")
	g.tick(0)
	want("+6 ")
	cfg.Spec.Yield.Batches = false
	g.reads(&txn.Access{Txn: id(8)})
	g.tick(2 * time.Second)
	put(10, "c", 0)
	want("+10 ")
}
