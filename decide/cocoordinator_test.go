package decide

import (
	"testing"
	"time"

	"isochron/txn"
)

// foreign is an attempt of a gateway in another region, on shards 2 (led here by node 4),
// 3 (led by node 5, elsewhere) and 6 (led here by node 7).
var foreign = txn.Attempt{Node: 9, Epoch: 1, Seq: 1}

func openCoCoordinator() (*CoCoordinator, *toy) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5, 6: 7}, wide: []txn.NodeID{5, 9}}
	c := NewCoCoordinator(1, w, txn.Params{RecoverAfter: time.Second})
	c.PreCommits = true
	return c, w
}

func of(s txn.ShardID, replica txn.NodeID) *txn.Ack {
	return &txn.Ack{Shard: s, Attempt: foreign, Replica: replica, Participants: []txn.ShardID{2, 3, 6}, Proposed: txn.Timestamp(10 + s)}
}

// Every acknowledgement is relayed to the coordinator, except for a mere vote; and when all leaders
// have voted those of this region end the span, once, at the largest timestamp.
func TestACoCoordinatorEndsTheSpanOfItsRegion(t *testing.T) {
	c, w := openCoCoordinator()
	c.OnAck(of(2, 4))
	expect(t, w, "one vote", "9: ack of 2 by 4")
	c.OnAck(of(3, 0))
	expect(t, w, "a vote without a replica")
	c.OnAck(of(6, 8))
	expect(t, w, "the last vote", "9: ack of 6 by 8", "4/2: pre-commit at 16", "7/6: pre-commit at 16")
	c.OnAck(of(6, 7))
	expect(t, w, "one more replica", "9: ack of 6 by 7")
	c.OnAck(of(3, 0))
	expect(t, w, "a vote repeated by a new leader", "4/2: pre-commit at 16", "7/6: pre-commit at 16")
}

func TestWithoutPreCommitsASpanIsNotEndedEarly(t *testing.T) {
	c, w := openCoCoordinator()
	c.PreCommits = false
	for _, s := range []txn.ShardID{2, 3, 6} {
		c.OnAck(of(s, 0))
	}
	expect(t, w, "all votes")
}

// A No aborts the attempt at the leaders here, except at its sender, and finally.
func TestACoCoordinatorAbortsInItsRegion(t *testing.T) {
	c, w := openCoCoordinator()
	no := of(2, 0)
	no.No = true
	c.OnAck(no)
	expect(t, w, "a No", "7/6: abort")
	for _, s := range []txn.ShardID{2, 3, 6} {
		c.OnAck(of(s, 0))
	}
	expect(t, w, "all votes after a No")
}

// It reports a known decision to recovering nodes, and does nothing more for the attempt.
func TestACoCoordinatorRemembersDecisions(t *testing.T) {
	c, w := openCoCoordinator()
	c.OnAck(of(2, 0))
	if c.OnQueryDecision(3, &txn.QueryDecision{Attempt: foreign}) {
		t.Error("it knows a decision before there is one")
	}
	c.OnDecision(&txn.Decision{Attempt: foreign, Commit: true, At: 16})
	c.OnDecision(&txn.Decision{Attempt: txn.Attempt{Node: 1, Seq: 5}}) // its own is not kept
	c.OnAck(of(6, 7))
	expect(t, w, "an acknowledgement after the decision", "9: ack of 6 by 7")
	if !c.OnQueryDecision(3, &txn.QueryDecision{Attempt: foreign}) || len(c.decided) != 1 || len(c.open) != 0 {
		t.Errorf("%d decided, %d open", len(c.decided), len(c.open))
	}
	expect(t, w, "a question", "3: decision, commit: true")
}

func TestACoCoordinatorExpires(t *testing.T) {
	c, w := openCoCoordinator()
	if _, ok := c.NextExpiry(); ok {
		t.Error("NextExpiry without an attempt")
	}
	w.now = 5 * time.Millisecond
	c.OnAck(of(2, 0))
	at, ok := c.NextExpiry()
	c.Expire(at - 1)
	if !ok || at != 5*time.Millisecond+time.Second || len(c.open) != 1 {
		t.Errorf("%d open, expiry at %v", len(c.open), at)
	}
	if c.Expire(at); len(c.open)+len(c.queue) != 0 {
		t.Errorf("%d open, %d in the queue", len(c.open), len(c.queue))
	}
}

// Its entries of attempts, open and ended, are bounded; the oldest is dropped.
func TestACoCoordinatorDropsTheOldest(t *testing.T) {
	c, _ := openCoCoordinator()
	name := func(i int) txn.Attempt { return txn.Attempt{Node: 9, Seq: uint64(i)} }
	const more = 10
	for i := range maxCotallies + more {
		c.OnAck(&txn.Ack{Shard: 2, Attempt: name(i), Participants: []txn.ShardID{2, 3}})
	}
	if len(c.open) != maxCotallies || len(c.queue) != maxCotallies || c.open[name(more-1)] != nil || c.open[name(more)] == nil {
		t.Errorf("%d open, %d in the queue", len(c.open), len(c.queue))
	}
	for i := range maxDecided + more {
		c.OnDecision(&txn.Decision{Attempt: name(i)})
	}
	_, first := c.decided[name(more-1)]
	_, next := c.decided[name(more)]
	if len(c.decided) != maxDecided || len(c.ended) != maxDecided || first || !next {
		t.Errorf("%d decided, %d in the queue; the oldest is there: %v, %v", len(c.decided), len(c.ended), first, next)
	}
}
