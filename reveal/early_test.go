package reveal

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

func write(k string) []txn.Write { return []txn.Write{{Key: txn.Key(k), Value: []byte("v")}} }

// none: the engine has no version of any row.
func none(txn.Key) txn.Timestamp { return 0 }

// early has revealed a row of each attempt, all undecided.
func early(attempts ...uint64) *Early {
	e := NewEarly(OnPreCommit, none)
	for _, n := range attempts {
		e.RevealUndecided(attempt(n), txn.Timestamp(n), write(fmt.Sprint(n)))
	}
	return e
}

func (e *Early) decide(n uint64, commit bool) {
	e.Decided(attempt(n), txn.Timestamp(n), write(fmt.Sprint(n)), commit)
}

func TestRevealedRowsAreReadWithADependency(t *testing.T) {
	e := early(1, 2)
	keys := []txn.Key{"1", "2"}
	if row, ok := e.Get("1"); !ok || row.Version != attempt(1) || !e.Revealed(attempt(1)) {
		t.Errorf("%+v can be read", row)
	}
	if got := e.WritersOf(keys, nil); !slices.Equal(got, []txn.Attempt{attempt(1), attempt(2)}) {
		t.Errorf("a reader depends on %v", got)
	}
	e.decide(1, true)
	e.decide(2, false)
	if _, ok := e.Get("1"); !ok || e.Revealed(attempt(1)) || len(e.WritersOf(keys, nil)) != 0 {
		t.Error("a commit must be readable until it is applied, without a dependency")
	}
	if _, ok := e.Get("2"); ok {
		t.Error("an aborted write can be read")
	}
}

// Without early reveal there are no dependencies, and a decision reveals.
func TestWithoutEarlyRevealADecisionReveals(t *testing.T) {
	e := NewEarly(OnDecision, func(txn.Key) txn.Timestamp { return 99 })
	e.decide(1, true)
	if _, ok := e.Get("1"); !ok || e.WritersOf([]txn.Key{"1"}, nil) != nil {
		t.Error("a commit is read as soon as it is decided")
	}
	e.Follow(OnPreCommit)
	if e.RevealUndecided(attempt(2), 2, write("2")); len(e.WritersOf([]txn.Key{"2"}, nil)) != 0 {
		t.Error("a write older than the version in the engine has a dependency")
	}
}

// A vote restored by a new leader may be older than the engine's version.
func TestWritesOlderThanTheEngineAreNotRevealed(t *testing.T) {
	e := NewEarly(OnPreCommit, func(k txn.Key) txn.Timestamp { return map[txn.Key]txn.Timestamp{"old": 5}[k] })
	e.RevealUndecided(attempt(1), 5, append(write("old"), write("new")...))
	_, old := e.Get("old")
	if _, ok := e.Get("new"); old || !ok {
		t.Errorf("the old one is revealed: %v, the new one: %v", old, ok)
	}
}

// A vote of this leader cannot be older than the engine's version, which is then not read.
func TestVotesOfThisLeaderAreRevealedAsTheyAre(t *testing.T) {
	reads := 0
	e := NewEarly(OnPreCommit, func(txn.Key) txn.Timestamp { reads++; return 4 })
	e.Lead(4)
	e.RevealUndecided(attempt(1), 4, write("old"))
	if _, ok := e.Get("old"); ok || reads != 1 {
		t.Errorf("of an earlier leader: revealed %v after %d reads", ok, reads)
	}
	e.RevealUndecided(attempt(2), 5, write("new"))
	if _, ok := e.Get("new"); !ok || reads != 1 {
		t.Errorf("of this leader: revealed %v after %d reads", ok, reads)
	}
}

func TestAnAnswerWaitsForAllOfItsWriters(t *testing.T) {
	for _, c := range []struct {
		name     string
		ends     string // of attempts 1 and 2 in turn: c, a, x (time passes), - (nothing)
		received []string
	}{
		{"both commit", "cc", []string{"committed"}},
		{"one aborts", "a-", []string{"aborted"}},
		{"one aborts and then the other", "aa", []string{"aborted"}},
		{"the last one aborts", "ca", []string{"aborted"}},
		{"one commits", "c-", nil},
		{"none is decided in time", "-x", []string{"expired"}},
		{"one commits and time passes", "cx", []string{"expired"}},
		{"it is over before its time is", "ax", []string{"aborted"}},
	} {
		e := early(1, 2)
		var received []string
		on := e.WritersOf([]txn.Key{"1", "2"}, nil)
		e.WhenDecided(on, time.Second, func(committed bool) {
			received = append(received, map[bool]string{true: "committed", false: "aborted"}[committed])
		}, func() { received = append(received, "expired") })
		for i, how := range c.ends {
			switch how {
			case 'c', 'a':
				e.decide(uint64(i+1), how == 'c')
			case 'x':
				e.Expire(time.Second - 1)
				e.Expire(time.Second)
				e.Expire(time.Second) // once
			}
		}
		if !slices.Equal(received, c.received) {
			t.Errorf("%s: received %v, want %v", c.name, received, c.received)
		}
	}
}

func TestAnAnswerThatDependsOnNothingDoesNotWait(t *testing.T) {
	reported := false
	early(1).WhenDecided(nil, 0, func(committed bool) { reported = committed }, nil)
	if !reported {
		t.Error("it waits")
	}
}

// Replies that wait for decisions are bounded at a leader: one more is refused immediately.
func TestWaitsForDecisionsAreBounded(t *testing.T) {
	e := early(1)
	reported, refused := 0, 0
	for range MaxAnswers + 3 {
		e.WhenDecided([]txn.Attempt{attempt(1)}, 0, func(bool) { reported++ }, func() { refused++ })
	}
	if reported != 0 || refused != 3 {
		t.Fatalf("%d notified and %d refused, want 0 and 3", reported, refused)
	}
	e.decide(1, true)
	if reported != MaxAnswers {
		t.Errorf("%d notified of the decision, want %d", reported, MaxAnswers)
	}
	if e.Expire(0); len(e.answers) != 0 {
		t.Errorf("%d still waiting", len(e.answers))
	}
}

// A conditional vote is open until all its dependencies have committed, and doomed as soon as one
// has aborted; its coordinator is notified once.
func TestAConditionalVote(t *testing.T) {
	type state struct{ open, doomed bool }
	for _, c := range []struct {
		name     string
		ends     []int // attempts that end: n commits, -n aborts
		before   state
		after    state
		received []bool
	}{
		{"both commit", []int{1, 2}, state{true, false}, state{false, false}, []bool{true}},
		{"one has committed", []int{2}, state{true, false}, state{true, false}, nil},
		{"one aborts", []int{-2, 1}, state{true, false}, state{false, true}, []bool{false}},
		{"it ends itself before", []int{-9, 1, -2}, state{true, false}, state{false, false}, nil},
	} {
		e := early(1, 2)
		var received []bool
		e.Condition(attempt(9), []txn.Attempt{attempt(1), attempt(2)}, false, func(committed bool) { received = append(received, committed) })
		now := func() (s state) { s.open, s.doomed = e.Conditional(attempt(9)); return s }
		before := now()
		for _, n := range c.ends {
			e.decide(uint64(max(n, -n)), n > 0)
		}
		if before != c.before || now() != c.after || !slices.Equal(received, c.received) {
			t.Errorf("%s: state %+v and then %+v, received %v", c.name, before, now(), received)
		}
	}
	e := early()
	e.Condition(attempt(9), nil, true, nil)
	if open, doomed := e.Conditional(attempt(9)); open || !doomed {
		t.Error("an earlier abort does not doom the vote")
	}
}

// Waits for one decision are notified in order of arrival.
func TestWaitsAreNotifiedInOrder(t *testing.T) {
	e := early(1)
	var order []int
	for i := range 5 {
		on := []txn.Attempt{attempt(1)}
		if i%2 == 0 {
			e.WhenDecided(on, time.Second, func(bool) { order = append(order, i) }, nil)
		} else {
			e.Condition(attempt(uint64(10+i)), on, false, func(bool) { order = append(order, i) })
		}
	}
	e.decide(1, false)
	if !slices.Equal(order, []int{0, 1, 2, 3, 4}) {
		t.Errorf("notified in the order %v", order)
	}
}

// Dependencies in a log: a vote that depends on an undecided attempt is returned once.
func TestDependentsInALog(t *testing.T) {
	end := func(a txn.Attempt) End { return map[uint64]End{1: Open, 2: Committed, 3: Aborted}[a.Seq] }
	of := func(ns ...uint64) (out []txn.Attempt) {
		for _, n := range ns {
			out = append(out, attempt(n))
		}
		return out
	}
	for _, c := range []struct {
		on, open []txn.Attempt
		doomed   bool
	}{{of(1, 2), of(1), false}, {of(2), nil, false}, {of(1, 3), of(1), true}, {nil, nil, false}} {
		if open, doomed := Resolve(c.on, end); !slices.Equal(open, c.open) || doomed != c.doomed {
			t.Errorf("of %v %v are open, doomed: %v", c.on, open, doomed)
		}
	}
	d := Dependents{}
	d.Add(attempt(7), of(1, 4))
	d.Add(attempt(8), of(1))
	if got := d.Decided(attempt(1)); !slices.Equal(got, of(7, 8)) || len(d.Decided(attempt(1))) != 0 {
		t.Errorf("%v depend on it", got)
	}
	on := of(1, 4)
	if left := Without(on, attempt(1)); !slices.Equal(left, of(4)) || !slices.Equal(on, of(1, 4)) {
		t.Errorf("left is %v of %v", left, on)
	}
}
