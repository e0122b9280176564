package coordinator

import (
	"testing"
	"time"

	"isochron/txn"
)

// A gateway lists the clients' transactions that ended within a minute, the last first, up to a
// bound.
func TestEndedTransactionsAreKnownForAMinute(t *testing.T) {
	var e ended
	id := func(n int) txn.ID { return txn.ID{Node: 1, Epoch: 1, Seq: uint64(n)} }
	e.add(endedTxn{id: id(1), at: time.Second}) // without a client
	e.add(endedTxn{id: id(2), owner: 5, at: time.Second, kind: txn.KindAborted, cause: txn.CauseValidation})
	e.add(endedTxn{id: id(3), owner: 6, at: 3 * time.Second, commit: txn.Attempt{Node: 1, Seq: 9}})
	got := e.known(4 * time.Second)
	if len(got) != 2 || got[0].Txn != id(3) || !got[0].Committed || got[0].Commit.Seq != 9 || got[0].AgoNanos != int64(time.Second) ||
		got[1].SessionID != 5 || got[1].Committed || got[1].Cause != txn.CauseValidation {
		t.Errorf("%+v", got)
	}
	if got := e.known(time.Second + txn.KnownFor + 1); len(got) != 1 {
		t.Errorf("after a minute: %+v", got)
	}
	for n := range 2 * knownMax {
		e.add(endedTxn{id: id(n), owner: 7, at: time.Hour})
	}
	if got := e.known(time.Hour); len(e.ring) != knownMax || len(got) != txn.ContentionKnownMax || got[0].Txn != id(2*knownMax-1) || got[1].Txn != id(2*knownMax-2) {
		t.Errorf("%d are kept, %d returned, the last of them %v", len(e.ring), len(got), got[0].Txn)
	}
}
