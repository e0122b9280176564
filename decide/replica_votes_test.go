package decide

import (
	"testing"

	"isochron/txn"
)

// say is one replica's vote in a view; the leader of every view is replica 1.
func say(replica txn.NodeID, view uint64, a txn.ValidationResult) *txn.ReplicaVote {
	return &txn.ReplicaVote{Shard: 2, Replica: replica, View: view, Result: a, Leads: replica == 1, At: 7}
}

func TestTheFastPathNeedsItsQuorum(t *testing.T) {
	const ok, no, abstain = txn.ValidationOK, txn.ValidationNo, txn.ValidationAbstain
	for _, c := range []struct {
		name    string
		choice  Policy
		n       int
		answers []txn.ValidationResult // of replicas 1, 2 ...
		want    Verdict
	}{
		{"all of three", FastQuorum, 3, []txn.ValidationResult{ok, ok, ok}, Commit},
		{"two of three", FastQuorum, 3, []txn.ValidationResult{ok, ok}, Open},
		{"four of five", FastQuorum, 5, []txn.ValidationResult{ok, ok, ok, ok}, Commit},
		{"three of five", FastQuorum, 5, []txn.ValidationResult{ok, ok, ok}, Open},
		{"four of five, all are needed", FastUnanimous, 5, []txn.ValidationResult{ok, ok, ok, ok}, Open},
		{"five of five", FastUnanimous, 5, []txn.ValidationResult{ok, ok, ok, ok, ok}, Commit},
		{"the leader among four", FastWithLeader, 5, []txn.ValidationResult{ok, no, ok, ok, ok}, Commit},
		{"four without the leader", FastWithLeader, 5, []txn.ValidationResult{no, ok, ok, ok, ok}, Open},
		{"too many against for any fast path", FastQuorum, 3, []txn.ValidationResult{ok, no, no}, Abort},
		{"one against", FastQuorum, 3, []txn.ValidationResult{ok, ok, no}, Open},
		{"three against of five", FastQuorum, 5, []txn.ValidationResult{ok, ok, no, no, no}, Open},
		{"four against of five", FastQuorum, 5, []txn.ValidationResult{ok, no, no, no, abstain}, Abort},
		{"all agree where there is no fast path", GPAC, 3, []txn.ValidationResult{ok, ok, ok}, Open},
		{"a majority against where there is no fast path", GPAC, 3, []txn.ValidationResult{ok, no, abstain}, Abort},
		{"one against where there is no fast path", GPAC, 3, []txn.ValidationResult{ok, ok, no}, Open},
		{"all but the leader against: it proposes Yes", FastWithLeader, 3, []txn.ValidationResult{ok, no, no}, Open},
		{"the leader and one more against", FastWithLeader, 3, []txn.ValidationResult{no, no, ok}, Abort},
	} {
		tally := NewTally([]txn.ShardID{2})
		for i, a := range c.answers {
			tally.CountReplicaVote(c.choice, c.n, say(txn.NodeID(i+1), 0, a))
		}
		if v, at := tally.Verdict(); v != c.want || v == Commit && at != 7 {
			t.Errorf("%s: %v at %d, want %v", c.name, v, at, c.want)
		}
	}
}

func TestVotesOfTwoViewsDoNotAddUp(t *testing.T) {
	tally := NewTally([]txn.ShardID{2})
	tally.CountReplicaVote(FastQuorum, 3, say(1, 4, txn.ValidationOK))
	tally.CountReplicaVote(FastQuorum, 3, say(2, 4, txn.ValidationOK))
	tally.CountReplicaVote(FastQuorum, 3, say(3, 5, txn.ValidationOK))
	tally.CountReplicaVote(FastQuorum, 3, say(1, 4, txn.ValidationOK)) // late
	if v, _ := tally.Verdict(); v != Open {
		t.Fatalf("two views together: %v", v)
	}
	tally.CountReplicaVote(FastQuorum, 3, say(1, 5, txn.ValidationOK))
	tally.CountReplicaVote(FastQuorum, 3, say(2, 5, txn.ValidationOK))
	if v, _ := tally.Verdict(); v != Commit {
		t.Fatalf("all in the newer view: %v", v)
	}
}

func TestAMajorityThatAcceptsDecides(t *testing.T) {
	accepted := func(replica txn.NodeID, view uint64, yes bool) *txn.Accepted {
		return &txn.Accepted{Shard: 2, Replica: replica, View: view, Yes: yes, At: 7}
	}
	tally := NewTally([]txn.ShardID{2})
	tally.Accepted(3, accepted(1, 1, true))
	tally.Accepted(3, accepted(1, 1, true))
	tally.Accepted(3, accepted(2, 2, true))
	if v, _ := tally.Verdict(); v != Open {
		t.Fatalf("one replica in each of two views: %v", v)
	}
	tally.Accepted(3, accepted(3, 2, true))
	if v, at := tally.Verdict(); v != Commit || at != 7 {
		t.Fatalf("two of three: %v at %d", v, at)
	}
	tally = NewTally([]txn.ShardID{2})
	tally.Accepted(3, accepted(1, 1, false))
	tally.Accepted(3, accepted(2, 1, false))
	if v, _ := tally.Verdict(); v != Abort {
		t.Fatalf("two of three have accepted a No: %v", v)
	}
}

// A coordinator repeats its proposal of a view, and nothing else counts beside it: not even a late
// fast path.
func TestACoordinatorProposesOneThing(t *testing.T) {
	tally := NewTally([]txn.ShardID{2})
	for i, a := range []txn.ValidationResult{txn.ValidationOK, txn.ValidationOK, txn.ValidationAbstain} {
		tally.CountReplicaVote(FastQuorum, 5, say(txn.NodeID(i+1), 0, a))
	}
	if _, _, ok := tally.Propose(FastQuorum, 2, 5, false); ok {
		t.Fatal("proposed while two more may agree")
	}
	yes, _, ok := tally.Propose(FastQuorum, 2, 5, true)
	if !ok || yes {
		t.Fatalf("late, and fewer than a majority agree: %v %v", yes, ok)
	}
	tally.CountReplicaVote(FastQuorum, 5, say(4, 0, txn.ValidationOK))
	tally.CountReplicaVote(FastQuorum, 5, say(5, 0, txn.ValidationOK))
	if v, _ := tally.Verdict(); v != Open {
		t.Fatalf("a fast path after a No was proposed: %v", v)
	}
	if yes, _, ok := tally.Propose(FastQuorum, 2, 5, true); !ok || yes {
		t.Fatal("another proposal in the same view")
	}
}

func TestASlowPathHonoursANo(t *testing.T) {
	tally := NewTally([]txn.ShardID{2})
	for i, a := range []txn.ValidationResult{txn.ValidationOK, txn.ValidationOK, txn.ValidationNo} {
		tally.CountReplicaVote(FastQuorum, 3, say(txn.NodeID(i+1), 0, a))
	}
	if yes, _, ok := tally.Propose(FastQuorum, 2, 3, false); !ok || yes {
		t.Fatalf("one No: %v %v", yes, ok)
	}
}

func TestQuorumsMeetInEnough(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for _, c := range []Policy{FastWithLeader, FastUnanimous, FastQuorum} {
			f := n - Majority(n) // are silent
			if perhaps := c.FastPathPossible(n); 2*perhaps <= Majority(n) || perhaps > Majority(n) {
				t.Errorf("%v, %d replicas: two opposite answers can both look like a fast path to one majority (%d of %d)", c, n, perhaps, Majority(n))
			}
			if c.FastPath(n)-f < c.FastPathPossible(n) {
				t.Errorf("%v, %d replicas: a majority may overlook a fast path", c, n)
			}
		}
	}
}
