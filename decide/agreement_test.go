package decide

import (
	"testing"

	"isochron/txn"
)

func opinionOf(s txn.ShardID, replica txn.NodeID, view uint64, answer txn.Answer) *txn.Message {
	m := opinion(replica, answer)
	m.Opinion.Shard, m.Opinion.View = s, view
	return m
}

func acceptedBy(s txn.ShardID, replica txn.NodeID, view uint64) *txn.Message {
	return &txn.Message{Accepted: &txn.Accepted{Shard: s, Attempt: ours, View: view, Replica: replica, Yes: true, At: 7}}
}

// The commit is proposed to all when every participant has a majority for it, and counts when a
// majority of each has taken it in.
func TestMajoritiesVoteAndThenAccept(t *testing.T) {
	a, w := begin(AgreedCommit, 2, 3)
	w.sent = nil
	for _, replica := range []txn.NodeID{4, 5, 6} {
		a.Hear(replica, opinionOf(2, replica, 1, txn.AnswerOK))
	}
	a.Hear(4, opinionOf(3, 4, 1, txn.AnswerOK))
	a.Hear(5, opinionOf(3, 5, 1, txn.AnswerNo))
	expect(t, w, "one participant has no majority")
	a.Hear(6, opinionOf(3, 6, 1, txn.AnswerOK))
	expect(t, w, "each has a majority", "4/2: accept true in view 1", "5/2: accept true in view 1", "6/2: accept true in view 1",
		"4/3: accept true in view 1", "5/3: accept true in view 1", "6/3: accept true in view 1")
	a.Hear(6, opinionOf(3, 6, 1, txn.AnswerOK))
	expect(t, w, "the same opinion again")
	for _, m := range []*txn.Message{acceptedBy(2, 4, 1), acceptedBy(2, 5, 1), acceptedBy(3, 6, 1)} {
		taken(t, a, Open, 0)
		a.Hear(m.Accepted.Replica, m)
	}
	taken(t, a, Open, 0)
	a.Hear(5, acceptedBy(3, 5, 1))
	taken(t, a, Commit, 7)
}

// A participant whose majority is against it aborts, and nothing is proposed to anybody.
func TestAMajorityAgainstAborts(t *testing.T) {
	a, w := begin(AgreedCommit, 2, 3)
	w.sent = nil
	for _, replica := range []txn.NodeID{4, 5} {
		a.Hear(replica, opinionOf(2, replica, 1, txn.AnswerOK))
		a.Hear(replica, opinionOf(3, replica, 1, txn.AnswerAbstain))
	}
	expect(t, w, "a majority against it")
	taken(t, a, Abort, 0)
}

// Where a replica is silent and the others do not agree, the attempt ends when they are asked
// again; where they agree it goes on.
func TestASilentReplicaIsNotWaitedForLong(t *testing.T) {
	a, _ := begin(AgreedCommit, 2)
	a.Hear(4, opinionOf(2, 4, 1, txn.AnswerOK))
	a.Hear(5, opinionOf(2, 5, 1, txn.AnswerAbstain))
	taken(t, a, Open, 0)
	a.Wake()
	taken(t, a, Abort, 0)

	a, w := begin(AgreedCommit, 2)
	a.Hear(4, opinionOf(2, 4, 1, txn.AnswerOK))
	a.Hear(5, opinionOf(2, 5, 1, txn.AnswerOK))
	w.sent = nil
	a.Wake()
	expect(t, w, "asked again", "4/2: prepare, term 0", "5/2: prepare, term 0", "6/2: prepare, term 0",
		"4/2: accept true in view 1", "5/2: accept true in view 1", "6/2: accept true in view 1")
	taken(t, a, Open, 0)
}

// What was proposed in an older view is proposed anew when majorities vote for it in the later one:
// nobody takes in what comes from the older.
func TestACommitIsProposedAnewInALaterView(t *testing.T) {
	a, w := begin(AgreedCommit, 2)
	for _, view := range []uint64{1, 2} {
		w.sent = nil
		a.Hear(4, opinionOf(2, 4, view, txn.AnswerOK))
		expect(t, w, "one votes")
		a.Hear(5, opinionOf(2, 5, view, txn.AnswerOK))
		if len(w.sent) != 3 || w.last.Accept.View != view {
			t.Errorf("in view %d: %q", view, w.sent)
		}
	}
	a.Hear(4, acceptedBy(2, 4, 1))
	a.Hear(4, acceptedBy(2, 4, 2))
	taken(t, a, Open, 0)
	a.Hear(6, acceptedBy(2, 6, 2))
	taken(t, a, Commit, 7)
}
