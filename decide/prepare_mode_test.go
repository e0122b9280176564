package decide

import (
	"slices"
	"testing"

	"isochron/txn"
)

// Sequential: each participant is asked, and notified, when the one before it has answered, with a
// try number of its own: a leader looked up again and again may be asked where it is not.
func TestSequentialPrepares(t *testing.T) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5, 4: 6, 5: 7}, term: 6}
	r := deciderOf(LoggedDecision, w)
	r.Policy, r.Prepares = LeaderVotes, Sequential
	shards := []txn.ShardID{2, 3, 4, 5}
	a := r.Open(AttemptInit{ID: ours, Txn: txn.ID(ours), Participants: shards, Prepares: preparesOf(shards)})
	a.Ask()
	expect(t, w, "begun", "4/2: prepare, term 6")
	for i, s := range shards[:3] {
		a.Receive(w.leader[s], yes(s, 10))
		a.Receive(w.leader[s], yes(s, 10)) // a repeated vote causes no request
		expect(t, w, "a vote", []string{"5/3: prepare, term 6", "6/4: prepare, term 6", "7/5: prepare, term 6"}[i])
	}
	a.Receive(7, yes(5, 10))
	taken(t, a, Commit, 10)
	a.Announce()
	expect(t, w, "decided", "4/2: commit at 10")
	for i, s := range shards {
		a.Receive(w.leader[s], &txn.Message{DecideAck: &txn.DecideAck{Shard: s, Attempt: ours}})
		a.Receive(w.leader[s], &txn.Message{DecideAck: &txn.DecideAck{Shard: s, Attempt: ours}})
		if i < 3 {
			expect(t, w, "an acknowledgement", []string{"5/3: commit at 10", "6/4: commit at 10", "7/5: commit at 10"}[i])
		}
	}
	if !a.Done() || slices.Max(w.tried[:4]) > 0 || slices.Max(w.tried[len(w.tried)-3:]) > 0 {
		t.Errorf("done %v; leaders looked up as tries %v", a.Done(), w.tried)
	}
}

// twice is an attempt whose sources 2 and 3 are asked twice, and whose decision is logged in 4.
func twice(shards ...txn.ShardID) (*Attempt, *toy) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5}, term: 6}
	r := deciderOf(LoggedDecision, w)
	r.Prepares = PrepareThenValidate
	a := r.Open(AttemptInit{ID: ours, Txn: txn.ID(ours), Participants: shards, Prepares: preparesOf(shards), RecordShard: 4})
	a.Ask()
	w.sent = nil
	return a, w
}

func openYes(s txn.ShardID) *txn.Message {
	m := yes(s, 0)
	m.Vote.Open = true
	return m
}

// PrepareThenValidate: when all have prepared, and not before, those with an open Yes are asked
// again; after their answers the commit is proposed to the log. A lost request is repeated.
func TestPrepareThenValidate(t *testing.T) {
	a, w := twice(2, 3)
	a.Receive(4, openYes(2))
	taken(t, a, Open, 0)
	expect(t, w, "one has prepared")
	a.Receive(5, yes(3, 0))
	expect(t, w, "all have", "4/2: validate, term 6")
	a.Receive(4, openYes(2)) // a repeated vote
	taken(t, a, Open, 0)
	wantLogged(t, w)
	expect(t, w, "an old vote")
	w.now = a.NextWake()
	a.Wake()
	expect(t, w, "no answer", "4/2: validate, term 6")
	a.Receive(4, yes(2, 0))
	taken(t, a, Open, 0)
	wantLogged(t, w, "log commit")
	a.Rule(LogAnswer{Known: true, Commit: true})
	taken(t, a, Commit, 0)
	a.Announce()
	expect(t, w, "the log has it", "4/2: commit at 0", "5/3: commit at 0")
}

// A source that finds a changed read aborts the attempt, and so does silence, or a restarted agent:
// only this coordinator can have logged a commit.
func TestPrepareThenValidateAborts(t *testing.T) {
	for what, input := range map[string]func(a *Attempt, w *toy){
		"something else": func(a *Attempt, w *toy) {
			a.Receive(4, &txn.Message{Vote: &txn.Vote{Shard: 2, Attempt: ours, Refused: txn.KindAborted, Reason: "changed"}})
		},
		"silence": func(a *Attempt, w *toy) {
			w.now = a.terminateAt
			a.Wake()
		},
		"another incarnation": func(a *Attempt, w *toy) {
			a.Receive(4, &txn.Message{NotLeader: &txn.NotLeader{Shard: 2, Leader: 4, Term: 7, Attempt: ours}})
		},
	} {
		a, w := twice(2, 3)
		a.Receive(4, openYes(2))
		a.Receive(5, openYes(3))
		expect(t, w, "all have prepared", "4/2: validate, term 6", "5/3: validate, term 6")
		a.Receive(5, yes(3, 0))
		input(a, w)
		if v, _, ok := a.Take(); v != Abort || !ok || len(w.logged) > 0 {
			t.Errorf("%s: %v, logged %q", what, v, w.logged)
		}
	}
}

// A single source is prepared as well: its Yes is no commit.
func TestPrepareThenValidateOfOne(t *testing.T) {
	a, w := twice(2)
	if a.Prepares[0].OnePhase {
		t.Error("a single Yes counts as the commit")
	}
	a.Receive(4, yes(2, 0))
	taken(t, a, Open, 0)
	wantLogged(t, w, "log commit")
}
