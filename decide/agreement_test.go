package decide

import (
	"testing"

	"isochron/txn"
)

func replicaVoteOf(s txn.ShardID, replica txn.NodeID, view uint64, answer txn.ValidationResult) *txn.Message {
	m := replicaVote(replica, answer)
	m.ReplicaVote.Shard, m.ReplicaVote.View = s, view
	return m
}

func acceptedBy(s txn.ShardID, replica txn.NodeID, view uint64) *txn.Message {
	return &txn.Message{Accepted: &txn.Accepted{Shard: s, Attempt: ours, View: view, Replica: replica, Yes: true, At: 7}}
}

// The commit is proposed to all when every participant has a majority for it, and counts when a
// majority of each has accepted it.
func TestMajoritiesVoteAndThenAccept(t *testing.T) {
	a, w := begin(GPAC, 2, 3)
	w.sent = nil
	for _, replica := range []txn.NodeID{4, 5, 6} {
		a.Receive(replica, replicaVoteOf(2, replica, 1, txn.ValidationOK))
	}
	a.Receive(4, replicaVoteOf(3, 4, 1, txn.ValidationOK))
	a.Receive(5, replicaVoteOf(3, 5, 1, txn.ValidationNo))
	expect(t, w, "one participant has no majority")
	a.Receive(6, replicaVoteOf(3, 6, 1, txn.ValidationOK))
	expect(t, w, "each has a majority", "4/2: accept true in view 1", "5/2: accept true in view 1", "6/2: accept true in view 1",
		"4/3: accept true in view 1", "5/3: accept true in view 1", "6/3: accept true in view 1")
	a.Receive(6, replicaVoteOf(3, 6, 1, txn.ValidationOK))
	expect(t, w, "the same vote again")
	for _, m := range []*txn.Message{acceptedBy(2, 4, 1), acceptedBy(2, 5, 1), acceptedBy(3, 6, 1)} {
		taken(t, a, Open, 0)
		a.Receive(m.Accepted.Replica, m)
	}
	taken(t, a, Open, 0)
	a.Receive(5, acceptedBy(3, 5, 1))
	taken(t, a, Commit, 7)
}

// A participant whose majority votes against it aborts, and nothing is proposed.
func TestAMajorityAgainstAborts(t *testing.T) {
	a, w := begin(GPAC, 2, 3)
	w.sent = nil
	for _, replica := range []txn.NodeID{4, 5} {
		a.Receive(replica, replicaVoteOf(2, replica, 1, txn.ValidationOK))
		a.Receive(replica, replicaVoteOf(3, replica, 1, txn.ValidationAbstain))
	}
	expect(t, w, "a majority against it")
	taken(t, a, Abort, 0)
}

// Where a replica is silent and the others do not agree, the attempt aborts at the second request;
// where they agree it continues.
func TestASilentReplicaIsNotWaitedForLong(t *testing.T) {
	a, _ := begin(GPAC, 2)
	a.Receive(4, replicaVoteOf(2, 4, 1, txn.ValidationOK))
	a.Receive(5, replicaVoteOf(2, 5, 1, txn.ValidationAbstain))
	taken(t, a, Open, 0)
	a.Wake()
	taken(t, a, Abort, 0)

	a, w := begin(GPAC, 2)
	a.Receive(4, replicaVoteOf(2, 4, 1, txn.ValidationOK))
	a.Receive(5, replicaVoteOf(2, 5, 1, txn.ValidationOK))
	w.sent = nil
	a.Wake()
	expect(t, w, "asked again", "4/2: prepare, term 0", "5/2: prepare, term 0", "6/2: prepare, term 0",
		"4/2: accept true in view 1", "5/2: accept true in view 1", "6/2: accept true in view 1")
	taken(t, a, Open, 0)
}

// A commit proposed in an older view is proposed again when majorities vote for it in the later
// one: no replica accepts the older proposal.
func TestACommitIsProposedAgainInALaterView(t *testing.T) {
	a, w := begin(GPAC, 2)
	for _, view := range []uint64{1, 2} {
		w.sent = nil
		a.Receive(4, replicaVoteOf(2, 4, view, txn.ValidationOK))
		expect(t, w, "one votes")
		a.Receive(5, replicaVoteOf(2, 5, view, txn.ValidationOK))
		if len(w.sent) != 3 || w.last.Accept.View != view {
			t.Errorf("in view %d: %q", view, w.sent)
		}
	}
	a.Receive(4, acceptedBy(2, 4, 1))
	a.Receive(4, acceptedBy(2, 4, 2))
	taken(t, a, Open, 0)
	a.Receive(6, acceptedBy(2, 6, 2))
	taken(t, a, Commit, 7)
}
