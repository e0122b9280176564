package sourcedb

import (
	"fmt"

	"isochron/source"
)

// How a PostgreSQL orders transactions.
//
// Its SERIALIZABLE determines the order afterwards and aborts transactions that might contradict
// it. This is right within one PostgreSQL but not over several databases: its order may differ from
// the commits' order. It aborts many transactions without a conflict, because it must assume the
// worst of a prepared one.
//
// So a transaction all of whose statements lock their reads (Statement.Locks) runs at READ
// COMMITTED. Each statement sees the rows that are committed when it has its locks. A row that was
// read is kept by FOR SHARE; rows a condition did not find are kept out by a guard, a lock of the
// table that conflicts with every writer's. PREPARE keeps all of them, over a restart too. The
// guard is taken in a separate statement before, since a statement sees the rows committed when it
// began.
//
// Other transactions run at SERIALIZABLE, and are ordered with the locking ones only as far as they lock.

// Ordering is the way in which a PostgreSQL orders transactions that request SERIALIZABLE.
type Ordering string

// The orderings.
const (
	ByLocks        Ordering = "locks"        // by locks on their reads
	BySerializable Ordering = "serializable" // by the database's own level, each database by itself
)

// Check returns an error for an unknown ordering; "" is ByLocks.
func (o Ordering) Check() error {
	switch o {
	case "", ByLocks, BySerializable:
		return nil
	}
	return fmt.Errorf("unknown isolation of a source %q: it is %q, the default, or %q", string(o), ByLocks, BySerializable)
}

// lightly precedes the COMMIT of a transaction that has only locked rows. PostgreSQL logs that too, but the client
// need not wait until it is on disk.
const lightly = "SET LOCAL synchronous_commit = off; "

// agree fixes, with its first statement, what a branch's isolation depends on.
func (b *pgBranch) agree(s source.Statement) error {
	switch {
	case !b.begun:
		b.locks = b.d.locks && s.Locks && b.o.Isolation == source.Serializable
	case b.locks && !s.Locks:
		return &source.Error{Code: unknownCode, State: "HY000", Text: "a statement without locks in a transaction whose isolation depends on locks"}
	}
	return nil
}

// misses reports whether a statement's result depends on a missing row, or on a row it did not lock: others could
// still change that.
func misses(s source.Statement, r source.Result, err error) bool {
	if e := asError(err); e != nil {
		return !e.Ends && e.Code == codeDuplicate
	}
	return max(int64(len(r.Rows)), r.Affected) < int64(s.Least)
}
