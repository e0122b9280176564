package yield

import (
	"testing"

	"isochron/txn"
)

func part(s txn.ShardID, arrives int64, keys ...txn.Key) txn.FixedSetPart {
	return txn.FixedSetPart{Shard: s, Writes: keys, Arrives: arrives}
}

// A high-priority prepare assumes the abort of a voted low-priority one that it should
// priority-abort at another shard, by the estimates of both requests; else it waits.
func TestAssumptionsOfAVote(t *testing.T) {
	elsewhere := []txn.FixedSetPart{part(3, 15, "x")}
	for _, c := range []struct {
		name      string
		policy    Policy
		low       QueuedPrepare // voted, with arrival time 20
		stamp     int64         // of the high-priority one
		elsewhere []txn.FixedSetPart
		waiter    bool // another waits for the row before it
		ok        bool
	}{
		{name: "it is voted on first elsewhere", low: QueuedPrepare{Ends: 100, OtherShardParts: elsewhere}, stamp: 30, elsewhere: elsewhere, ok: true},
		{name: "another policy", policy: InArrivalOrderPreempting, low: QueuedPrepare{Ends: 100, OtherShardParts: elsewhere}, stamp: 30, elsewhere: elsewhere},
		{name: "it arrives when that is voted on", low: QueuedPrepare{Ends: 100, OtherShardParts: elsewhere}, stamp: 30, elsewhere: []txn.FixedSetPart{part(3, 20, "x")}},
		{name: "another row there", low: QueuedPrepare{Ends: 100, OtherShardParts: elsewhere}, stamp: 30, elsewhere: []txn.FixedSetPart{part(3, 15, "y")}},
		{name: "another shard", low: QueuedPrepare{Ends: 100, OtherShardParts: elsewhere}, stamp: 30, elsewhere: []txn.FixedSetPart{part(4, 15, "x")}},
		{name: "it reads there what that reads", low: QueuedPrepare{Ends: 100, OtherShardParts: []txn.FixedSetPart{{Shard: 3, Reads: []txn.Key{"x"}}}}, stamp: 30,
			elsewhere: []txn.FixedSetPart{{Shard: 3, Reads: []txn.Key{"x"}, Arrives: 15}}},
		{name: "that is of high priority", low: QueuedPrepare{High: true, Ends: 100, OtherShardParts: elsewhere}, stamp: 30, elsewhere: elsewhere},
		{name: "that should have ended by then", low: QueuedPrepare{Ends: 30, OtherShardParts: elsewhere}, stamp: 30, elsewhere: elsewhere},
		{name: "that has a later stamp", low: QueuedPrepare{Ends: 100, OtherShardParts: elsewhere}, stamp: 10, elsewhere: elsewhere},
		{name: "another waits for the row", low: QueuedPrepare{Ends: 100, OtherShardParts: elsewhere}, stamp: 30, elsewhere: elsewhere, waiter: true},
	} {
		if c.policy.Name == "" {
			c.policy = InArrivalOrderConditional
		}
		s := newTimestampTable(c.policy)
		c.low.Txn, c.low.Attempt, c.low.ArrivalTime = txn.ID{Node: 1, Seq: 1}, txn.Attempt{Seq: 1}, 20
		s.held["a"] = c.low.Txn
		s.q.Voted(c.low)
		lockSet := LockSet{Exclusive: []txn.Key{"a"}}
		if c.waiter {
			s.q.Wait(&QueuedPrepare{Txn: txn.ID{Node: 1, Seq: 3}, ArrivalTime: 25, High: true, LockSet: lockSet})
		}
		high := &QueuedPrepare{Txn: txn.ID{Node: 1, Seq: 2}, ArrivalTime: c.stamp, High: true, LockSet: lockSet, OtherShardParts: c.elsewhere}
		if on, ok := s.q.AssumptionsOf(high); ok != c.ok || ok && (len(on) != 1 || on[0].Attempt != c.low.Attempt) {
			t.Errorf("%s: %v, assumes %+v", c.name, ok, on)
		}
		high.High = false
		if _, ok := s.q.AssumptionsOf(high); ok {
			t.Errorf("%s: low priority assumes an abort", c.name)
		}
	}
}

// A priority abort is recorded with the high-priority prepare, whichever came first.
func TestPriorityAbortsAreRecorded(t *testing.T) {
	s := newTimestampTable(InArrivalOrderConditional)
	first := s.enter(0, 20, 1, false, "a")
	high := s.enter(1, 30, 2, true, "a")
	then := s.enter(2, 25, 3, false, "a")
	s.enter(2, 35, 4, false, "a")
	s.enter(2, 25, 5, false, "b")
	if got := high.PriorityAborted; len(got) != 2 || got[0] != first.Attempt || got[1] != then.Attempt {
		t.Errorf("recorded %v", got)
	}
}
