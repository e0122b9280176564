package node

import (
	"testing"
	"time"

	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

const ms = time.Millisecond

// sleeper is a node that leads its shard, alone, and to which nothing happens any more;
// now is when it was woken last. Its ticks are counted from 3 ms.
func sleeper(t *testing.T) (n *Node, now txn.Now) {
	t.Helper()
	n, err := alone(t, store.NewMem(), routing.Protocol{})
	if err != nil {
		t.Fatal(err)
	}
	now.Mono = 3 * ms
	for range 100 {
		n.Wake(now)
		out := n.Drain()
		for out.SyncToken != 0 {
			n.Synced(now, out.SyncToken)
			out = n.Drain()
		}
		now.Mono = out.WakeAt
	}
	if len(n.Leads()) != 1 {
		t.Fatal("it does not lead")
	}
	n.Wake(now)
	return n, now
}

// An idle node sleeps for long, and is woken at its ticks.
func TestAnIdleNodeSleeps(t *testing.T) {
	n, now := sleeper(t)
	began := now.Mono
	for range 50 {
		at := n.Drain().WakeAt
		if slept := at - now.Mono; slept < 10*ms || slept > longestSleep+10*ms || (at-3*ms)%(10*ms) != 0 {
			t.Fatalf("woken at %v it sleeps until %v", now.Mono, at)
		}
		now.Mono = at
		n.Wake(now)
	}
	if took := now.Mono - began; took < 4*time.Second {
		t.Errorf("it was woken 50 times in %v", took)
	}
	if w := n.TimerStats(); w.Overdue > 0 {
		t.Errorf("%+v", w)
	}
}

// After an event timers are checked at the next tick, and not sooner.
func TestAnEventIsFollowedByATick(t *testing.T) {
	n, now := sleeper(t)
	idle := n.Drain().WakeAt
	looked, tick := n.TimerStats().Looked, now.Mono+10*ms
	now.Mono += 4 * ms
	n.Deliver(now, &txn.Envelope{From: 2, To: 1, Msg: txn.Message{TxnStatusQuery: &txn.TxnStatusQuery{Shard: 1}}})
	if at := n.Drain().WakeAt; at != tick {
		t.Fatalf("an event before the tick of %v has it wake at %v (idle: %v)", tick, at, idle)
	}
	now.Mono += 3 * ms
	n.Wake(now)
	if at := n.Drain().WakeAt; at != tick || n.TimerStats().Looked != looked {
		t.Fatalf("woken too early it checks its timers, or loses the tick: %v", at)
	}
	now.Mono = tick
	n.Wake(now)
	if at := n.Drain().WakeAt; at <= tick+10*ms || n.TimerStats().Looked != looked+1 {
		t.Fatalf("after the tick it wakes at %v, and has looked %d times", at, n.TimerStats().Looked-looked)
	}
}

// A part whose next time has passed is polled at each tick, and counted.
func TestAnOverduePartIsPolledAtTicks(t *testing.T) {
	n, now := sleeper(t)
	n.protocolSwitch.toEnd = make([]txn.ID, 1) // which nothing ends
	for i := range 3 {
		n.timers.looked, n.timers.fresh, n.timers.asked, n.timers.pollAt = now.Mono, true, false, txn.Never
		if at := n.wakeAt(); at != now.Mono+10*ms {
			t.Fatalf("it wakes %v later", at-now.Mono)
		}
		if got := n.TimerStats().Overdue; got != uint64(i) {
			t.Errorf("%d times overdue after %d looks", got, i)
		}
		now.Mono += 10 * ms
	}
}
