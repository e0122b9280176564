package decide

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

func TestLeadersAreAskedAndNotified(t *testing.T) {
	a, w := begin(LeaderVotes, 2, 3)
	expect(t, w, "begun", "4/2: prepare, term 6", "5/3: prepare, term 6")
	if !slices.Equal(w.asked, []string{"4 of 2", "5 of 3"}) {
		t.Errorf("asked %q", w.asked)
	}
	a.Receive(4, yes(2, 10))
	taken(t, a, Open, 0)
	a.Receive(9, yes(9, 99)) // no participant
	a.Receive(5, yes(3, 12))
	taken(t, a, Commit, 12)
	a.Announce()
	expect(t, w, "decided", "4/2: commit at 12", "5/3: commit at 12")
	a.Receive(4, &txn.Message{DecideAck: &txn.DecideAck{Shard: 2, Attempt: ours}})
	a.Receive(4, &txn.Message{DecideAck: &txn.DecideAck{Shard: 2, Attempt: ours}})
	if a.Done() {
		t.Fatal("one participant does not know the end")
	}
	w.now += a.decider.Params.ResendAfter
	a.Wake()
	expect(t, w, "sent again", "5/3: commit at 12")
	if a.Receive(5, &txn.Message{DecideAck: &txn.DecideAck{Shard: 3, Attempt: ours}}); !a.Done() {
		t.Error("all know the end")
	}
}

// A silent participant is asked again, and after four times the logs are; a timer decides nothing.
func TestMissingVotesAreReadFromTheLogs(t *testing.T) {
	a, w := begin(LeaderVotes, 2, 3)
	a.Receive(4, yes(2, 10))
	for i := range 4 {
		w.sent = nil
		if a.Due(a.wakeAt-1) || a.NextWake() != w.now+a.decider.Params.ResendAfter {
			t.Fatalf("due at %v, now is %v", a.NextWake(), w.now)
		}
		w.now = a.NextWake()
		a.Wake()
		if asksLogs := i == 3; asksLogs != a.AskedLogs() {
			t.Fatalf("after %d times it asks the logs: %v", i+1, a.AskedLogs())
		}
	}
	expect(t, w, "silence", "5/3: inquire")
	if !slices.Equal(w.notes, []txn.NodeEventKind{txn.EventRecoveryStarted}) {
		t.Errorf("noted %v", w.notes)
	}
	for range 100 {
		w.now = a.NextWake()
		a.Wake()
	}
	taken(t, a, Open, 0)
	a.Receive(5, &txn.Message{InquireReply: &txn.InquireReply{Shard: 3, Attempt: ours, Result: txn.OutcomeNo}})
	taken(t, a, Abort, 0)
	w.sent = nil
	a.Announce()
	expect(t, w, "a fence", "4/2: abort")
}

// A Prepare is for one leader: its successor knows the vote only from the log.
func TestASuccessorIsAskedForItsLog(t *testing.T) {
	a, w := begin(LeaderVotes, 2, 3)
	w.sent = nil
	if a.Due(w.now) {
		t.Fatal("nothing has happened")
	}
	w.term = 7
	if !a.Due(w.now) || a.NextWake() != 0 {
		t.Fatal("a leader whose vote is missing has a successor")
	}
	a.Wake()
	expect(t, w, "a later term", "4/2: inquire", "5/3: inquire")

	a, w = begin(LeaderVotes, 2, 3)
	w.sent = nil
	a.Receive(4, &txn.Message{NotLeader: &txn.NotLeader{Shard: 2, Attempt: ours, Term: 6}})
	if expect(t, w, "elected, but not serving"); a.wakeAt != 2*a.decider.Params.TickInterval {
		t.Errorf("asks again at %v", a.wakeAt)
	}
	a.Receive(4, &txn.Message{NotLeader: &txn.NotLeader{Shard: 2, Attempt: ours, Term: 8}})
	expect(t, w, "a later leader refuses", "4/2: inquire", "5/3: inquire")
}

func TestAnUnknownLeaderIsLocated(t *testing.T) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{3: 5}}
	a := deciderOf(LeaderVotes, w).Open(AttemptInit{ID: ours, Participants: []txn.ShardID{2, 3}, Prepares: preparesOf([]txn.ShardID{2, 3})})
	a.Ask()
	if expect(t, w, "an unknown term", "5/3: prepare, term 0"); w.last.Prepare == a.Prepares[1] || a.wakeAt != leaderWait {
		t.Error("a Prepare without a term must not be processed; and a leader is looked up soon")
	}
}

// A single participant's Yes is the commit, unless it awaits the decision.
func TestOnePhase(t *testing.T) {
	for _, awaits := range []bool{false, true} {
		a, w := begin(LeaderVotes, 2)
		expect(t, w, "begun", "4/2: prepare in one phase, term 6")
		v := yes(2, 10)
		v.Vote.AwaitsDecision = awaits
		a.Receive(4, v)
		taken(t, a, Commit, 10)
		a.Announce()
		if a.Done() == awaits || (len(w.sent) == 0) == awaits {
			t.Errorf("awaits the decision %v: done %v, sent %q", awaits, a.Done(), w.sent)
		}
	}
}

// Leaders answer a read-only attempt by their leases: a leader of any term will do, and no decision
// is sent.
func TestReadOnlyAttemptsHoldNothing(t *testing.T) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5}, term: 6}
	shards := []txn.ShardID{2, 3}
	a := deciderOf(LeaderVotes, w).Open(AttemptInit{ID: ours, Participants: shards, Prepares: preparesOf(shards), ReadOnly: true})
	a.Ask()
	w.term, w.now, w.sent = 7, time.Hour, nil
	a.Wake()
	expect(t, w, "a later term, very late", "4/2: prepare, term 7", "5/3: prepare, term 7")
	a.Receive(4, yes(2, 1))
	a.Receive(5, yes(3, 1))
	taken(t, a, Commit, 1)
	if a.Announce(); !a.Done() {
		t.Error("a decision was sent for a read-only attempt")
	}
	expect(t, w, "confirmed")
}

func TestReasonsOfAborts(t *testing.T) {
	for _, c := range []struct {
		m    txn.Message
		want txn.Cause
		sent []string
	}{
		{txn.Message{Vote: &txn.Vote{Shard: 2, Refused: txn.KindAborted, Reason: "r", Cause: txn.CauseValidation}}, txn.CauseValidation, []string{"5/3: abort"}},
		{txn.Message{Vote: &txn.Vote{Shard: 2, Yes: true, Doomed: true}}, txn.CauseCascade, []string{"4/2: abort", "5/3: abort"}},
		{txn.Message{DependencyDecided: &txn.DependencyDecided{Shard: 2, Doomed: true}}, txn.CauseCascade, []string{"4/2: abort", "5/3: abort"}},
		{txn.Message{InquireReply: &txn.InquireReply{Shard: 2, Result: txn.OutcomeAborted}}, txn.CauseLeader, []string{"5/3: abort"}},
	} {
		a, w := begin(LeaderVotes, 2, 3)
		w.sent = nil
		a.Receive(4, &c.m)
		taken(t, a, Abort, 0)
		if a.Announce(); a.Reason().Cause != c.want {
			t.Errorf("%s: aborts because of %v", what(c.m), a.Reason().Cause)
		}
		expect(t, w, a.Reason().Error(), c.sent...)
	}
}

// A Yes with undecided writers counts when these are committed.
func TestAnOpenYesWaitsForItsWriters(t *testing.T) {
	a, _ := begin(LeaderVotes, 2)
	v := yes(2, 10)
	v.Vote.Open = true
	a.Receive(4, v)
	taken(t, a, Open, 0)
	a.Receive(4, &txn.Message{DependencyDecided: &txn.DependencyDecided{Shard: 2, Attempt: ours}})
	taken(t, a, Commit, 10)
}

// Recovery of another's attempt asks the logs immediately, and decides as they force.
func TestAnAdoptedAttemptAsksTheLogs(t *testing.T) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5}, term: 6}
	a := deciderOf(LeaderVotes, w).Adopt(txn.Orphan{Attempt: ours, Txn: txn.ID(ours), Participants: []txn.ShardID{2, 3}})
	a.Terminate()
	expect(t, w, "adopted", "4/2: inquire", "5/3: inquire")
	if !slices.Equal(w.notes, []txn.NodeEventKind{txn.EventTakesOver}) {
		t.Errorf("noted %v", w.notes)
	}
	a.Receive(4, &txn.Message{InquireReply: &txn.InquireReply{Shard: 2, Result: txn.OutcomeYes, Proposed: 3}})
	taken(t, a, Open, 0)
	a.Receive(5, &txn.Message{InquireReply: &txn.InquireReply{Shard: 3, Result: txn.OutcomeCommitted, At: 9}})
	taken(t, a, Commit, 9)
	a.Announce()
	expect(t, w, "a commit is found", "4/2: commit at 9")
}

// The first No aborts; under AbortsLikeCommits only when all have voted.
func TestANoWaitsForTheOtherVotes(t *testing.T) {
	no := &txn.Message{Vote: &txn.Vote{Shard: 2, Attempt: ours, Refused: txn.KindAborted, Reason: "a conflict"}}
	a, _ := begin(LeaderVotes, 2, 3)
	a.Receive(4, no)
	taken(t, a, Abort, 0)
	for _, last := range []*txn.Message{yes(3, 12), {Vote: &txn.Vote{Shard: 3, Attempt: ours, Refused: txn.KindAborted, Reason: "another"}}} {
		for _, noFirst := range []bool{true, false} {
			a, _ := begin(LeaderVotes, 2, 3)
			a.decider.Params.AbortsLikeCommits = true
			first, second, from := no, last, txn.NodeID(4)
			if !noFirst {
				first, second, from = last, no, 5
			}
			a.Receive(from, first)
			a.Receive(from, first)
			taken(t, a, Open, 0)
			a.Receive(9-from, second)
			taken(t, a, Abort, 0)
		}
	}
}
