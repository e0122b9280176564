package decide

import (
	"testing"
	"time"

	"isochron/txn"
)

// newDecided is an attempt on shards 2 and 3 that has committed and notified them.
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

// wakes checks when an attempt is woken next, and its messages then.
func wakes(t *testing.T, a *Attempt, w *toy, after time.Duration, sends ...string) {
	t.Helper()
	if wait := a.NextWake() - w.now; wait != after {
		t.Fatalf("it wakes after %v, want %v", wait, after)
	}
	w.now = a.NextWake()
	a.Wake()
	expect(t, w, "woken", sends...)
}

// A participant that does not acknowledge the decision is notified again, less and less often and
// without end.
func TestSilentParticipantsAreNotifiedLessOften(t *testing.T) {
	a, w := newDecided(t)
	for _, factor := range []time.Duration{1, 1, 1, 1, 2, 4, 8, 8, 8} {
		wakes(t, a, w, factor*a.decider.Params.ResendAfter, "4/2: commit at 12", "5/3: commit at 12")
	}
}

// A leaderless participant is notified again soon, alone, and then less and less often.
func TestOnlyLeaderlessParticipantsAreNotifiedAgain(t *testing.T) {
	a, w := newDecided(t)
	soon := 2 * a.decider.Params.TickInterval
	for _, factor := range []time.Duration{1, 1, 1, 1, 2, 4, 8} {
		a.Receive(5, &txn.Message{NotLeader: &txn.NotLeader{Shard: 3, Attempt: ours, Term: 6}})
		wakes(t, a, w, factor*soon, "5/3: commit at 12")
	}
}

// When its leader becomes known it is notified immediately, and the others are not.
func TestANewLeaderIsNotifiedImmediately(t *testing.T) {
	for _, phase := range []string{"decided", "asks the logs", "asks"} {
		a, w := begin(LeaderVotes, 2, 3)
		want := "5/3: prepare, term 7"
		switch phase {
		case "decided":
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
			t.Fatalf("%s: due without a leader", phase)
		}
		if w.term = 7; !a.Due(w.now) || a.NextWake() != 0 {
			t.Fatalf("%s: there is a leader, and it is not notified", phase)
		}
		a.Wake()
		if expect(t, w, phase, want); a.Due(w.now) {
			t.Errorf("%s: notified, and due again immediately", phase)
		}
	}
}
