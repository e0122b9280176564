package shard

import (
	"testing"
	"time"

	"isochron/txn"
	"isochron/yield"
)

// arrivalHarness is a harness with an arrival queue; its wall clock shows 100 s, its monotonic one
// 1 s.
func arrivalHarness(t *testing.T, row string) harness {
	t.Helper()
	c := newHarness(t, row)
	c.world.now.WallNanos = int64(100 * time.Second)
	c.prepareHandler.arrivalQueue = yield.NewArrivalQueue(c.prepareHandler.cfg.Spec.Yield, c.prepareHandler.locks.votersOf, nil)
	c.prepareHandler.locks.arrivalQueue, c.prepareHandler.known.arrivals = c.prepareHandler.arrivalQueue, c.prepareHandler.arrivalQueue
	return c
}

// preparesFixedSet returns a Prepare that reads a row and may write it, with an arrival time so
// many milliseconds from now.
func (c *harness) preparesFixedSet(seq uint64, millis int, high bool, key txn.Key, elsewhere ...txn.FixedSetPart) *txn.Prepare {
	p := asksFor(seq, key)
	p.Writes[0].Value = nil
	stamp := c.world.now.WallNanos + int64(millis)*int64(time.Millisecond)
	p.FixedSet = &txn.FixedSet{Reads: []txn.Key{key}, ArrivalTime: stamp, Ends: stamp + int64(time.Second), Parts: elsewhere}
	if high {
		p.Age.Priority = txn.PriorityHigh
	}
	c.prepareHandler.queueOrRefuse(2, p, arrival{Now: c.world.now})
	return p
}

// pass advances both clocks.
func (c *harness) pass(millis int) {
	d := time.Duration(millis) * time.Millisecond
	c.world.now.Mono, c.world.now.WallNanos = c.world.now.Mono+d, c.world.now.WallNanos+int64(d)
	c.prepareHandler.arrivalQueue.ProcessDue(c.world.now.Mono)
}

// votes returns the attempts whose votes the log has.
func (c *harness) votes() (out []uint64) {
	for _, x := range c.paper.commands {
		if x.Vote != nil {
			out = append(out, x.Vote.Attempt.Seq)
		}
	}
	return out
}

func (c *harness) wantVotes(t *testing.T, when string, want ...uint64) {
	t.Helper()
	got := c.votes()
	same := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		same = same && got[i] == want[i]
	}
	if !same {
		t.Errorf("%s: votes of %v, not %v", when, got, want)
	}
}

// A prepare is queued until its arrival time has passed here, and for no longer than holdMost
// whatever the arrival time is.
func TestAVoteIsHeldBack(t *testing.T) {
	c := arrivalHarness(t, "natto-ts")
	c.preparesFixedSet(1, 30, false, "a")
	c.preparesFixedSet(2, 20, false, "b")
	c.preparesFixedSet(3, 3_600_000, false, "c")
	c.pass(19)
	c.wantVotes(t, "before any")
	c.pass(11)
	c.wantVotes(t, "in the order of stamps", 2, 1)
	c.pass(int(holdMost/time.Millisecond) - 31)
	c.wantVotes(t, "before it was here for too long", 2, 1)
	c.pass(1)
	c.wantVotes(t, "after that", 2, 1, 3)
}

// A prepare received after its arrival time is counted; one of high priority is refused where it
// would have to wait.
func TestALatePrepareIsCounted(t *testing.T) {
	c := arrivalHarness(t, "natto-ts")
	c.preparesFixedSet(1, 10, true, "a")
	c.pass(10)
	c.preparesFixedSet(2, -1, true, "a")
	c.preparesFixedSet(3, -1, true, "b")
	c.wantVotes(t, "late ones", 1, 3)
	if c.prepareHandler.counts.Late != 2 || c.world.all[1].Vote == nil || c.world.all[1].Vote.Yes {
		t.Errorf("%d came late, %+v is said", c.prepareHandler.counts.Late, c.world.all)
	}
}

// A prepare of high priority waits for a prepared transaction and is voted on when that has ended;
// its deadline is kept.
func TestHighPriorityWaitsAtItsShard(t *testing.T) {
	c := arrivalHarness(t, "natto-ts")
	first := c.preparesFixedSet(1, 10, false, "a")
	c.preparesFixedSet(2, 20, true, "a")
	c.preparesFixedSet(3, 30, true, "a")
	c.pass(30)
	c.wantVotes(t, "while it is held", 1)
	c.prepareHandler.locks.release(first.Txn, false)
	c.wantVotes(t, "when it is free", 1, 2)
	c.pass(int((holdMost + c.prepareHandler.cfg.Params.LockWait) / time.Millisecond))
	if c.prepareHandler.arrivalQueue.Len() != 0 {
		t.Error("a prepare waits beyond its deadline")
	}
}

// A prepare of low priority does not wait: it is refused because of a prepared transaction, or of a
// waiting prepare that precedes it.
func TestLowPriorityIsPreemptedAtItsShard(t *testing.T) {
	c := arrivalHarness(t, "natto-ts")
	first := c.preparesFixedSet(1, 10, false, "a")
	c.preparesFixedSet(2, 20, false, "a")
	c.preparesFixedSet(3, 25, true, "a")
	c.pass(30)
	if n := c.prepareHandler.arrivalQueue.Len(); n != 1 {
		t.Errorf("%d wait, and one of high priority should", n)
	}
	c.prepareHandler.locks.End(0, first.Txn, true) // and no transaction retries yet
	c.preparesFixedSet(4, 10, false, "a")
	c.pass(10)
	c.wantVotes(t, "one is preempted by a waiting prepare, which triggers retries", 1, 3)
}

// A prepare is late before its arrival time has passed if one with a larger arrival time was voted
// on first.
func TestAnOvertakenPrepareIsLate(t *testing.T) {
	c := arrivalHarness(t, "natto-ts")
	c.preparesFixedSet(1, 20, true, "a")
	c.pass(20)
	c.world.now.WallNanos -= int64(15 * time.Millisecond) // the clock was set back
	c.preparesFixedSet(2, 10, true, "b")
	if c.prepareHandler.counts.Late != 1 {
		t.Errorf("%d are late", c.prepareHandler.counts.Late)
	}
}

// The entry of a vote names the transactions preempted for it, and assumes the abort of prepared
// ones that should be preempted at another shard.
func TestAVoteNamesItsDependencies(t *testing.T) {
	c := arrivalHarness(t, "natto-cp")
	now := c.world.now.WallNanos
	elsewhere := txn.FixedSetPart{Shard: 7, Reads: []txn.Key{"x"}, Writes: []txn.Key{"x"}, Arrives: now + 1}
	c.preparesFixedSet(1, 10, false, "a", elsewhere)
	c.pass(10)
	c.preparesFixedSet(3, 20, true, "a", elsewhere)
	c.pass(20)
	c.wantVotes(t, "beside", 1, 3)
	v := c.paper.commands[1].Vote
	if v.FixedSet.ArrivalTime == 0 || v.FixedSet.Parts != nil {
		t.Errorf("the log has the 2FI parts %+v", v.FixedSet)
	}
	if len(v.AssumesAborted) != 1 || v.AssumesAborted[0].Seq != 1 {
		t.Errorf("it assumes the abort of %v", v.AssumesAborted)
	}
	if h := c.prepareHandler.locks.Holder(id(3)); h == nil || !h.Voted || c.prepareHandler.locks.Holder(id(1)) != nil {
		t.Error("its lock is not taken over")
	}

	c = arrivalHarness(t, "natto-cp")
	c.preparesFixedSet(1, 10, false, "a")
	c.pass(10)
	c.preparesFixedSet(3, 20, true, "a", elsewhere)
	c.pass(20)
	c.wantVotes(t, "where one has this part alone", 1)

	c = arrivalHarness(t, "natto-cp")
	c.preparesFixedSet(1, 10, false, "a")
	c.preparesFixedSet(2, 20, true, "a")
	c.pass(20)
	if v := c.paper.commands[0].Vote; v.Attempt.Seq != 2 || len(v.PriorityAborted) != 1 || v.PriorityAborted[0].Seq != 1 {
		t.Errorf("the vote is %+v", v)
	}
}

// The read of a waiting prepare is forwarded once, with the rows as they are without the write that
// it waits for; then no prepare with a smaller arrival time precedes it.
func TestAReadIsForwarded(t *testing.T) {
	c := arrivalHarness(t, "natto-recsf")
	c.preparesFixedSet(1, 10, false, "old")
	c.pass(10)
	c.preparesFixedSet(2, 20, true, "old")
	c.pass(20)
	var sent []*txn.Forward
	for _, m := range c.world.all {
		if m.Forward != nil {
			sent = append(sent, m.Forward)
		}
	}
	if len(sent) != 1 || sent[0].Attempt.Seq != 1 || sent[0].Reader.Seq != 2 || len(sent[0].Rows) != 1 || string(sent[0].Rows[0].Value) != "v" {
		t.Fatalf("forwarded: %+v", sent)
	}
	c.prepareHandler.locks.End(0, id(1), true) // and no transaction retries yet
	c.preparesFixedSet(3, -5, false, "z")
	c.wantVotes(t, "a late one for another row", 1, 3)
	c.preparesFixedSet(4, -5, true, "old")
	c.wantVotes(t, "one that would precede the forwarded read is refused", 1, 3, 2)
}
