package decide

import (
	"testing"

	"isochron/txn"
)

func ackOf(s txn.ShardID, replica txn.NodeID) *txn.Message {
	return &txn.Message{Ack: &txn.Ack{Shard: s, Attempt: ours, Replica: replica, Term: 6, Index: 3, Voters: []txn.NodeID{4, 5, 6}, Proposed: 10, AwaitsDecision: true}}
}

// Two of three replicas of each participant force a commit before any leader's own vote has
// arrived; the leader of this region ends its span as soon as every leader is known to have voted,
// and the other co-coordinators receive the decision.
func TestAMajorityPastTheLeadersDecides(t *testing.T) {
	a, w := begin(CoCoordinators, 2, 3)
	w.sent = nil
	a.Receive(4, ackOf(2, 4))
	expect(t, w, "one vote")
	a.Receive(6, ackOf(3, 6))
	expect(t, w, "all leaders have voted", "4/2: pre-commit at 10")
	a.Receive(5, ackOf(3, 5))
	expect(t, w, "a majority at one")
	taken(t, a, Open, 0)
	a.Receive(5, ackOf(2, 5))
	taken(t, a, Commit, 10)
	a.Announce()
	expect(t, w, "decided", "8: decision, commit: true", "9: decision, commit: true", "4/2: commit at 10", "5/3: commit at 10")
	a.Receive(9, &txn.Message{QueryDecision: &txn.QueryDecision{Attempt: ours}})
	expect(t, w, "asked", "9: decision, commit: true")
}

// A No past the leader waits for the leader's own, which has the reason.
func TestANoPastTheLeaderDoesNotDecide(t *testing.T) {
	a, _ := begin(CoCoordinators, 2, 3)
	no := ackOf(2, 0)
	no.Ack.No = true
	a.Receive(4, no)
	taken(t, a, Open, 0)
}

// Recovery of a single-participant attempt asks only its log, and its coordinator must decide if an
// acknowledgement awaits the decision.
func TestASingleParticipantsEndIsNotShared(t *testing.T) {
	a, w := begin(CoCoordinators, 2)
	a.Receive(4, ackOf(2, 4))
	a.Receive(5, ackOf(2, 5))
	taken(t, a, Commit, 10)
	w.sent = nil
	a.Announce()
	expect(t, w, "decided", "4/2: commit at 10")
}

// Recovery asks the co-coordinators beside the logs, and accepts their decision.
func TestRecoveryAsksCoCoordinators(t *testing.T) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5}, term: 6, coords: []txn.NodeID{1, 8}}
	a := deciderOf(CoCoordinators, w).Adopt(txn.Orphan{Attempt: ours, Txn: txn.ID(ours), Participants: []txn.ShardID{2, 3}})
	a.Terminate()
	expect(t, w, "adopted", "1: recall", "8: recall", "4/2: inquire", "5/3: inquire")
	a.Receive(8, &txn.Message{Decision: &txn.Decision{Attempt: ours, Commit: true, At: 11}})
	taken(t, a, Commit, 11)
	a.Announce() // its coordinator shares it
	expect(t, w, "found", "4/2: commit at 11", "5/3: commit at 11")
}

// Where only leaders vote these messages are ignored.
func TestOnlyLeadersReceiveNoAcknowledgements(t *testing.T) {
	a, w := begin(LeaderVotes, 2)
	w.sent = nil
	for _, replica := range []txn.NodeID{4, 5, 6} {
		a.Receive(replica, ackOf(2, replica))
	}
	taken(t, a, Open, 0)
	expect(t, w, "acknowledgements")
}
