package decide

import (
	"testing"

	"isochron/txn"
)

func replicaVote(replica txn.NodeID, answer txn.ValidationResult) *txn.Message {
	return &txn.Message{ReplicaVote: &txn.ReplicaVote{Shard: 2, Attempt: ours, Replica: replica, View: 1, Leads: replica == 4, Result: answer, At: 7,
		Refused: txn.KindAborted, Reason: "a conflict", Above: 20}}
}

// All replicas are asked and notified, and each must acknowledge the decision.
func TestEveryReplicaIsAskedAndNotified(t *testing.T) {
	for _, c := range []Policy{FastWithLeader, FastUnanimous, FastQuorum} {
		a, w := begin(c, 2)
		expect(t, w, "begun", "4/2: prepare, term 0", "5/2: prepare, term 0", "6/2: prepare, term 0")
		for _, replica := range w.replicas {
			taken(t, a, Open, 0)
			a.Receive(replica, replicaVote(replica, txn.ValidationOK))
		}
		taken(t, a, Commit, 7)
		a.Announce()
		expect(t, w, "decided", "4/2: commit at 7", "5/2: commit at 7", "6/2: commit at 7")
		ack := &txn.Message{DecideAck: &txn.DecideAck{Shard: 2, Attempt: ours}}
		a.Receive(4, ack)
		a.Receive(6, ack)
		if a.Done() {
			t.Errorf("%v: one replica does not know the end", c)
		}
		a.Wake()
		if expect(t, w, "sent again", "5/2: commit at 7"); w.last.Decide.Prepare != a.Prepares[0] {
			t.Errorf("%v: a replica that may have missed the Prepare does not receive it", c)
		}
		if a.Receive(5, ack); !a.Done() {
			t.Errorf("%v: all know the end", c)
		}
	}
}

// Under EndsNotedFirst replicas apply a decision when a majority of the participant's has noted it:
// silent ones are asked again, and each must have applied it.
func TestADecisionIsStoredFirst(t *testing.T) {
	a, w := begin(FastQuorum, 2, 3)
	a.decider.Params.EndsNotedFirst = true
	for _, s := range a.Participants {
		for _, replica := range w.replicas {
			m := replicaVote(replica, txn.ValidationOK)
			m.ReplicaVote.Shard = s
			a.Receive(replica, m)
		}
	}
	taken(t, a, Commit, 7)
	w.sent = nil
	a.Announce()
	noted := []string{"4/2: note the end", "5/2: note the end", "6/2: note the end", "4/3: note the end", "5/3: note the end", "6/3: note the end"}
	expect(t, w, "decided", noted...)
	ack := func(s txn.ShardID, tentative bool) *txn.Message {
		return &txn.Message{DecideAck: &txn.DecideAck{Shard: s, Attempt: ours, Tentative: tentative}}
	}
	a.Receive(4, ack(2, true))
	a.Receive(4, ack(2, true))
	a.Receive(5, ack(3, true))
	expect(t, w, "one of each")
	a.Wake()
	expect(t, w, "silence", noted...)
	a.Receive(6, ack(2, true))
	expect(t, w, "a majority of one participant", "4/2: commit at 7", "5/2: commit at 7", "6/2: commit at 7")
	a.Receive(5, ack(2, true))
	expect(t, w, "the last of it")
	for _, replica := range w.replicas {
		a.Receive(replica, ack(2, false))
	}
	a.Wake()
	expect(t, w, "silence of the other", noted[3:]...)
	a.Receive(4, ack(3, true))
	expect(t, w, "a majority of that", "4/3: commit at 7", "5/3: commit at 7", "6/3: commit at 7")
	for _, replica := range w.replicas {
		if a.Done() {
			t.Error("not all have acted")
		}
		a.Receive(replica, ack(3, false))
	}
	if !a.Done() {
		t.Error("all have acted")
	}
}

// Under AbortsLikeCommits a refusal counts when all replicas give the same, or else when all have
// answered and a majority has accepted it.
func TestARefusalIsAgreedUpon(t *testing.T) {
	for _, c := range []struct {
		name     string
		answers  []txn.ValidationResult // of 4, 5, 6
		proposed bool
	}{
		{"all the same", []txn.ValidationResult{txn.ValidationAbstain, txn.ValidationAbstain, txn.ValidationAbstain}, false},
		{"two against", []txn.ValidationResult{txn.ValidationNo, txn.ValidationNo, txn.ValidationOK}, true},
		{"one against", []txn.ValidationResult{txn.ValidationOK, txn.ValidationNo, txn.ValidationOK}, true},
		{"each otherwise", []txn.ValidationResult{txn.ValidationRetry, txn.ValidationNo, txn.ValidationAbstain}, true},
	} {
		w := &toy{replicas: []txn.NodeID{4, 5, 6}}
		decider := deciderOf(FastQuorum, w)
		decider.Params.AbortsLikeCommits = true
		a := decider.Open(AttemptInit{ID: ours, Txn: txn.ID(ours), Participants: []txn.ShardID{2}, Prepares: preparesOf([]txn.ShardID{2})})
		a.Ask()
		w.sent = nil
		for i, answer := range c.answers {
			expect(t, w, c.name+", not all have spoken")
			taken(t, a, Open, 0)
			a.Receive(w.replicas[i], replicaVote(w.replicas[i], answer))
		}
		if !c.proposed {
			taken(t, a, Abort, 0)
			continue
		}
		expect(t, w, c.name, "4/2: accept false in view 1", "5/2: accept false in view 1", "6/2: accept false in view 1")
		for _, replica := range []txn.NodeID{4, 6} {
			taken(t, a, Open, 0)
			a.Receive(replica, &txn.Message{Accepted: &txn.Accepted{Shard: 2, Attempt: ours, View: 1, Replica: replica}})
		}
		taken(t, a, Abort, 0)
	}
}

// Where a leader proposes, it is asked to when replicas are silent for too long.
func TestALeaderIsAskedToPropose(t *testing.T) {
	a, w := begin(FastUnanimous, 2)
	a.Receive(4, replicaVote(4, txn.ValidationOK))
	a.Receive(5, replicaVote(5, txn.ValidationAbstain))
	w.sent = nil
	a.Wake()
	expect(t, w, "silence", "4/2: prepare, term 0", "5/2: prepare, term 0", "6/2: prepare, term 0",
		"4/2: dispute in view 1", "5/2: dispute in view 1", "6/2: dispute in view 1")
	a.Receive(4, yes(2, 7)) // its proposal has a majority
	taken(t, a, Commit, 7)
}

// Where the coordinator proposes, it does as soon as no fast path is possible, once in a view, and
// again when late; a majority that accepts decides.
func TestTheCoordinatorProposes(t *testing.T) {
	a, w := begin(FastQuorum, 2)
	w.sent = nil
	a.Receive(4, replicaVote(4, txn.ValidationOK))
	a.Receive(5, replicaVote(5, txn.ValidationOK))
	expect(t, w, "all may still agree")
	a.Receive(6, replicaVote(6, txn.ValidationAbstain))
	expect(t, w, "no fast path can come", "4/2: accept true in view 1", "5/2: accept true in view 1", "6/2: accept true in view 1")
	a.Receive(6, replicaVote(6, txn.ValidationAbstain))
	expect(t, w, "the same vote again")
	for _, replica := range []txn.NodeID{4, 6} {
		taken(t, a, Open, 0)
		a.Receive(replica, &txn.Message{Accepted: &txn.Accepted{Shard: 2, Attempt: ours, View: 1, Replica: replica, Yes: true, At: 7}})
	}
	taken(t, a, Commit, 7)
}

// A refusal for the timestamp alone names a timestamp that would succeed.
func TestARefusedTimestampNamesABetterOne(t *testing.T) {
	a, _ := begin(FastQuorum, 2)
	for _, replica := range []txn.NodeID{4, 5} {
		a.Receive(replica, replicaVote(replica, txn.ValidationRetry))
	}
	taken(t, a, Abort, 0)
	if a.Above() != 20 || a.Reason().Kind != txn.KindAborted {
		t.Errorf("above %d, %v", a.Above(), a.Reason())
	}
}

// Every replica is asked about an attempt whose coordinator is lost, with its participants.
func TestEveryReplicaIsAskedOfALostAttempt(t *testing.T) {
	w := &toy{replicas: []txn.NodeID{4, 5}}
	a := deciderOf(FastQuorum, w).Adopt(txn.Orphan{Attempt: ours, Txn: txn.ID(ours), Participants: []txn.ShardID{2}})
	a.Terminate()
	if expect(t, w, "adopted", "4/2: inquire", "5/2: inquire"); len(w.last.Inquire.Participants) != 1 {
		t.Error("the participants are missing for a replica without the attempt")
	}
}
