package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// ofPriority is the age of the nth transaction, of high priority or low, under a policy.
func ofPriority(p Policy, n uint64, high bool) txn.Age {
	a := age(n)
	if high {
		a.Priority = txn.PriorityHigh
	}
	return p.Priority.Of(a)
}

// abortLog records the aborted transactions.
type abortLog struct{ ids []txn.ID }

func (u *abortLog) TxnAborted(victim, _ txn.ID, _ bool) { u.ids = append(u.ids, victim) }
func (*abortLog) LocksReleased(txn.ID, time.Duration)   {}
func (*abortLog) Published(txn.ID)                      {}

// A younger high-priority request against an older low-priority holder, under each rule.
func TestPriorityRules(t *testing.T) {
	for _, c := range []struct {
		name         string
		policy       Policy
		waits, voted bool // the holder
		holderHigh   bool
		wounds, asks bool // the requester
	}{
		{name: "alike: ages count", policy: WoundWaitAlike, asks: true},
		{name: "preempting: low aborts", policy: WoundWaitPreempting, wounds: true},
		{name: "preempting: high is older or younger", policy: WoundWaitPreempting, holderHigh: true, asks: true},
		{name: "preempting: not a voted holder", policy: WoundWaitPreempting, voted: true, asks: true},
		{name: "on wait: not a holder that does not wait", policy: WoundWaitOnWait, asks: true},
		{name: "on wait: a waiting holder aborts", policy: WoundWaitOnWait, waits: true, wounds: true},
		{name: "on wait: not of high priority", policy: WoundWaitOnWait, waits: true, holderHigh: true, asks: true},
	} {
		u := &abortLog{}
		table := NewTable(c.policy, HotRowConfig{}, u)
		old := ofPriority(c.policy, 2, c.holderHigh)
		table.grant(0, id(2), old, LockSet{Exclusive: []txn.Key{"x"}}).Voted = c.voted
		if c.waits {
			table.grant(0, id(1), ofPriority(c.policy, 1, true), LockSet{Exclusive: []txn.Key{"y"}})
			e := table.Acquire(0, &LockRequest{Phase: Execute, Txn: id(2), Age: old, LockSet: LockSet{Exclusive: []txn.Key{"y"}}, Deadline: time.Second})
			if e.Waits == nil {
				t.Fatalf("%s: the holder does not wait", c.name)
			}
			e.Waits.Refuse = func(txn.Refusal) {}
		}
		e := table.Acquire(0, &LockRequest{Phase: Execute, Txn: id(3), Age: ofPriority(c.policy, 3, true), LockSet: LockSet{Exclusive: []txn.Key{"x"}}, Deadline: time.Second})
		if e.Again != c.wounds || (e.Waits != nil) != c.asks || len(u.ids) == 1 != c.wounds {
			t.Errorf("%s: got %+v, aborted %v", c.name, e, u.ids)
		}
	}
}

// Where a preempting high-priority request has to wait, the low-priority waiters before it in the
// row's queue that began before it abort, and no others.
func TestWaitersArePreempted(t *testing.T) {
	u := &abortLog{}
	p := WoundWaitPreempting
	table := NewTable(p, HotRowConfig{}, u)
	table.grant(0, id(1), ofPriority(p, 1, false), LockSet{Exclusive: []txn.Key{"x", "z"}}).Voted = true
	var refused []uint64
	wait := func(n uint64, high, exclusive bool, keys ...txn.Key) *LockResult {
		c := LockSet{Shared: keys}
		if exclusive {
			c = LockSet{Exclusive: keys}
		}
		e := table.Acquire(0, &LockRequest{Phase: Execute, Txn: id(n), Age: ofPriority(p, n, high), LockSet: c, Deadline: time.Second})
		if e.Waits != nil {
			e.Waits.Refuse = func(reason txn.Refusal) { refused = append(refused, n) }
		}
		return &e
	}
	wait(2, false, true, "x")      // before it
	wait(3, false, true, "x", "w") // before it, for several rows
	wait(4, true, true, "x")       // aborts 2 and 3 on arrival
	if want := []txn.ID{id(2), id(3)}; !slices.Equal(u.ids, want) || !slices.Equal(refused, []uint64{2, 3}) {
		t.Fatalf("aborted %v, refused %v", u.ids, refused)
	}
	wait(4, true, true, "x")
	wait(5, false, false, "z") // reads, as 7 does: no conflict
	wait(9, false, true, "z")  // began after it
	wait(6, false, true, "v")  // granted
	if e := wait(7, true, false, "z"); e.Waits == nil || len(u.ids) != 2 {
		t.Errorf("got %+v, aborted %v", e, u.ids)
	}
}
