package shard

import (
	"testing"

	"isochron/participant"
	"isochron/routing"
	"isochron/txn"
)

// recordOf1 is the Prepare of a transaction record in shard 1.
func recordOf1(seq uint64) *txn.Prepare {
	p := asksFor(seq, "record")
	p.Participants, p.OnePhase, p.Record = []txn.ShardID{1}, true, true
	return p
}

// A transaction record is not read before it is logged, whatever the protocol reveals early: its
// reader reports the outcome of an attempt. Its locks are kept until then.
func TestARecordIsNotRevealedBeforeItIsLogged(t *testing.T) {
	for _, name := range []string{"2pc+2pl", "txsql", "d2pc+2pl", "d2pc+2pl-group", "bonspiel"} {
		for _, record := range []bool{true, false} {
			c := newHarness(t, name)
			p := recordOf1(1)
			p.Record = record
			c.prepares(p)
			if c.prepareHandler.cfg.Spec.Reveal.WhenVoted() {
				c.decisionHandler.preCommit(p.Attempt, 50)
			}
			_, shown := c.prepareHandler.rows.early.Get("record")
			holds := c.prepareHandler.locks.Holder(p.Txn) != nil
			if early := !record && name != "2pc+2pl"; shown != early || record && !holds {
				t.Errorf("%s, record %v: it is shown: %v, and holds its rows: %v", name, record, shown, holds)
			}
			c.decisionHandler.applied(effect{attempt: p.Attempt, voted: c.paper.commands[0].Vote})
			if c.prepareHandler.locks.Holder(p.Txn) != nil {
				t.Errorf("%s: it holds its rows when the log has it", name)
			}
		}
	}
}

// setDesired makes the directory request a switch of the shard to a protocol, and names the
// Prepares of this term so that no two are of one attempt.
func (w *trio) setDesired(seq uint64, row string) {
	want := participant.Desired{Voters: []txn.NodeID{1, 2, 3}, Preferred: []txn.NodeID{1}}
	want.Protocol = routing.Protocol{Seq: seq, Name: row}
	w.replicas[1].SetDesired(want)
}

// asks sends a leader a Prepare of a gateway under a protocol, and returns the reply after
// everything proposed is applied.
func (w *trio) asks(l *leaderState, p *txn.Prepare, seq uint64) txn.Message {
	w.others = nil
	p.Term, p.Shard, p.ProtocolSeq = l.term, 2, seq
	for i, s := range p.Participants {
		p.Participants[i] = s + 1 // the shard is the second participant here
	}
	w.replicas[1].OnPrepare(1, p)
	w.drain()
	for _, m := range w.others {
		if m.Vote != nil || m.NotLeader != nil {
			return m
		}
	}
	return txn.Message{}
}

// A shard that waits for a vote to end before it switches accepts records of gateways that have
// switched and of others: the vote may wait for one. After the switch it still accepts them.
func TestRecordsPassAShardThatSwitches(t *testing.T) {
	w, l := newTrio(t)
	seq := uint64(10)
	takes := func(when string, of uint64) {
		t.Helper()
		seq++
		p := recordOf1(seq)
		if replies := w.asks(l, p, of); replies.Vote == nil || !replies.Vote.Yes || replies.Vote.AwaitsDecision {
			t.Errorf("%s, of protocol %d: %+v", when, of, replies.Vote)
		}
		seq++
		p = recordOf1(seq)
		if p.Record = false; of == l.switching.seq() && !l.switching.leaves() {
			return
		}
		if replies := w.asks(l, p, of); replies.Vote != nil && replies.Vote.Yes {
			t.Errorf("%s, of protocol %d: a prepare without a record passes too", when, of)
		}
	}
	waits := asksFor(1, "row")
	if replies := w.asks(l, waits, 0); replies.Vote == nil || !replies.Vote.Yes {
		t.Fatalf("%+v", replies)
	}
	w.setDesired(1, "2pc+2pl")
	takes("while it waits", 0)
	takes("while it waits", 1)
	if l.switching.seq() != 0 || l.drained() {
		t.Fatal("it has gone over across a vote")
	}
	w.replicas[1].OnDecide(1, &txn.Decide{Shard: 2, Attempt: waits.Attempt, Txn: waits.Txn})
	w.drain()
	if l.switching.seq() != 1 {
		t.Fatal("it does not go over")
	}
	takes("afterwards", 0)
	takes("afterwards", 1)
	takes("afterwards", 2)
}

// While the switch is being logged, a record has to be sent again: its locks would not be known
// after the switch, and another transaction could find its row empty too.
func TestNoRecordIsAcceptedDuringAProtocolSwitch(t *testing.T) {
	w, l := newTrio(t)
	w.setDesired(1, "2pc+2pl")
	if l.switching.proposed != 1 || l.switching.seq() != 0 {
		t.Fatalf("%+v", l.switching)
	}
	if replies := w.asks(l, recordOf1(1), 0); replies.NotLeader == nil || replies.NotLeader.Leader != 1 {
		t.Errorf("it receives %+v", replies)
	}
	if replies := w.asks(l, recordOf1(1), 0); replies.Vote == nil || !replies.Vote.Yes {
		t.Errorf("the second time it receives %+v", replies)
	}
	second := recordOf1(2)
	second.SchemaChecks = []txn.ReadCheck{{Key: "record"}}
	if replies := w.asks(l, second, 1); replies.Vote == nil || replies.Vote.Yes {
		t.Errorf("another one, which has read the row as empty, receives %+v", replies)
	}
}

// A record waits for another that writes the same row, and the switch waits for both.
func TestAChangeWaitsForRecords(t *testing.T) {
	w, l := newTrio(t)
	vote := asksFor(1, "row")
	w.asks(l, vote, 0)
	w.setDesired(1, "2pc+2pl")
	for seq := range uint64(2) {
		p := recordOf1(2 + seq)
		p.Term, p.Shard, p.Participants = l.term, 2, []txn.ShardID{2}
		w.replicas[1].OnPrepare(1, p)
	}
	w.replicas[1].OnDecide(1, &txn.Decide{Shard: 2, Attempt: vote.Attempt, Txn: vote.Txn})
	l.changeProtocol()
	if l.drained() || l.switching.proposed != 0 {
		t.Error("it goes over while records are on their way")
	}
	if w.drain(); l.switching.seq() != 1 {
		t.Error("it does not go over when they are there")
	}
}
