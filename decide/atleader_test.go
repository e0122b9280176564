package decide

import (
	"slices"
	"testing"

	"isochron/txn"
)

// elected returns the attempt at the node that receives the leaders' votes: the leader of shard 3.
func elected() (*Attempt, *toy) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5}, term: 6}
	a := deciderOf(AtLeader, w).Elect(txn.Orphan{Attempt: ours, Txn: txn.ID(ours), Participants: []txn.ShardID{2, 3}})
	return a, w
}

// The gateway asks, the leader of a participant decides and notifies the others and the gateway.
func TestALeaderDecides(t *testing.T) {
	a, w := begin(AtLeader, 2, 3)
	expect(t, w, "begun", "4/2: prepare, term 6", "5/3: prepare, term 6")
	if to := w.last.Prepare.VotesTo; to != 5 { // the attempt's number is odd
		t.Fatalf("the votes go to %d", to)
	}
	b, at := elected()
	b.Receive(4, yes(2, 10))
	taken(t, b, Open, 0)
	b.Receive(5, yes(3, 12))
	taken(t, b, Commit, 12)
	b.Announce()
	expect(t, at, "decided", "1: decision, commit: true", "4/2: commit at 12", "5/3: commit at 12")
	a.Receive(5, &txn.Message{Decision: &txn.Decision{Attempt: ours, Commit: true, At: 12}})
	taken(t, a, Commit, 12)
	a.Announce()
	expect(t, w, "the gateway leaves it to the leader")
	for i, s := range []txn.ShardID{2, 3} {
		if b.Done() || a.Done() {
			t.Fatalf("%d participants know", i)
		}
		b.Receive(0, &txn.Message{DecideAck: &txn.DecideAck{Shard: s, Attempt: ours}})
	}
	expect(t, at, "all know", "1: decision, commit: true")
	if d := at.last.Decision; !b.Done() || !d.Known || !d.Commit {
		t.Errorf("received %+v", d)
	}
	if a.Receive(5, &at.last); !a.Done() {
		t.Error("the gateway was notified too early that all know")
	}
}

// The gateway receives the reason of a refusal.
func TestALeaderReportsTheReason(t *testing.T) {
	a, _ := begin(AtLeader, 2, 3)
	b, at := elected()
	b.Receive(4, &txn.Message{Vote: &txn.Vote{Shard: 2, Attempt: ours, Refused: txn.KindAborted, Reason: "lock conflict", Cause: txn.CauseConflict}})
	taken(t, b, Abort, 0)
	b.Announce()
	expect(t, at, "refused", "1: decision, commit: false", "5/3: abort")
	a.Receive(5, &txn.Message{Decision: &txn.Decision{Attempt: ours, Refused: txn.KindAborted, Reason: "lock conflict", Cause: txn.CauseConflict}})
	taken(t, a, Abort, 0)
	if reason := a.Reason(); reason.Reason != "lock conflict" || reason.Cause != txn.CauseConflict || !a.MayPass() {
		t.Errorf("reason %+v, may pass: %v", reason, a.MayPass())
	}
}

// A silent leader decides nothing: the gateway finds the outcome in the logs, and notifies the
// participants itself.
func TestTheGatewayNeedsNoLeader(t *testing.T) {
	a, w := begin(AtLeader, 2, 3)
	for !a.AskedLogs() {
		w.sent, w.now = nil, a.NextWake()
		a.Wake()
	}
	expect(t, w, "silence", "4/2: inquire", "5/3: inquire")
	for _, s := range []txn.ShardID{2, 3} {
		a.Receive(0, &txn.Message{InquireReply: &txn.InquireReply{Shard: s, Attempt: ours, Result: txn.OutcomeYes, Proposed: 9}})
	}
	taken(t, a, Commit, 9)
	a.Announce()
	expect(t, w, "found", "4/2: commit at 9", "5/3: commit at 9")

	sent, w := begin(AtLeader, 2, 3)
	sent.Receive(5, &txn.Message{Decision: &txn.Decision{Attempt: ours, Commit: true, At: 12}})
	taken(t, sent, Commit, 12)
	sent.Announce()
	w.sent, w.now = nil, sent.NextWake()
	sent.Wake()
	expect(t, w, "no report that all know", "4/2: commit at 12", "5/3: commit at 12")
}

// The elected node does not ask for votes, since only the gateway knows in which term it has asked.
func TestTheElectedNodeAsksOnlyTheLogs(t *testing.T) {
	b, w := elected()
	for !b.AskedLogs() {
		expect(t, w, "waiting")
		w.now = b.NextWake()
		b.Wake()
	}
	expect(t, w, "silence", "4/2: inquire", "5/3: inquire")
}

// Where all goes through the elected node, its message has the others' Prepares as addressed; a
// silent participant is asked directly.
func TestPreparesThroughALeader(t *testing.T) {
	a, w := begin(ThroughLeader, 2, 3)
	expect(t, w, "begun", "5/3: prepare, term 6")
	p := w.last.Prepare
	if p.VotesTo != 5 || len(p.Delegated) != 1 || p.Delegated[0].To != 4 || p.Delegated[0].Prepare.Shard != 2 || p.Delegated[0].Prepare.Term != 6 || p.Delegated[0].Prepare.VotesTo != 5 {
		t.Fatalf("sent %+v", p)
	}
	if !slices.Equal(w.asked, []string{"4 of 2", "5 of 3"}) {
		t.Errorf("asked %q", w.asked)
	}
	w.now = a.NextWake()
	a.Wake()
	expect(t, w, "silence", "4/2: prepare, term 6", "5/3: prepare, term 6")
}

// A single participant, or a leader at the gateway, needs no elected node.
func TestTheGatewayDecidesWithoutAnotherNode(t *testing.T) {
	_, w := begin(AtLeader, 3)
	if expect(t, w, "one participant", "5/3: prepare in one phase, term 6"); w.last.Prepare.VotesTo != 0 {
		t.Errorf("the vote goes to %d", w.last.Prepare.VotesTo)
	}
	w = &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 1}, term: 6}
	deciderOf(ThroughLeader, w).Open(AttemptInit{ID: ours, Txn: txn.ID(ours), Participants: []txn.ShardID{2, 3}, Prepares: preparesOf([]txn.ShardID{2, 3})}).Ask()
	if expect(t, w, "the chosen leader is here", "4/2: prepare, term 6", "1/3: prepare, term 6"); w.last.Prepare.VotesTo != 0 {
		t.Errorf("the vote goes to %d", w.last.Prepare.VotesTo)
	}
}
