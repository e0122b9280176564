package yield

import (
	"testing"

	"isochron/txn"
)

// A read is forwarded to the coordinator of the only conflicting transaction, if that has voted.
func TestForwardTo(t *testing.T) {
	s := newTimestampTable(InArrivalOrder)
	s.enter(0, 10, 1, true, "a")
	s.enter(0, 12, 2, true, "b")
	s.q.ProcessDue(12)
	high := s.enter(12, 20, 3, true, "a")
	both := s.enter(12, 21, 4, true, "b", "c")
	s.held["c"] = txn.ID{Node: 8}
	low := &QueuedPrepare{Txn: txn.ID{Node: 1, Seq: 5}, ArrivalTime: 30, LockSet: high.LockSet}
	s.q.ProcessDue(30)
	if on, ok := s.q.ForwardTo(high); !ok || on.Attempt != (txn.Attempt{Seq: 1}) {
		t.Errorf("forwarded to %+v, %v", on, ok)
	}
	if _, ok := s.q.ForwardTo(both); ok {
		t.Error("the read of one that waits for two is forwarded")
	}
	behind := *high
	behind.Txn.Seq, behind.ArrivalTime = 6, 25
	if _, ok := s.q.ForwardTo(&behind); ok {
		t.Error("the read of one that waits behind another is forwarded")
	}
	if _, ok := s.q.ForwardTo(low); ok {
		t.Error("the read of low priority is forwarded")
	}
	high.Forwarded = true
	if _, ok := s.q.ForwardTo(high); ok {
		t.Error("a read is forwarded twice")
	}
	s.q.Cancel(both.Attempt)
	s.held["a"] = txn.ID{Node: 9}
	high.Forwarded = false
	if _, ok := s.q.ForwardTo(high); ok {
		t.Error("a read is forwarded to a transaction without an arrival time")
	}
}

// No transaction that would precede a prepare whose read was forwarded is accepted; one that
// follows is.
func TestBetweenRejectsPredecessors(t *testing.T) {
	s := newTimestampTable(InArrivalOrder)
	s.enter(0, 10, 1, true, "a")
	s.q.ProcessDue(10)
	waits := s.enter(10, 20, 2, true, "a", "b")
	s.q.ProcessDue(20)
	lockSet := LockSet{Exclusive: []txn.Key{"b"}}
	other := func(stamp int64) *QueuedPrepare {
		return &QueuedPrepare{Txn: txn.ID{Node: 1, Seq: 9}, ArrivalTime: stamp}
	}
	if s.q.Between(&lockSet, other(15)) != nil {
		t.Error("a prepare is rejected though nothing was forwarded")
	}
	waits.Forwarded = true
	for _, c := range []struct {
		name    string
		lockSet LockSet
		i       *QueuedPrepare
		gives   bool
	}{
		{"a smaller stamp", lockSet, other(15), true},
		{"a larger stamp", lockSet, other(25), false},
		{"another row", LockSet{Exclusive: []txn.Key{"c"}}, other(15), false},
		{"no arrival time: the waiter precedes it anyhow", lockSet, nil, false},
		{"itself", waits.LockSet, waits, false},
	} {
		if w := s.q.Between(&c.lockSet, c.i); (w != nil) != c.gives {
			t.Errorf("%s: %+v", c.name, w)
		}
	}
}
