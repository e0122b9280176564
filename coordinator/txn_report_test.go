package coordinator

import (
	"testing"

	"isochron/decide"
	"isochron/txn"
)

// A read-only transaction has written nothing, even where it is logged like others.
func TestReadOnlyTransactionsWroteNothing(t *testing.T) {
	reads := &txn.Prepare{Reads: []txn.ReadCheck{{Key: "a"}}}
	writes := &txn.Prepare{Writes: []txn.Write{{Key: "b"}}}
	for _, c := range []struct {
		prepares []*txn.Prepare
		want     bool
	}{
		{[]*txn.Prepare{reads, reads}, false},
		{[]*txn.Prepare{reads, writes}, true},
		{nil, false}, // the recovery of another coordinator's attempt
	} {
		k := &pendingCommit{Attempt: &decide.Attempt{AttemptInit: decide.AttemptInit{Participants: []txn.ShardID{2, 3}, Prepares: c.prepares}}}
		if k.wrote() != c.want {
			t.Errorf("%v: wrote is %v", c.prepares, k.wrote())
		}
	}
}

// A statement whose wait timed out counts once, as its own or as its transaction's end; returned
// counts do not change any longer.
func TestRollbacksAreCountedOnce(t *testing.T) {
	j := &reports{}
	before, _ := j.counted()
	j.timedOut()
	j.timedOut()
	j.timedOutWhole()
	j.redone(txn.CauseWound)
	rollbacks, retried := j.counted()
	if n := rollbacks[txn.CauseLockTimeout]; n != 1 || before[txn.CauseLockTimeout] != 0 {
		t.Errorf("%d statements have waited without success", n)
	}
	if n := retried[txn.CauseWound]; n != 1 {
		t.Errorf("%d transactions were retried", n)
	}
}
