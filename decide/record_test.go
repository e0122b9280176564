package decide

import (
	"fmt"
	"testing"

	"isochron/txn"
)

func (w *toy) LogDecision(id txn.Attempt, s txn.ShardID, commit bool, at txn.Timestamp) {
	what := "log abort"
	if commit {
		what = "log commit"
	}
	w.logged = append(w.logged, what)
}

func (w *toy) LogData(_ txn.Attempt, _ txn.ShardID, data []txn.ShardWrites) {
	w.logged = append(w.logged, fmt.Sprintf("log data %v", data))
}

// logging is an attempt on shards 2 and 3 whose decision is logged in shard 4.
func logging(adopted bool) (*Attempt, *toy) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5}, term: 6}
	decider, shards := deciderOf(LoggedDecision, w), []txn.ShardID{2, 3}
	if adopted {
		return decider.Adopt(txn.Orphan{Attempt: ours, Txn: txn.ID(ours), Participants: shards, RecordShard: 4}), w
	}
	a := decider.Open(AttemptInit{ID: ours, Txn: txn.ID(ours), Participants: shards, Prepares: preparesOf(shards), RecordShard: 4})
	a.Ask()
	w.sent = nil
	return a, w
}

func wantLogged(t *testing.T, w *toy, what ...string) {
	t.Helper()
	got := w.logged
	if w.logged = nil; len(got) != len(what) || len(got) > 0 && got[0] != what[0] {
		t.Fatalf("logged %q, want %q", got, what)
	}
}

// All have voted, and no participant is notified before the log has the decision; then the log's
// outcome counts, and is sent, whatever the votes.
func TestTheLogPrecedesTheDecision(t *testing.T) {
	for _, commit := range []bool{true, false} {
		a, w := logging(false)
		if p := a.Prepares[1]; p.RecordShard != 4 {
			t.Errorf("the Prepares name a decision in shard %d", p.RecordShard)
		}
		a.Receive(4, yes(2, 10))
		taken(t, a, Open, 0)
		wantLogged(t, w)
		a.Receive(5, yes(3, 12))
		taken(t, a, Open, 0)
		wantLogged(t, w, "log commit")
		a.Receive(5, &txn.Message{NotLeader: &txn.NotLeader{Shard: 3, Term: 9, Attempt: ours}})
		a.Receive(5, yes(3, 12))
		taken(t, a, Open, 0)
		expect(t, w, "the log is waited for")
		wantLogged(t, w)
		a.Rule(LogAnswer{}) // the log did not answer
		w.now = a.NextWake()
		a.Wake()
		wantLogged(t, w, "log commit")
		at := txn.Timestamp(0)
		if commit {
			at = 12
		}
		a.Rule(LogAnswer{Known: true, Commit: commit, At: at})
		a.Rule(LogAnswer{Known: true, Commit: !commit}) // a late reply to the first
		want, sent := Abort, "abort"
		if commit {
			want, sent = Commit, "commit at 12"
		}
		taken(t, a, want, at)
		a.Announce()
		expect(t, w, "the log has it", "4/2: "+sent, "5/3: "+sent)
		if s, ok := a.Recorded(); ok != commit || ok && s != 4 {
			t.Errorf("a commit is recorded in shard %d: %v", s, ok)
		}
	}
}

// An abort of the attempt's own coordinator needs no log: it never writes a commit.
func TestAnOwnAbortIsPresumed(t *testing.T) {
	a, w := logging(false)
	a.Receive(4, &txn.Message{Vote: &txn.Vote{Shard: 2, Attempt: ours, Refused: txn.KindAborted}})
	taken(t, a, Abort, 0)
	a.Receive(5, yes(3, 12))
	a.Receive(4, yes(2, 12))
	wantLogged(t, w)
}

// Recovery asks for no votes: it writes an abort, and follows the entry that is there.
func TestRecoveryAsksOnlyTheLog(t *testing.T) {
	a, w := logging(true)
	a.Terminate()
	expect(t, w, "adopted")
	wantLogged(t, w, "log abort")
	a.Rule(LogAnswer{Known: true, Commit: true, At: 12})
	taken(t, a, Commit, 12)
	a.Announce()
	expect(t, w, "the log has it", "4/2: commit at 12", "5/3: commit at 12")
	if _, ok := a.Recorded(); ok {
		t.Error("it would remove another's entry")
	}

	a, w = logging(true)
	a.Terminate()
	wantLogged(t, w, "log abort")
	a.Rule(LogAnswer{Finished: true})
	taken(t, a, Open, 0)
	if !a.Done() {
		t.Error("an attempt that ended long ago is not dropped")
	}
}
