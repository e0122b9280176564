package replica

import (
	"testing"

	"isochron/txn"
)

// Two of five replicas vote OK on x, three on y, which has read the same row and has a later
// timestamp. y commits and is dropped. x's coordinator is silent, and those two, with one of the
// others, begin a view: their votes on x must no longer make a fast path, for y has read the row
// without x's write.
func TestAnOvertakenAttemptNeverCommits(t *testing.T) {
	n := newNet(t, tapir, 5)
	x, y := prepare(1, 10, "r:a", "w:a"), prepare(2, 20, "r:a", "w:a")
	y.Attempt.Node = coordinator - 1 // another coordinator's, so that it is dropped while x is open
	for _, first := range []struct {
		p  *txn.Prepare
		at []txn.NodeID
	}{{x, []txn.NodeID{4, 5}}, {y, []txn.NodeID{1, 2, 3}}} {
		for _, id := range first.at {
			n.send(id, txn.Message{Prepare: first.p})
		}
		n.settle()
	}
	n.sendAll(txn.Message{Prepare: x})
	n.wantOpinions(1, abstain, abstain, abstain, ok, ok)
	for _, id := range []txn.NodeID{1, 2, 3} {
		n.send(id, txn.Message{Accept: &txn.Accept{Shard: shard, Yes: true, Prepare: y}})
	}
	n.settle()
	n.sendAll(decision(y, true, true))
	later := prepare(3, 30, "w:c")
	later.Attempt.Node, later.Retired = y.Attempt.Node, 3
	n.sendAll(txn.Message{Prepare: later})
	n.lost = func(e txn.Envelope) bool { return e.Msg.ViewRecord != nil && (e.From == 1 || e.From == 3) }
	n.sendAll(inquire(x))
	n.pass(recoverAt)
	if got := n.counts(1); got != "no" {
		t.Errorf("x counts: %q", got)
	}
}

// A replica that has sent its record for the next view neither acknowledges a decision nor drops an
// attempt before that view begins: its record is from before.
func TestAViewChangeKeepsDecisions(t *testing.T) {
	n := newNet(t, tapir, 3)
	x, y := prepare(1, 10, "w:a"), prepare(2, 20, "w:b")
	n.sendAll(txn.Message{Prepare: x})
	n.sendAll(txn.Message{Prepare: y})
	n.sendAll(decision(x, true, false))
	acks := len(n.acks)
	n.lost = func(e txn.Envelope) bool { return e.Msg.ViewRecord != nil }
	n.sendAll(inquire(y))
	n.pass(2 * resend)
	next := prepare(3, 30, "w:c")
	next.Retired = 2
	n.sendAll(txn.Message{Prepare: next})
	n.sendAll(decision(y, true, false))
	for _, id := range n.members {
		if r := n.at[id].r; r.takesPart() || r.rec.isRetired(x.Attempt) || n.has(id, "b") != "by 2" {
			t.Errorf("replica %d: it takes part: %v, has dropped the attempt: %v, returns %q", id, r.takesPart(), r.rec.isRetired(x.Attempt), n.has(id, "b"))
		}
	}
	if len(n.acks) != acks {
		t.Errorf("%d ends are acknowledged", len(n.acks)-acks)
	}
	n.lost = nil
	n.pass(recoverAt)
	n.sendAll(decision(y, true, false))
	if len(n.acks) != acks+3 {
		t.Errorf("once the view has begun %d are, not 3", len(n.acks)-acks)
	}
}
