package shard

import "testing"

// Without a lease an answer waits for a barrier that was proposed for it in the present term.
func TestALeaderIsConfirmedByItsOwnBarrier(t *testing.T) {
	leased, full, said := false, false, ""
	var logged []uint64
	c := newLeaderBarrier(3, func() bool { return leased }, func(c command) bool {
		logged = append(logged, c.Barrier)
		return !full
	})
	say := func(s string) func() { return func() { said += s } }
	c.then(say("a"))
	c.then(say("b"))
	if said != "" || len(logged) != 2 || logged[0] == logged[1] {
		t.Fatalf("it said %q, and logged %v", said, logged)
	}
	c.applied(logged[1], 2) // of the former leader
	c.applied(7, 3)
	if said != "" {
		t.Errorf("a barrier that is not its own had it say %q", said)
	}
	c.applied(logged[1], 3)
	c.applied(logged[1], 3)
	if said != "b" {
		t.Errorf("its barrier had it say %q", said)
	}
	full = true
	c.then(say("c"))
	c.applied(logged[2], 3)
	leased = true
	c.then(say("d"))
	if said != "bd" || len(logged) != 3 {
		t.Errorf("with a full log and then a lease it said %q, and logged %v", said, logged)
	}
}
