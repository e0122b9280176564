package decide

import (
	"testing"
	"time"

	"isochron/txn"
)

// newDecided is an attempt on shards 2 and 3 that has committed and told them.
func newDecided(t *testing.T) (*Attempt, *toy) {
	t.Helper()
	a, w := begin(LeaderVotes, 2, 3)
	a.Receive(4, yes(2, 10))
	a.Receive(5, yes(3, 12))
	taken(t, a, Commit, 12)
	a.Announce()
	w.sent = nil
	return a, w
}

// wakes checks when an attempt is woken next, and what it sends then.
func wakes(t *testing.T, a *Attempt, w *toy, after time.Duration, sends ...string) {
	t.Helper()
	if wait := a.NextWake() - w.now; wait != after {
		t.Fatalf("it wakes after %v, want %v", wait, after)
	}
	w.now = a.NextWake()
	a.Wake()
	expect(t, w, "woken", sends...)
}

// A participant that does not say that it knows the end is told again, less and less often and never
// for the last time.
func TestWhoIsSilentIsToldLessOften(t *testing.T) {
	a, w := newDecided(t)
	for _, factor := range []time.Duration{1, 1, 1, 1, 2, 4, 8, 8, 8} {
		wakes(t, a, w, factor*a.decider.Params.ResendAfter, "4/2: commit at 12", "5/3: commit at 12")
	}
}

// One that nobody leads is told again soon, alone, and then less and less often.
func TestOneThatNobodyLeadsIsToldAlone(t *testing.T) {
	a, w := newDecided(t)
	soon := 2 * a.decider.Params.TickInterval
	for _, factor := range []time.Duration{1, 1, 1, 1, 2, 4, 8} {
		a.Receive(5, &txn.Message{NotLeader: &txn.NotLeader{Shard: 3, Attempt: ours, Term: 6}})
		wakes(t, a, w, factor*soon, "5/3: commit at 12")
	}
}

// With news of a leader it is told at once, and those beside it are not.
func TestNewsOfALeaderIsHeeded(t *testing.T) {
	for _, phase := range []string{"told", "asks the logs", "asks"} {
		a, w := begin(LeaderVotes, 2, 3)
		want := "5/3: prepare, term 7"
		switch phase {
		case "told":
			a, w = newDecided(t)
			want = "5/3: commit at 12"
		case "asks the logs":
			a.Terminate()
			want = "5/3: inquire"
		case "asks":
			a.Receive(4, yes(2, 10))
			a.Prepares[1].Term = 0 // no leader was known
		}
		w.sent = nil
		a.Receive(5, &txn.Message{NotLeader: &txn.NotLeader{Shard: 3, Attempt: ours, Term: 6}})
		if a.Due(w.now) {
			t.Fatalf("%s: due, and nobody leads", phase)
		}
		if w.term = 7; !a.Due(w.now) || a.NextWake() != 0 {
			t.Fatalf("%s: there is a leader, and it is not told", phase)
		}
		a.Wake()
		if expect(t, w, phase, want); a.Due(w.now) {
			t.Errorf("%s: told, and due again at once", phase)
		}
	}
}
