package shard

import (
	"testing"
	"time"

	"isochron/decide"
	"isochron/participant"
	"isochron/txn"
	"isochron/yield"
)

// paper is a proposer that keeps the proposed commands and applies none.
type paper struct {
	full     bool
	commands []command
}

func (p *paper) propose(c command) bool {
	if !p.full {
		p.commands = append(p.commands, c)
	}
	return !p.full
}
func (p *paper) acceptsProposals() bool         { return !p.full }
func (p *paper) members() (now, _ []txn.NodeID) { return []txn.NodeID{1}, nil }

// harness is a prepareHandler and the decisionHandler of its attempts, in term 1 of shard 1, under
// a lease.
type harness struct {
	*prepareHandler
	*decisionHandler
	world *sentMessages
	paper *paper
}

func newHarness(t *testing.T, name string) harness {
	t.Helper()
	cfg, rows, locks, known := lead1(t, name)
	w, p := &sentMessages{quiet: quiet{now: txn.Now{Mono: time.Second}}}, &paper{}
	cfg.Env = w
	depends, certain, orphans := &dependencyTracker{cfg, rows.early, known}, newLeaderBarrier(1, func() bool { return w.leased }, p.propose), decide.NewOrphans(time.Hour)
	change := &switching{state: rows.state, desired: &participant.Desired{}}
	reply, clock := replySender{cfg, change, rows, known}, &txn.Clock{}
	clock.Observe(40) // above the engine's versions
	leases := yield.NewLeases(cfg.Spec.Yield, 1)
	leases.Begin(40)
	return harness{
		&prepareHandler{cfg, 1, clock, &participant.Counts{}, p, rows, locks, nil, &written{rows, locks, known}, depends, &certain, change, known, orphans, reply, leases},
		&decisionHandler{cfg, clock, p, known, depends, locks, orphans, &certain, reply, leases}, w, p,
	}
}

func (c *harness) prepares(p *txn.Prepare) {
	c.prepareHandler.prepare(2, p, arrival{Now: c.world.now})
}

// asksFor returns the Prepare of an attempt that writes a key.
func asksFor(seq uint64, key txn.Key) *txn.Prepare {
	return &txn.Prepare{
		Attempt: txn.Attempt{Node: 1, Seq: seq}, Txn: id(seq), Age: txn.Age{Start: txn.Timestamp(seq), ID: id(seq)}, Term: 1,
		Participants: []txn.ShardID{1, 2}, Writes: []txn.Write{{Key: key, Value: []byte("w")}},
	}
}

// A Yes is logged with its locks and sent when it is logged; a No is sent immediately, and the
// attempt is never voted Yes later.
func TestAVoteIsSentWhenItIsLogged(t *testing.T) {
	c := newHarness(t, "d2pc+occ")
	a := asksFor(1, "old")
	c.prepares(a)
	if len(c.paper.commands) != 1 || c.paper.commands[0].Vote == nil || len(c.world.all) != 0 || c.prepareHandler.locks.Holder(a.Txn) == nil {
		t.Fatalf("%+v is logged, %+v said", c.paper.commands, c.world.all)
	}
	c.decisionHandler.applied(effect{attempt: a.Attempt, voted: c.paper.commands[0].Vote})
	if v := c.world.last(t, 1).Vote; v == nil || !v.Yes || !v.AwaitsDecision {
		t.Errorf("it replies %+v", v)
	}
	stale := asksFor(2, "new")
	stale.Reads = []txn.ReadCheck{{Key: "new", Version: txn.Version{Seq: 9}}}
	c.prepares(stale)
	if v := c.world.last(t, 2).Vote; v == nil || v.Yes || v.Refused == 0 || c.prepareHandler.locks.Holder(stale.Txn) != nil {
		t.Errorf("to a stale read it replies %+v", v)
	}
	if !c.prepareHandler.answerAgain(2, stale.Attempt) || c.world.last(t, 3).Vote.Yes {
		t.Error("a refused attempt is not refused again")
	}
	full := asksFor(3, "none")
	c.paper.full = true
	c.prepares(full)
	if v := c.world.last(t, 4).Vote; v.Cause != txn.ReasonLogFull.Refusal().Cause() || len(c.paper.commands) != 1 {
		t.Errorf("with a full log it replies %+v", v)
	}
}

// A transaction whose read locks were lost gets no vote, nor does one of a protocol that the shard
// has left.
func TestALeaderRefusesPreparesWhoseLocksItLost(t *testing.T) {
	c := newHarness(t, "2pc+2pl")
	lost := asksFor(1, "old")
	lost.LockTerm = 1
	c.prepares(lost)
	if v := c.world.last(t, 1).Vote; v.Cause != txn.ReasonLocksLost.Refusal().Cause() || v.Refused == 0 {
		t.Errorf("%+v", v)
	}
	q := yield.LockRequest{Phase: yield.Execute, Txn: id(2), LockSet: yield.LockSet{Exclusive: []txn.Key{"old"}}}
	c.prepareHandler.locks.acquire(&q)
	for n, term := range []uint64{2, 1} { // of the previous term, and of this
		p := asksFor(2, "old")
		p.LockTerm, p.Attempt.Seq = term, uint64(20+n)
		if c.prepares(p); (len(c.paper.commands) == 1) != (term == 1) {
			t.Errorf("with locks of term %d: %+v", term, c.paper.commands)
		}
		if term == 2 {
			c.prepareHandler.locks.acquire(&q) // its refusal has released them
		}
	}
	c.prepareHandler.rows.state.applied.Protocol.Seq = 3
	c.prepares(asksFor(4, "new"))
	if v := c.world.last(t, 3).Vote; v.Refused == 0 || v.ProtocolSeq != 3 {
		t.Errorf("of another protocol: %+v", v)
	}
}

// A read-only prepare is answered by a leader that is certain to lead, and not logged.
func TestReadOnlyPreparesAreAnsweredUnderALease(t *testing.T) {
	c := newHarness(t, "d2pc+occ")
	row := c.prepareHandler.rows.row("old")
	reads := func(seq uint64, v txn.Version) {
		p := &txn.Prepare{Attempt: txn.Attempt{Node: 1, Seq: seq}, Txn: id(seq), Term: 1, ReadOnly: true, Reads: []txn.ReadCheck{{Key: "old", Version: v}}}
		c.prepareHandler.answerReadOnly(2, p, arrival{Now: c.world.now})
	}
	c.world.leased = true
	reads(1, row.Version)
	if v := c.world.last(t, 1).Vote; !v.Yes || len(c.paper.commands) != 0 || c.prepareHandler.locks.Holder(id(1)) != nil {
		t.Errorf("under a lease it replies %+v and logs %+v", v, c.paper.commands)
	}
	reads(2, txn.Version{Seq: 9})
	if v := c.world.last(t, 2).Vote; v.Yes {
		t.Errorf("to a stale read it replies %+v", v)
	}
	c.world.leased = false
	reads(3, row.Version)
	c.world.last(t, 2)
	if len(c.paper.commands) != 1 || c.paper.commands[0].Barrier == 0 {
		t.Fatalf("without a lease it logs %+v", c.paper.commands)
	}
	c.prepareHandler.barrier.applied(c.paper.commands[0].Barrier, 1)
	if v := c.world.last(t, 3).Vote; !v.Yes {
		t.Errorf("after its confirmation it replies %+v", v)
	}
}
