package replica

import (
	"testing"
	"time"

	"isochron/txn"
)

func inquire(p *txn.Prepare) txn.Message {
	return txn.Message{Inquire: &txn.Inquire{Shard: shard, Attempt: p.Attempt, Txn: p.Txn, Participants: p.Participants}}
}

// settleAfter sends inquiries about attempts until the replicas have settled them.
func (n *net) settleAfter(asked ...*txn.Prepare) {
	n.t.Helper()
	for range 8 {
		done := true
		for _, p := range asked {
			if n.counts(p.Attempt.Seq) == "" {
				n.sendAll(inquire(p))
				done = false
			}
		}
		if done {
			return
		}
		n.pass(2 * resend)
	}
}

// One replica alone knows the end of a fast path, and another attempt depends on that end: a
// replica that has not received the end must not accept the other attempt. Otherwise a view change
// would undo a commit.
func TestAProposalWaitsForConflictingOnes(t *testing.T) {
	for _, row := range []string{carousel, starry} {
		n := newNet(t, row, 3)
		x, y := prepare(1, 10, "r:a", "w:a"), prepare(2, 20, "r:a=1", "w:a")
		n.sendAll(txn.Message{Prepare: x})
		n.wantOpinions(1, ok, ok, ok)
		n.received = nil
		n.send(1, decision(x, true, false)) // and its coordinator is lost
		n.settle()
		n.sendAll(txn.Message{Prepare: y})
		n.wantOpinions(2, ok)
		n.wantCounts(2, "")
		n.crash(1)
		n.settleAfter(x, y)
		n.wantCounts(1, "yes")
		if row == carousel {
			n.wantCounts(2, "no")
		}
	}
}

// The same without a loss: the attempt is accepted when the end is received, from the coordinator
// or from the leader.
func TestAProposalIsAcceptedAfterAConflictingOneEnds(t *testing.T) {
	for _, row := range []string{carousel, starry} {
		for _, reported := range []bool{true, false} {
			n := newNet(t, row, 3)
			x, y := prepare(1, 10, "r:a", "w:a"), prepare(2, 20, "r:a=1", "w:a")
			n.sendAll(txn.Message{Prepare: x})
			n.send(1, decision(x, true, false))
			n.settle()
			n.sendAll(txn.Message{Prepare: y})
			n.wantCounts(2, "")
			if reported {
				n.send(2, decision(x, true, false))
				n.settle()
			} else {
				n.pass(recoverAt / 4)
			}
			n.wantCounts(2, "yes")
		}
	}
}

// If no replica knows the end of an attempt the next view settles it consistently with possible
// outcomes; its leader may be lost meanwhile.
func TestANewViewSettlesOpenAttempts(t *testing.T) {
	for _, row := range []string{carousel, tapir, starry} {
		for _, size := range []int{3, 5} {
			n := newNet(t, row, size)
			x, y, z := prepare(1, 10, "r:a", "w:a"), prepare(2, 20, "w:b"), prepare(3, 30, "w:c")
			n.sendAll(txn.Message{Prepare: x})
			n.lost = func(e txn.Envelope) bool { return e.Msg.Accept != nil }
			n.send(2, txn.Message{Prepare: y}) // one replica received it, and none received z
			n.settle()
			n.lost = func(e txn.Envelope) bool { // replica 2, the leader of view 1, can call for the view but not begin it
				return e.From == 2 && e.Msg.StartView != nil
			}
			for _, p := range []*txn.Prepare{y, z} {
				n.sendAll(inquire(p))
			}
			n.pass(20 * time.Millisecond)
			n.crash(2)
			n.lost = nil
			n.received = nil
			n.settleAfter(x, y, z)
			n.wantCounts(1, "yes")
			n.wantCounts(3, "no")
			if n.counts(2) == "" {
				t.Errorf("%s: an attempt known to one replica is not settled", row)
			}
			n.open(2)
			n.pass(recoverAt)
			for _, id := range n.members {
				if leader, view := n.at[id].r.Leader(); leader != n.members[view%uint64(size)] || view < 2 || !n.at[id].r.takesPart() {
					t.Errorf("%s, %d replicas, replica %d: %s", row, size, id, n.at[id].r.Summary())
				}
			}
			n.sendAll(decision(x, true, false))
			n.sendAll(decision(y, false, false))
			n.sendAll(decision(z, false, false))
			n.sendAll(txn.Message{Prepare: prepare(4, 40, "r:a=1", "w:b", "w:c")})
			n.wantOpinions(4, ok, ok, ok)
		}
	}
}

// A replica that was in no majority for long catches up: with the decision, by requesting decided
// entries, and by requesting the view.
func TestAReplicaThatMissedAllMessages(t *testing.T) {
	n := newNet(t, tapir, 3)
	deaf := func(e txn.Envelope) bool { return e.To == 3 || e.From == 3 }
	n.lost = deaf
	x, y, z := prepare(1, 10, "w:a"), prepare(2, 20, "w:b"), prepare(3, 30, "w:c")
	for _, p := range []*txn.Prepare{x, y, z} {
		n.sendAll(txn.Message{Prepare: p})
	}
	n.sendAll(inquire(z))
	n.pass(2 * resend) // a view begins without it
	n.wantCounts(3, "yes")
	n.sendAll(decision(x, true, false))
	n.sendAll(decision(y, true, false))
	n.lost = func(e txn.Envelope) bool { return deaf(e) && e.From != coordinator && e.To != coordinator }
	n.send(3, decision(x, true, false))
	n.settle()
	if n.has(3, "a") != "" || acked(n, 3, 1) {
		t.Fatal("it acknowledges an attempt that it does not know")
	}
	n.send(3, decision(x, true, true))
	n.settle()
	if n.has(3, "a") != "by 1" || !acked(n, 3, 1) {
		t.Fatalf("after the decision it has %q", n.has(3, "a"))
	}
	n.lost = func(e txn.Envelope) bool { return e.Msg.StartView != nil && e.To == 3 }
	n.pass(2 * recoverAt)
	if _, view := n.at[3].r.Leader(); view != 0 {
		t.Fatalf("it has come into view %d unheard", view)
	}
	n.lost = nil
	n.pass(2 * recoverAt)
	if _, view := n.at[3].r.Leader(); n.has(3, "b") != "by 2" || view != 1 || n.at[3].r.Undecided() != 1 {
		t.Errorf("after asking it has %q, %s", n.has(3, "b"), n.at[3].r.Summary())
	}
	n.sendAll(decision(z, true, false)) // it received that with the view
	if n.has(3, "c") != "by 3" {
		t.Errorf("it has %q", n.has(3, "c"))
	}
}

func acked(n *net, id txn.NodeID, seq uint64) bool {
	for _, e := range n.acks {
		if e.From == id && e.Msg.DecideAck.Attempt == attempt(seq) {
			return true
		}
	}
	return false
}

// Decided entries are exchanged without a view change too.
func TestDecidedEntriesAreCompared(t *testing.T) {
	n := newNet(t, carousel, 3)
	x := prepare(1, 10, "w:a")
	n.sendAll(txn.Message{Prepare: x})
	n.send(2, decision(x, true, false))
	n.settle()
	n.pass(3 * recoverAt)
	for _, id := range n.members {
		if n.has(id, "a") != "by 1" {
			t.Errorf("replica %d has %q", id, n.has(id, "a"))
		}
	}
}

// A replica that has sent its record takes part in nothing more, also after a crash.
func TestAPromiseIsKeptOverACrash(t *testing.T) {
	n := newNet(t, tapir, 3)
	n.lost = func(e txn.Envelope) bool { return e.From != coordinator }
	n.send(3, txn.Message{ChangeView: &txn.ChangeView{Shard: shard, View: 4}})
	n.settle()
	n.crash(3)
	n.open(3)
	n.send(3, txn.Message{Prepare: prepare(1, 10, "w:a")})
	n.send(3, txn.Message{Accept: &txn.Accept{Shard: shard, Yes: true, Prepare: prepare(1, 10, "w:a")}})
	n.settle()
	if n.at[3].r.takesPart() || n.at[3].r.Undecided() > 0 {
		t.Errorf("it takes part again: %s", n.at[3].r.Summary())
	}
}

// A view whose leader is lost is followed by another.
func TestALostLeaderOfAViewIsReplaced(t *testing.T) {
	n := newNet(t, starry, 5)
	n.crash(2)
	n.crash(3)
	n.sendAll(inquire(prepare(1, 10, "w:a")))
	n.pass(20 * resend)
	if leader, view := n.at[1].r.Leader(); leader == 2 || leader == 3 || view < 3 || !n.at[1].r.takesPart() {
		t.Errorf("%s", n.at[1].r.Summary())
	}
}
