package yield

import (
	"testing"

	"isochron/txn"
)

// The result of a vote that meets the lock of a voted transaction, or a reservation of a higher
// priority, by VoteRule. M 5 is older than M 7 and M 9.
func TestConflictingVotes(t *testing.T) {
	const s, m = txn.RegionPriority(0), txn.RegionPriority(1)
	for _, c := range []struct {
		name                  string
		holder, asker         uint64
		holderRank, waitOrder txn.RegionPriority
		wait, byAge, givesUp  string
	}{
		{"an older M meets a younger", 7, 5, m, m, "waits", "waits", "refused"},
		{"a younger M meets an older", 5, 7, m, m, "waits", "refused", "refused"},
		{"a higher M meets one that is older and lower", 5, 7, m, m + 1, "waits", "waits", "refused"},
		{"M meets S that is older", 5, 7, s, m, "waits", "waits", "refused"},
		{"S meets M that is older", 5, 7, m, s, "waits", "waits", "refused"},
		{"S meets S that is older", 5, 7, s, s, "waits", "waits", "refused"},
	} {
		for policy, want := range map[*Policy]string{&Reserve: c.wait, &ReserveByAge: c.byAge, &ReserveGivingWay: c.givesUp} {
			tab := NewTable(*policy, HotRowConfig{}, &eventLog{})
			tab.Acquire(0, question(Prepare, c.holder, c.holderRank, x))
			if e := tab.Acquire(0, question(Prepare, c.asker, c.waitOrder, x)); answer(e) != want {
				t.Errorf("%s, %s: %s, want %s", policy.Name, c.name, answer(e), want)
			}
		}
	}
	for policy, want := range map[*Policy]string{&Reserve: "waits", &ReserveByAge: "granted", &ReserveGivingWay: "granted"} {
		tab := NewTable(*policy, HotRowConfig{}, &eventLog{})
		tab.Acquire(0, question(Reserving, 5, m+1, readX))
		if e := tab.Acquire(0, question(Prepare, 7, m, x)); answer(e) != want {
			t.Errorf("%s, M meets a reservation of a higher M: %s, want %s", policy.Name, answer(e), want)
		}
		if e := tab.Acquire(0, question(Prepare, 8, s, LockSet{Exclusive: []txn.Key{"x"}})); answer(e) != "refused" {
			t.Errorf("%s, S meets a reservation: %s", policy.Name, answer(e))
		}
	}
}

// Two multi-region transactions that vote at two shards in opposite orders end by age, without a
// probe: the younger aborts at one, whichever came first there.
func TestVotesByAgeCloseNoCycle(t *testing.T) {
	first, second := NewTable(ReserveByAge, HotRowConfig{}, &eventLog{}), NewTable(ReserveByAge, HotRowConfig{}, &eventLog{})
	first.Acquire(0, question(Prepare, 5, 1, x))
	second.Acquire(0, question(Prepare, 7, 1, x))
	older, younger := second.Acquire(0, question(Prepare, 5, 1, x)), first.Acquire(0, question(Prepare, 7, 1, x))
	if answer(older) != "waits" || answer(younger) != "refused" {
		t.Errorf("the older %s, the younger %s", answer(older), answer(younger))
	}
}
