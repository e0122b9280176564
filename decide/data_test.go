package decide

import (
	"testing"

	"isochron/txn"
)

// fixedSetPrepare is an attempt on shards 2 and 3 whose writes are logged in shard 4.
func fixedSetPrepare(adopted bool) (*Attempt, *toy) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5}, term: 6}
	decider, shards := deciderOf(Carousel, w), []txn.ShardID{2, 3}
	if adopted {
		return decider.Adopt(txn.Orphan{Attempt: ours, Txn: txn.ID(ours), Participants: shards, RecordShard: 4, FixedSet: true}), w
	}
	a := decider.Open(AttemptInit{ID: ours, Txn: txn.ID(ours), Participants: shards, Prepares: preparesOf(shards), RecordShard: 4, FixedSet: true})
	a.Ask()
	w.sent = nil
	return a, w
}

var someData = []txn.ShardWrites{{Shard: 3, Writes: []txn.Write{{Key: "k", Value: []byte("v")}}}}

// A 2FI attempt commits when all have voted and the log has its writes, whichever is last; the
// decision messages contain the writes.
func TestVotesAndWritesCommit(t *testing.T) {
	for _, votesFirst := range []bool{true, false} {
		a, w := fixedSetPrepare(false)
		votes := func() { a.Receive(4, yes(2, 10)); a.Receive(5, yes(3, 12)) }
		writes := func() {
			Supply(a, someData)
			wantLogged(t, w, "log data [{3 [{k [118]}]}]")
			a.Rule(LogAnswer{Known: true, Commit: true})
		}
		first, then := votes, writes
		if !votesFirst {
			first, then = writes, votes
		}
		first()
		taken(t, a, Open, 0)
		then()
		taken(t, a, Commit, 12)
		a.Announce()
		if d := w.last.Decide; d == nil || d.Shard != 3 || len(d.Writes) != 1 {
			t.Errorf("shard 3 receives %+v", w.last)
		}
	}
}

// Before its writes are known the coordinator may withdraw it; afterwards silence leads to the
// logs.
func TestWithdrawnBeforeItsWrites(t *testing.T) {
	a, _ := fixedSetPrepare(false)
	a.Receive(4, yes(2, 10))
	a.Terminate()
	taken(t, a, Abort, 0)

	a, w := fixedSetPrepare(false)
	Supply(a, someData)
	a.Receive(4, yes(2, 10))
	a.Terminate()
	taken(t, a, Open, 0)
	expect(t, w, "the logs are asked", "5/3: inquire")
}

// If the log does not answer the writes are logged again; if another node has ended the attempt
// there, it aborts, whatever the votes.
func TestWritesReceivedTooLate(t *testing.T) {
	a, w := fixedSetPrepare(false)
	Supply(a, someData)
	w.logged = nil
	a.Rule(LogAnswer{})
	w.now = a.NextWake()
	a.Wake()
	wantLogged(t, w, "log data [{3 [{k [118]}]}]")
	a.Receive(4, yes(2, 10))
	a.Receive(5, yes(3, 12))
	taken(t, a, Open, 0)
	a.Rule(LogAnswer{Known: true})
	taken(t, a, Abort, 0)
}

// Recovery asks for the writes first: if there are none it aborts the attempt, else the votes
// decide, and its messages equal the coordinator's.
func TestRecoveryAsksForWritesFirst(t *testing.T) {
	a, w := fixedSetPrepare(true)
	a.Terminate()
	wantLogged(t, w, "log abort")
	expect(t, w, "the writes are sought")
	a.Rule(LogAnswer{Known: true})
	taken(t, a, Abort, 0)

	a, w = fixedSetPrepare(true)
	a.Terminate()
	a.Rule(LogAnswer{Known: true, Commit: true, Data: someData})
	expect(t, w, "then the logs are asked", "4/2: inquire", "5/3: inquire")
	a.Receive(4, &txn.Message{InquireReply: &txn.InquireReply{Shard: 2, Attempt: ours, Result: txn.OutcomeYes, Proposed: 10}})
	a.Receive(5, &txn.Message{InquireReply: &txn.InquireReply{Shard: 3, Attempt: ours, Result: txn.OutcomeYes, Proposed: 12}})
	taken(t, a, Commit, 12)
	a.Announce()
	if d := w.last.Decide; d == nil || len(d.Writes) != 1 {
		t.Errorf("shard 3 receives %+v", w.last)
	}
}
