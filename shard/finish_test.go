package shard

import (
	"testing"
	"time"

	"isochron/protocol"
	"isochron/txn"
)

// atSent is sent at a moment.
type atSent struct {
	sent
	now time.Duration
}

func (s *atSent) Now() txn.Now                    { return txn.Now{Mono: s.now} }
func (s *atSent) Trace(string, ...any)            {}
func (s *atSent) Held(txn.ShardID, txn.ID, int64) {}
func (s *atSent) acks() (n int) {
	for _, m := range s.all {
		if m.DecideAck != nil {
			n++
		}
	}
	return n
}

// leader is one of three voters, who have heard of it at a moment; 0: never.
func leader(t *testing.T, world *atSent, heard time.Duration) *leadership {
	t.Helper()
	row, err := protocol.ByName("d2pc+2pl-group")
	if err != nil {
		t.Fatal(err)
	}
	r := &Replica{cfg: Config{ID: 2, Self: 1, Row: row, Params: txn.Params{}.WithDefaults()}, env: world, term: 3,
		state: &state{prepared: map[txn.Attempt]*prepared{}, outcomes: txn.NewByAttempt[outcome](), retired: map[txn.Incarnation]uint64{}}}
	r.log = &raftLog{}
	r.log.meta.Voters = []uint64{1, 2, 3}
	l := newLeadership(r, txn.Now{})
	l.serving = true
	if heard > 0 {
		l.stamps[2] = int64(heard)
	}
	r.lead = l
	return l
}

// A leader that others have replaced knows nothing of a vote that its successor has.
// If it acknowledged that the attempt is over, its coordinator would forget the attempt, and
// the vote would hold its locks for ever.
func TestADeposedLeaderDoesNotSayThatNothingIsLeft(t *testing.T) {
	abort := &txn.Decide{Attempt: txn.Attempt{Node: 2, Seq: 7}, Txn: txn.ID{Node: 2, Seq: 7}}
	world := &atSent{now: time.Minute}
	leader(t, world, time.Second).decide(2, abort)
	l := leader(t, world, time.Second)
	l.decide(2, abort)
	if world.acks() != 0 || len(l.r.proposals.next) != 1 {
		t.Error("without a lease it acknowledges the end of an attempt that it does not know")
	}
	l.r.state.applied.Term = l.term
	l.applied(effect{barrier: l.barrier})
	if n := world.acks(); n != 1 {
		t.Errorf("once a majority has confirmed it, it acknowledged %d times", n)
	}
	leader(t, world, time.Minute).decide(2, abort)
	if n := world.acks(); n != 2 {
		t.Errorf("with its lease it acknowledged %d times", n-1)
	}
}

// Whatever is said of an attempt, a vote that stands in the log is ended.
func TestAVoteIsEndedThoughItsAttemptIsRetired(t *testing.T) {
	a := txn.Attempt{Node: 2, Seq: 7}
	world := &atSent{now: time.Minute}
	l := leader(t, world, time.Minute)
	l.r.state.prepared[a] = &prepared{voteCmd: voteCmd{Attempt: a, Txn: txn.ID{Node: 2, Seq: 7}}}
	l.retired[a.Incarnation()] = 100
	l.decide(2, &txn.Decide{Attempt: a})
	if len(l.r.proposals.next) != 1 || world.acks() != 0 {
		t.Errorf("%d decisions are proposed, %d acknowledged", len(l.r.proposals.next), world.acks())
	}
}
