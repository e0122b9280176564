package yield

import (
	"testing"

	"isochron/txn"
)

// transfersLock is a table where the locks of voted 1 and 2 are transferred to 3: "x" that 1 writes
// and 3 reads, and "s" that 1 and 2 read and 3 writes. 1 holds "own" besides.
func transfersLock(t *testing.T) *Table {
	t.Helper()
	table := NewTable(InArrivalOrderConditional, HotRowConfig{}, &abortLog{})
	table.grant(0, id(1), age(1), LockSet{Exclusive: []txn.Key{"x", "own"}, Shared: []txn.Key{"s"}}).Voted = true
	table.grant(0, id(2), age(2), LockSet{Shared: []txn.Key{"s"}}).Voted = true
	e := table.Acquire(0, &LockRequest{Phase: Prepare, Txn: id(3), Age: age(3), AssumedAborted: []txn.ID{id(1), id(2)}, LockSet: LockSet{Shared: []txn.Key{"x"}, Exclusive: []txn.Key{"s"}}})
	if !e.Granted() {
		t.Fatalf("not granted: %+v", e)
	}
	return table
}

// has lists the holders that conflict with another transaction.
func has(t *Table, k txn.Key, exclusive bool) (out []uint64) {
	c := LockSet{Shared: []txn.Key{k}}
	if exclusive {
		c = LockSet{Exclusive: []txn.Key{k}}
	}
	for _, h := range t.HeldBy(id(9), age(9), &c) {
		if h.Voted {
			out = append(out, h.Txn.Seq)
		}
	}
	return out
}

func wantHolders(t *testing.T, when string, got []uint64, want ...uint64) {
	t.Helper()
	if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
		t.Errorf("%s: held by %v, want %v", when, got, want)
	}
}

// A vote holds transferred locks for both: no other transaction reads what one of them writes.
func TestATransferredLockIsHeldForBoth(t *testing.T) {
	table := transfersLock(t)
	wantHolders(t, "what the lender writes, and the borrower reads", has(table, "x", false), 3)
	wantHolders(t, "what the lenders read, and the borrower writes", has(table, "s", false), 3)
	wantHolders(t, "what the borrower does not want", has(table, "own", false), 1)
	table.Drop(0, id(2)) // all its locks are transferred
	table.Drop(0, id(1))
	table.End(0, id(3), false)
	wantHolders(t, "returned to the voted that Drop spared", has(table, "s", true), 1, 2)
	wantHolders(t, "returned to the writer", has(table, "x", false), 1)
}

// A transaction that has ended gets no locks back, and releases none of the other's.
func TestTheFormerHolderEndsFirst(t *testing.T) {
	table := transfersLock(t)
	table.End(0, id(1), false)
	table.End(0, id(2), false)
	wantHolders(t, "the borrower keeps it", has(table, "x", false), 3)
	wantHolders(t, "locks that were not transferred are free", has(table, "own", true))
	table.End(0, id(3), true)
	wantHolders(t, "held by none", has(table, "x", true))
	wantHolders(t, "held by none", has(table, "s", true))
	if len(table.transfers.list) != 0 || len(table.Holders()) != 0 {
		t.Errorf("%v transfers and %v holders left", table.transfers.list, table.Holders())
	}
}

// A new leader that has restored votes in log order has the same transfers.
func TestLockTransfersAreRestored(t *testing.T) {
	table := NewTable(InArrivalOrderConditional, HotRowConfig{}, &abortLog{})
	table.Restore(0, id(1), age(1), LockSet{Exclusive: []txn.Key{"x"}}, nil)
	c := table.TakeOver(0, id(2), []txn.ID{id(1)}, LockSet{Exclusive: []txn.Key{"x", "y"}})
	table.Restore(0, id(2), age(2), c, nil)
	wantHolders(t, "restored", has(table, "x", false), 2)
	table.End(0, id(2), false)
	wantHolders(t, "given back", has(table, "x", false), 1)
}
