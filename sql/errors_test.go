package sql

import (
	"strings"
	"testing"

	"isochron/txn"
)

// What a source says has its number, but that an outcome is unknown is always told in the same way:
// clients go by 1180 when they decide whether to do a transaction again.
func TestAnUnknownOutcomeHasOneNumber(t *testing.T) {
	lost := &txn.Fault{Code: 2013, State: "08S01"}
	for _, x := range []struct {
		err  *txn.Error
		want int
	}{
		{&txn.Error{Kind: txn.KindUnknown, Reason: "it broke", Fault: lost}, 1180},
		{&txn.Error{Kind: txn.KindUnknown, Reason: "it broke"}, 1180},
		{&txn.Error{Kind: txn.KindAborted, Reason: "it broke", Fault: lost}, 1429},
		{&txn.Error{Kind: txn.KindAborted, Reason: "it broke"}, 1213},
	} {
		if got := ofKind(x.err); got.Num != x.want {
			t.Errorf("%v with %v is told as %d, not %d", x.err, x.err.Fault, got.Num, x.want)
		}
	}
}

// Only who was in a deadlock, or lost its locks to an older transaction, is said to have been in a
// deadlock; whatever the reason, the number is the one that clients begin anew for.
func TestWhyATransactionWasRolledBack(t *testing.T) {
	by := txn.Attempt{Node: 2, Epoch: 1, Seq: 7}
	for _, x := range []struct {
		err  *txn.Error
		want string
	}{
		{txn.ReasonDeadlock.Err(), "Deadlock found when trying to get lock; try restarting transaction"},
		{txn.ReasonWounded.Err(), "Deadlock found when trying to get lock; try restarting transaction"},
		{txn.ReasonRowChanged.Err(), "Record has changed since last read; try restarting transaction"},
		{txn.ReasonRangeChanged.Err(), "Record has changed since last read; try restarting transaction"},
		{txn.ReasonWriteConflict.Err(), "Record has changed since last read; try restarting transaction"},
		{txn.Changed(by), "Record has changed since last read; try restarting transaction (read validation failed: a row was modified after the transaction read it (commit a2.1.7 of node 2))"},
		{txn.ReasonLockConflict.Err(), "Transaction was rolled back for another that needs the same rows; try restarting transaction"},
		{txn.ReasonProtocolSwitched.Err(), "Transaction was rolled back by the cluster; try restarting transaction"},
		{txn.Errorf(txn.KindAborted, "it was interrupted"), "Transaction was rolled back; try restarting transaction (it was interrupted)"},
	} {
		if got := ofKind(x.err); got.Num != 1213 || got.State != "40001" || !strings.HasPrefix(got.Message, x.want) {
			t.Errorf("%v: %d (%s) %s, want %s", x.err, got.Num, got.State, got.Message, x.want)
		}
	}
}

// A transaction is found by its id, with the connection of its client.
func TestTransactionsAreKnown(t *testing.T) {
	f := start(t)
	c, looker := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	looker.expect("SELECT count(*) FROM isochron.transactions", "0")
	c.exec("BEGIN")
	c.query("SELECT * FROM t")
	id := strings.TrimSpace(c.query("SELECT connection_id()"))
	looker.expect("SELECT connection, state, cause, commit_id FROM isochron.transactions", id+" | open | NULL | NULL")
	c.exec("ROLLBACK")
}
