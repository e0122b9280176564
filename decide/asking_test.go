package decide

import (
	"slices"
	"testing"

	"isochron/txn"
)

// In turn, each is asked, and told, when the one before it has answered, and is looked for as one
// that was not asked before: who is looked for again and again may be asked where it is not.
func TestInTurn(t *testing.T) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5, 4: 6, 5: 7}, term: 6}
	r := roomOf(LoggedDecision, w)
	r.Choice, r.Asks = LeaderVotes, InTurn
	shards := []txn.ShardID{2, 3, 4, 5}
	a := r.Open(Opening{ID: ours, Txn: txn.ID(ours), Participants: shards, Prepares: preparesOf(shards)})
	a.Ask()
	expect(t, w, "begun", "4/2: prepare, term 6")
	for i, s := range shards[:3] {
		a.Hear(w.leader[s], yes(s, 10))
		a.Hear(w.leader[s], yes(s, 10)) // the same vote once more has nobody asked
		expect(t, w, "a vote", []string{"5/3: prepare, term 6", "6/4: prepare, term 6", "7/5: prepare, term 6"}[i])
	}
	a.Hear(7, yes(5, 10))
	taken(t, a, Commit, 10)
	a.Announce()
	expect(t, w, "decided", "4/2: commit at 10")
	for i, s := range shards {
		a.Hear(w.leader[s], &txn.Message{DecideAck: &txn.DecideAck{Shard: s, Attempt: ours}})
		a.Hear(w.leader[s], &txn.Message{DecideAck: &txn.DecideAck{Shard: s, Attempt: ours}})
		if i < 3 {
			expect(t, w, "an acknowledgement", []string{"5/3: commit at 10", "6/4: commit at 10", "7/5: commit at 10"}[i])
		}
	}
	if !a.Done() || slices.Max(w.tried[:4]) > 0 || slices.Max(w.tried[len(w.tried)-3:]) > 0 {
		t.Errorf("done %v; leaders were looked for as tries %v", a.Done(), w.tried)
	}
}
