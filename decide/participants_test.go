package decide

import (
	"slices"
	"testing"

	"isochron/txn"
)

// openParticipant is a node that leads shard 2 of a foreign attempt, and one that leads none of its
// shards; 3 and 6 are led elsewhere.
func openParticipant() (*CoCoordinator, *toy) {
	c, w := openCoCoordinator()
	c.Policy, c.PreCommits = Participants, false
	w.leader = map[txn.ShardID]txn.NodeID{2: 1, 3: 5, 6: 7, 8: 1}
	return c, w
}

// entry is an acknowledgement of a vote in entry 4 of term 6.
func entry(s txn.ShardID, replica txn.NodeID) *txn.Ack {
	m := of(s, replica)
	m.Voters, m.Term, m.Index = []txn.NodeID{4, 5, 6}, 6, 4
	return m
}

// A participant's node decides by majorities as the coordinator does, notifies its own leaders
// only, once, and relays nothing.
func TestAParticipantDecidesForItself(t *testing.T) {
	c, w := openParticipant()
	for _, m := range []*txn.Ack{entry(2, 4), entry(3, 4), entry(6, 4), entry(2, 5), entry(3, 5), entry(6, 4)} {
		c.OnAck(m)
	}
	expect(t, w, "all votes, and a majority of two shards")
	older := entry(6, 5)
	older.Term = 5
	c.OnAck(older)
	expect(t, w, "an entry of an older term")
	c.OnAck(entry(6, 6))
	expect(t, w, "the last majority", "1/2: commit at 16")
	c.OnAck(entry(6, 5))
	expect(t, w, "one more replica")
}

// A Yes with undecided writers is not decided here, since only the coordinator receives their
// outcome.
func TestAParticipantWaitsForOpenVotes(t *testing.T) {
	c, w := openParticipant()
	for _, s := range []txn.ShardID{2, 3, 6} {
		for _, n := range []txn.NodeID{4, 5} {
			m := entry(s, n)
			m.Open = s == 3
			c.OnAck(m)
		}
	}
	expect(t, w, "an open vote")
}

// A No aborts the attempt at this node's leaders.
func TestAParticipantReceivesANo(t *testing.T) {
	c, w := openParticipant()
	no := of(6, 0)
	no.No = true
	c.OnAck(no)
	expect(t, w, "a No", "1/2: abort")
}

// The coordinator and each node that leads a participant are notified once; of a No not the
// coordinator, which has it.
func TestEveryParticipantIsNotified(t *testing.T) {
	leader := map[txn.ShardID]txn.NodeID{2: 4, 3: 5, 6: 4, 7: 9}
	r := Route{Policy: Participants, Leader: func(s txn.ShardID) txn.NodeID { return leader[s] }}
	for _, c := range []struct {
		what string
		ack  txn.Ack
		want []txn.NodeID
	}{
		{"an entry", txn.Ack{Replica: 5}, []txn.NodeID{9, 4, 5}},
		{"a No", txn.Ack{No: true}, []txn.NodeID{4, 5}},
	} {
		c.ack.Shard, c.ack.Attempt, c.ack.Participants = 3, foreign, []txn.ShardID{2, 3, 6, 7, 8}
		var sent []txn.NodeID
		r.Acknowledge("a", &c.ack, true, func(n txn.NodeID) { sent = append(sent, n) })
		if !slices.Equal(sent, c.want) {
			t.Errorf("%s: notified %v, want %v", c.what, sent, c.want)
		}
	}
	if got := r.CoCoordinators(foreign); got != nil {
		t.Errorf("%v co-coordinate", got)
	}
}

// Where leaders reveal what all have validated, a participant's node notifies its own leaders only,
// once, before anything is logged, and not about multi-region transactions.
func TestAParticipantRevealsWhenAllHaveValidated(t *testing.T) {
	for _, several := range []txn.RegionPriority{0, 1} {
		c, w := openParticipant()
		c.PreCommits = true
		for _, s := range []txn.ShardID{2, 3} {
			m := of(s, 0)
			m.Region = several
			c.OnAck(m)
		}
		expect(t, w, "two of three have validated it")
		m := of(6, 0)
		m.Region = several
		c.OnAck(m)
		if several == 0 {
			expect(t, w, "all have", "1/2: pre-commit at 16")
		} else {
			expect(t, w, "all have, in several regions")
		}
	}
}
