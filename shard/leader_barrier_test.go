package shard

import "testing"

// Without a lease an answer waits for a barrier that was proposed for it in the present term.
func TestALeaderIsConfirmedByItsOwnBarrier(t *testing.T) {
	leased, full, replies := false, false, ""
	var logged []uint64
	c := newLeaderBarrier(3, func() bool { return leased }, func(c command) bool {
		logged = append(logged, c.Barrier)
		return !full
	})
	say := func(s string) func() { return func() { replies += s } }
	c.then(say("a"))
	c.then(say("b"))
	if replies != "" || len(logged) != 2 || logged[0] == logged[1] {
		t.Fatalf("it said %q, and logged %v", replies, logged)
	}
	c.applied(logged[1], 2) // of the former leader
	c.applied(7, 3)
	if replies != "" {
		t.Errorf("a barrier that is not its own had it say %q", replies)
	}
	c.applied(logged[1], 3)
	c.applied(logged[1], 3)
	if replies != "b" {
		t.Errorf("its barrier had it say %q", replies)
	}
	full = true
	c.then(say("c"))
	c.applied(logged[2], 3)
	leased = true
	c.then(say("d"))
	if replies != "bd" || len(logged) != 3 {
		t.Errorf("with a full log and then a lease it said %q, and logged %v", replies, logged)
	}
}
