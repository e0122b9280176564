package shard

import (
	"testing"
	"time"

	"isochron/txn"
)

// A leader that others have replaced knows nothing of a vote that its successor has.
// If it acknowledged that the attempt is over, its coordinator would forget the attempt, and
// the vote would hold its locks for ever.
func TestADeposedLeaderDoesNotSayThatNothingIsLeft(t *testing.T) {
	abort := &txn.Decide{Attempt: txn.Attempt{Node: 2, Seq: 7}, Txn: txn.ID{Node: 2, Seq: 7}}
	w, l := newTrio(t)
	w.now += time.Minute // its lease is over, and it does not know whether it leads
	before := l.proposed()
	l.decide(2, abort)
	if w.acks() != 0 || l.proposed() != before+1 {
		t.Errorf("without a lease it acknowledges the end of an attempt that it does not know, or does not ask: %d commands", l.proposed()-before)
	}
	w.settle()
	if n := w.acks(); n != 1 {
		t.Errorf("once a majority has confirmed it, it acknowledged %d times", n)
	}
	w, l = newTrio(t)
	before = l.proposed()
	l.decide(2, abort)
	if n := w.acks(); n != 1 || l.proposed() != before {
		t.Errorf("with its lease it acknowledged %d times, and proposed %d commands", n, l.proposed()-before)
	}
}

// Whatever is said of an attempt, a vote that stands in the log is ended.
func TestAVoteIsEndedThoughItsAttemptIsRetired(t *testing.T) {
	a := txn.Attempt{Node: 2, Seq: 7}
	w, l := newTrio(t)
	l.r.state.prepared[a] = &prepared{voteCmd: voteCmd{Attempt: a, Txn: txn.ID{Node: 2, Seq: 7}}}
	l.known.retired[a.Incarnation()] = 100
	before := l.proposed()
	l.decide(2, &txn.Decide{Attempt: a})
	if n := l.proposed() - before; n != 1 || w.acks() != 0 {
		t.Errorf("%d decisions are proposed, %d acknowledged", n, w.acks())
	}
}
