package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// ask is a request of transaction n in execution.
func ask(n uint64, c LockSet) *LockRequest {
	return &LockRequest{Phase: Execute, Txn: id(n), Age: age(n), LockSet: c, Deadline: time.Minute, Number: n}
}

// A request has one of five results, and the table's state agrees with it.
func TestAcquireResults(t *testing.T) {
	shared := LockSet{Shared: []txn.Key{"x"}}
	for _, c := range []struct {
		name   string
		policy Policy
		asks   uint64 // 5 holds row x, and
		voted  bool   // has voted
		change func(*LockRequest)
		want   string
		reason txn.AbortReason
		holds  bool // afterwards: the requester
	}{
		{"another row is free", WoundWait, 7, false, func(r *LockRequest) { r.LockSet = y }, "granted", 0, true},
		{"its own row is free", WoundWait, 5, false, nil, "granted", 0, true},
		{"an older one wounds others, and retries", WoundWait, 3, false, nil, "wounds", 0, false},
		{"and not if it will not wait", WoundWait, 3, false, func(r *LockRequest) { r.NoWait = true }, "refused", txn.ReasonNoWait, false},
		{"a younger one waits", WoundWait, 7, false, nil, "waits", 0, false},
		{"or will not", WoundWait, 7, false, func(r *LockRequest) { r.NoWait = true }, "refused", txn.ReasonNoWait, false},
		{"or only looks", WoundWait, 7, false, func(r *LockRequest) { r.DryRun = true }, "refused", txn.ReasonLockTimeout, false},
		{"or a dry run of a free row", WoundWait, 7, false, func(r *LockRequest) { r.LockSet, r.DryRun = y, true }, "granted", 0, false},
		{"a vote aborts because of an older holder", WoundWait, 7, true, func(r *LockRequest) { r.Phase = Prepare }, "refused", txn.ReasonLockConflict, false},
		{"and waits for a younger one", WoundWait, 3, true, func(r *LockRequest) { r.Phase = Prepare }, "waits", 0, false},
		{"or is granted, and has voted", WoundWait, 7, true, func(r *LockRequest) { r.Phase, r.LockSet = Prepare, y }, "granted", 0, true},
		{"or is barred, and does not", WoundWait, 7, true, func(r *LockRequest) { r.Phase, r.LockSet, r.RejectWith = Prepare, y, txn.ReasonLogFull }, "refused", txn.ReasonLogFull, false},
		{"barred or not it waits", WoundWait, 3, true, func(r *LockRequest) { r.Phase, r.RejectWith = Prepare, txn.ReasonLogFull }, "waits", 0, false},
		{"an unlocked read waits for a vote", Validate, 7, true, func(r *LockRequest) { r.Phase, r.LockSet = UnlockedRead, shared }, "waits", 0, false},
		{"and for no other holder, and locks nothing", Validate, 7, false, func(r *LockRequest) { r.Phase, r.LockSet = UnlockedRead, shared }, "granted", 0, false},
		{"so does a vote on reads alone", Validate, 7, false, func(r *LockRequest) { r.Phase, r.LockSet = ReadOnly, shared }, "granted", 0, false},
	} {
		tab := NewTable(c.policy, HotRowConfig{}, &eventLog{})
		tab.grant(0, id(5), age(5), x).Voted = c.voted
		r := ask(c.asks, x)
		if c.change != nil {
			c.change(r)
		}
		e := tab.Acquire(0, r)
		got := "granted"
		switch {
		case e.Again:
			got = "wounds"
		case e.Refused.Refused():
			got = "refused"
		case e.Waits != nil:
			got = "waits"
		}
		h := tab.Holder(id(c.asks))
		holds := h != nil && (len(h.keys) == 1 && h.keys[0] == r.Exclusive[0])
		if got != c.want || e.Refused.Reason != c.reason || e.Granted() != (got == "granted") || (c.holds && !holds || !c.holds && h != nil) {
			t.Errorf("%s: result %s, %+v, holder %+v", c.name, got, e, h)
		}
		if c.want == "granted" && c.holds && h.Voted != (r.Phase == Prepare || c.voted && c.asks == 5) {
			t.Errorf("%s: voted: %v", c.name, h.Voted)
		}
		if waits := tab.Waiting() == 1; waits != (c.want == "waits") || waits && e.BlockedBy != id(5) {
			t.Errorf("%s: %d waiting, blocked by %v", c.name, tab.Waiting(), e.BlockedBy)
		}
	}
}

// A request for one row waits in its queue, one for several behind the holder; both record the row
// concerned.
func TestQueueOrHolderWait(t *testing.T) {
	tab := NewTable(WoundWait, HotRowConfig{}, nil)
	tab.grant(0, id(1), age(1), x)
	vote := ask(9, x)
	vote.Phase = UnlockedRead
	tab.Holder(id(1)).Voted = true
	for _, c := range []struct {
		r      *LockRequest
		queue  txn.Key
		behind string
	}{
		{ask(2, x), "x", "in the queue of its row"},
		{ask(3, LockSet{Exclusive: []txn.Key{"w", "x"}}), "", "behind the holder, for two rows"},
		{ask(4, LockSet{Shared: x.Exclusive, Spans: []txn.Span{{Start: "a", End: "b"}}}), "", "behind the holder, for a range too"},
		{vote, "", "behind the holder, for it only looks"},
	} {
		w := tab.Acquire(0, c.r).Waits
		if w == nil || w.Key != c.queue || w.Near != "x" || (w.on == nil) != (c.queue != "") {
			t.Errorf("%v waits %s: %+v", c.r.Txn, c.behind, w)
		}
	}
}

// The reason of an ended wait names the phase of the request, and how it ended.
func TestReasonOfAnEndedWait(t *testing.T) {
	for _, c := range []struct {
		phase                    Phase
		timedOut, aborted, cycle txn.AbortReason
	}{
		{UnlockedRead, txn.ReasonLockTimeout, txn.ReasonWounded, txn.ReasonDistributedDeadlock},
		{ReadOnly, txn.ReasonWriterTimeout, txn.ReasonWriterTimeout, txn.ReasonDistributedDeadlock},
		{Execute, txn.ReasonLockTimeout, txn.ReasonWounded, txn.ReasonDistributedDeadlock},
		{Prepare, txn.ReasonPrepareTimeout, txn.ReasonPrepareTimeout, txn.ReasonDistributedDeadlock},
		{ChainOrder, txn.ReasonChainTimeout, txn.ReasonChainAborted, txn.ReasonDistributedDeadlock},
	} {
		for ending, want := range map[WaitResult]txn.AbortReason{TimedOut: c.timedOut, Cancelled: c.aborted, Deadlocked: c.cycle} {
			var got txn.Refusal
			w := Waiter{phase: c.phase, blockedBy: id(5), Refuse: func(reason txn.Refusal) { got = reason }}
			w.Expire(ending)
			if got.Reason != want || got.ConflictingTxn != id(5) {
				t.Errorf("phase %d, ending %d: %+v, not %d", c.phase, ending, got, want)
			}
		}
	}
}

// A request beyond MaxWaiters does not wait, and is refused like a timed-out one.
func TestWaitersAreBounded(t *testing.T) {
	tab := NewTable(WoundWait, HotRowConfig{}, nil)
	tab.grant(0, id(1), age(1), x)
	for range MaxWaiters {
		if e := tab.Acquire(0, ask(2, x)); e.Waits == nil {
			t.Fatalf("within the bound a request did not wait: %+v", e)
		}
	}
	if e := tab.Acquire(0, ask(3, x)); e.Waits != nil || e.Refused.Reason != txn.ReasonLockTimeout || e.Refused.ConflictingTxn != id(1) {
		t.Errorf("%+v", e)
	}
}

// A vote waits for its predecessors in the chain, unless they wait for it.
func TestVotesFollowTheChain(t *testing.T) {
	tab := hotX(DetectGroup, HotRowConfig{})
	turn := func(n uint64) LockResult {
		return tab.Acquire(0, &LockRequest{Phase: ChainOrder, Txn: id(n), Age: age(n), Deadline: time.Minute,
			Attempt: row("x", "", n).Version, Writes: []txn.Write{{Key: "x", Value: []byte("5")}}})
	}
	take(t, tab, 5)
	pass(t, tab, 5, "5")
	take(t, tab, 6)
	if e := turn(5); !e.Granted() {
		t.Errorf("no predecessor: %+v", e)
	}
	if e := turn(6); e.Waits == nil || e.BlockedBy != id(5) {
		t.Errorf("predecessor 5: %+v", e)
	}
	tab.grant(0, id(6), age(6), y)
	tab.waits.take(id(6))
	tab.waits.enter(0, tab.Holder(id(6)), &Waiter{Txn: id(5), Age: age(5), Deadline: time.Minute})
	if e := turn(6); e.Refused.Reason != txn.ReasonChainDeadlock {
		t.Errorf("5 waits for it: want a refusal, got %+v", e)
	}
}

// A vote publishes rows that it held already, not those it locks only now, and nothing if all its
// writes are revealed with it.
func TestAVotePublishesHeldRows(t *testing.T) {
	writes := []txn.Write{{Key: "x", Value: []byte("5")}, {Key: "y", Value: []byte("5")}}
	for _, passes := range []bool{true, false} {
		tab := hotX(WoundWaitGroup, HotRowConfig{})
		world := &eventLog{}
		tab.events = world
		take(t, tab, 5)
		r := &LockRequest{Phase: Prepare, Txn: id(5), Age: age(5), LockSet: LockSet{Exclusive: []txn.Key{"x", "y"}}}
		if passes {
			r.Attempt, r.Writes = txn.Attempt{Node: 1, Seq: 5}, writes
		}
		e := tab.Acquire(0, r)
		last, ok := tab.Last("x", id(7))
		if !e.Granted() || ok != passes || slices.Equal(world.events, []string{"5 passes on"}) != passes || passes && last.Version != r.Attempt {
			t.Errorf("%+v; last published value %v, %v", e, last, ok)
		}
	}
}

// A new leader restores votes in log order; of two that conflict the earlier had released its
// locks.
func TestRestoreInLogOrder(t *testing.T) {
	tab := NewTable(WoundWait, HotRowConfig{}, nil)
	var freed []txn.ID
	early := func(id txn.ID) {
		freed = append(freed, id)
		tab.locks.release(0, id)
	}
	tab.Restore(0, id(9), age(9), x, early)
	tab.Restore(0, id(2), age(2), y, early)
	tab.Restore(0, id(4), age(4), x, early)
	if !slices.Equal(freed, []txn.ID{id(9)}) || len(tab.Holders()) != 2 || !tab.Holder(id(4)).Voted {
		t.Errorf("released early: %v; %d holders", freed, len(tab.Holders()))
	}
}
