package shard

import (
	"testing"
	"time"

	"isochron/txn"
)

// A Prepare is valid in one term: a later leader does not vote on a prepare that an earlier one may
// have refused.
func TestAPrepareIsGoodInOneTerm(t *testing.T) {
	w, l := newTrio(t)
	p := &txn.Prepare{Shard: 2, Attempt: txn.Attempt{Node: 2, Seq: 7}, Txn: txn.ID{Node: 2, Seq: 7}, Participants: []txn.ShardID{2},
		Writes: []txn.Write{{Key: "a", Value: []byte("1")}}, OnePhase: true}
	before := l.proposed()
	for _, term := range []uint64{0, l.term - 1, l.term + 1} {
		w.others = nil
		p.Term = term
		l.r.OnPrepare(2, p)
		if len(w.others) != 1 || w.others[0].NotLeader == nil || w.others[0].NotLeader.Term != l.term || l.proposed() != before {
			t.Errorf("one of term %d is answered in term %d with %+v, and %d votes", term, l.term, w.others, l.proposed()-before)
		}
	}
	p.Term = l.term
	l.r.OnPrepare(2, p)
	if l.proposed() != before+1 {
		t.Error("one of its own term is not voted on")
	}
}

// A leader that may be deposed answers no read-only prepare and no latest read before a majority
// has confirmed that it leads.
func TestWithoutALeaseABarrierComesFirst(t *testing.T) {
	for name, asks := range map[string]func(r *Replica, term uint64){
		"reads":   func(r *Replica, term uint64) { r.OnPrepare(2, &txn.Prepare{Shard: 2, Term: term, ReadOnly: true}) },
		"present": func(r *Replica, _ uint64) { r.OnAccess(2, &txn.Access{Shard: 2, WantReadTS: true}) },
	} {
		w, l := newTrio(t)
		asks(l.r, l.term)
		if len(w.others) != 1 {
			t.Errorf("%s: with its lease it answers %d times", name, len(w.others))
		}
		w.others, w.now = nil, w.now+time.Minute
		if asks(l.r, l.term); len(w.others) != 0 {
			t.Errorf("%s: without a lease it answers immediately: %+v", name, w.others)
		}
		if w.drain(); len(w.others) != 1 {
			t.Errorf("%s: once a majority has confirmed it, it answers %d times", name, len(w.others))
		}
	}
}

// A new leader proposes above every read timestamp that an earlier leader may have answered,
// whatever its own clock shows.
func TestANewLeaderProposesAboveMaxReadTS(t *testing.T) {
	_, l := newTrio(t)
	const ceiling = txn.Timestamp(1) << 60
	l.r.state.applied.MaxReadTS = ceiling
	(*machine)(l.r).Applied(true) // it serves
	if at := l.r.clock.Next(l.r.env.Now()); at <= ceiling {
		t.Errorf("it proposes %v, and read timestamps up to %v may have been answered", at, ceiling)
	}
}

// Protected timestamps are not collected while the protection lasts.
func TestProtectedTimestampsAreNotCollected(t *testing.T) {
	s := &state{}
	s.applyMaxReadTS(readTSCmd{At: 50, Hold: &protectedTS{At: 50, Until: 1000}})
	s.applyCollect(collectCmd{Keep: 400, Now: 900})
	if s.applied.Keep != 50 || len(s.applied.Holds) != 1 {
		t.Errorf("while it is held, versions from %v on are kept, with %d holds", s.applied.Keep, len(s.applied.Holds))
	}
	s.applyCollect(collectCmd{Keep: 500, Now: 1000})
	if s.applied.Keep != 500 || len(s.applied.Holds) != 0 {
		t.Errorf("when the hold is over, versions from %v on are kept, with %d holds", s.applied.Keep, len(s.applied.Holds))
	}
}
