package decide

import "testing"

func TestWhichVotesOnDiskAreAcknowledged(t *testing.T) {
	// Node 1 leads; node 2 coordinates the attempt, which has two participants.
	is := func(f func(*Durable)) Durable {
		d := Durable{Self: 3, Leader: 1, Coordinator: 2, Participants: 2, Addressed: true, Term: 5, Entry: 5}
		f(&d)
		return d
	}
	for _, c := range []struct {
		name string
		d    Durable
		want bool
	}{
		{"a follower's", is(func(*Durable) {}), true},
		{"the leader's", is(func(d *Durable) { d.Self = 1 }), true},
		{"one of an older term", is(func(d *Durable) { d.Entry = 4 }), false},
		{"one that names no voters", is(func(d *Durable) { d.Addressed = false }), false},
		{"beside the leader, of several", is(func(d *Durable) { d.Coordinator = 1 }), true},
		{"beside the leader, the only one, a follower's", is(func(d *Durable) { d.Coordinator, d.Participants = 1, 1 }), false},
		{"beside the leader, the only one, its own", is(func(d *Durable) { d.Coordinator, d.Participants, d.Self = 1, 1, 1 }), true},
		{"the same, revealed on append", is(func(d *Durable) { d.Coordinator, d.Participants, d.Self, d.OnAppend = 1, 1, 1, true }), false},
		{"elsewhere, the only one", is(func(d *Durable) { d.Participants, d.OnAppend = 1, true }), true},
	} {
		if got := c.d.Acknowledged(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
