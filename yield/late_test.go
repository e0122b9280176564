package yield

import (
	"math"
	"testing"
	"time"

	"isochron/txn"
)

const lateStep = 10 * time.Millisecond

// A transaction that is certain to lose sleeps for 10 ms each time, and aborts at the eleventh
// block.
func TestGivesUpAfterElevenBlocks(t *testing.T) {
	l, s := NewLateScheduler(LateBounds{}, 1, 2), &Sleeper{}
	now := time.Second
	for block := 1; ; block++ {
		v := l.Judge(now, s, 1, 2)
		if v == GiveUp {
			if block != 11 {
				t.Errorf("aborted at block %d", block)
			}
			break
		}
		if v != Sleep || l.NextWake() != now+lateStep {
			t.Fatalf("block %d: %v, until %v", block, v, l.NextWake())
		}
		if l.Next(now+lateStep-1) != nil {
			t.Fatalf("block %d: wakes too early", block)
		}
		if now += lateStep; l.Next(now) != s {
			t.Fatalf("block %d: does not wake", block)
		}
	}
	if l.NextWake() != txn.Never || l.Next(now+time.Hour) != nil {
		t.Error("a transaction still sleeps")
	}
	if c := l.Counts(); c != (LateCounts{Blocked: 11, GaveUp: 1}) {
		t.Errorf("%+v", c)
	}
}

// A transaction certain to get its locks, or at one participant, is admitted immediately; the
// latter is judged with Alone.
func TestAdmittedWithoutABlock(t *testing.T) {
	for _, c := range []struct {
		bounds LateBounds
		lost   float64
		places int
		want   Verdict
	}{
		{LateBounds{}, 0, 2, Enter},
		{LateBounds{}, 1, 1, Enter},
		{LateBounds{}, 1, 2, Sleep},
		{LateBounds{Alone: true}, 1, 1, Sleep},
		{LateBounds{Alone: true}, 0, 1, Enter},
	} {
		if got := NewLateScheduler(c.bounds, 1, 2).Judge(0, &Sleeper{}, c.lost, c.places); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The likelier to lose is blocked more often, with the given probability, and one seed gives one
// run.
func TestBlocksFollowTheProbability(t *testing.T) {
	blocked := func(lost float64, seed uint64) uint64 {
		l := NewLateScheduler(LateBounds{}, seed, 2)
		for range 10_000 {
			l.Judge(0, &Sleeper{}, lost, 2)
		}
		return l.Counts().Blocked
	}
	for _, lost := range []float64{0.1, 0.5, 0.9} {
		if got := float64(blocked(lost, 1)) / 10_000; math.Abs(got-lost) > 0.02 {
			t.Errorf("with %v blocked %v", lost, got)
		}
	}
	if one, same := blocked(0.5, 3), blocked(0.5, 3); one != same || one == blocked(0.5, 4) {
		t.Error("the result does not follow the seed")
	}
}

// Transactions wake in the order of blocking, and one that has left is not returned.
func TestLeftTransactionsDoNotWake(t *testing.T) {
	l := NewLateScheduler(LateBounds{Sleep: 3 * lateStep, Again: 1}, 1, 2)
	var all []*Sleeper
	for i := range 4 {
		s := &Sleeper{Txn: txn.ID{Seq: uint64(i)}}
		all = append(all, s)
		if v := l.Judge(time.Duration(i)*lateStep, s, 1, 2); v != Sleep {
			t.Fatalf("%d: %v", i, v)
		}
	}
	l.Leave(all[0])
	l.Leave(all[2])
	l.Leave(nil)
	if got := l.Next(5 * lateStep); got != all[1] {
		t.Errorf("%+v", got)
	}
	if got := l.Next(5 * lateStep); got != nil {
		t.Errorf("%+v sleeps until %v", got, got.until)
	}
	if got := l.Next(6 * lateStep); got != all[3] {
		t.Errorf("%+v", got)
	}
	if v := l.Judge(6*lateStep, all[3], 1, 2); v != GiveUp {
		t.Errorf("blocked twice where once is allowed: %v", v)
	}
}
