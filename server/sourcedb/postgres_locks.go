package sourcedb

import (
	"fmt"

	"isochron/source"
)

// How a PostgreSQL keeps transactions in order.
//
// Its own SERIALIZABLE finds out afterwards who must come before whom, and ends transactions that
// might contradict each other. That is right within one PostgreSQL, and not over several databases:
// the order that it finds need not be that of the commits. It ends many that contradict nobody, for
// of a prepared transaction it must think the worst.
//
// So a transaction all of whose statements lock what they read (Statement.Locks) is run at READ
// COMMITTED: each statement sees what is committed when it has its locks, a row that was read is
// kept by FOR SHARE, and what a condition has not found by its guard, a lock of the table that goes
// with no writer's; PREPARE keeps all of them, over a restart too. The guard is taken in a statement
// of its own before, since a statement sees what was committed when it began.
//
// Other transactions run at SERIALIZABLE, and in order with those that lock only as far as they
// lock.

// Ordering is how a PostgreSQL keeps transactions in order that ask for SERIALIZABLE.
type Ordering string

// The ways.
const (
	ByLocks        Ordering = "locks"        // by locks of what they read
	BySerializable Ordering = "serializable" // by the database's own level, each database for itself
)

// Check tells whether there is such a way; "" is ByLocks.
func (o Ordering) Check() error {
	switch o {
	case "", ByLocks, BySerializable:
		return nil
	}
	return fmt.Errorf("no isolation of a source is called %q: it is %q, the default, or %q", string(o), ByLocks, BySerializable)
}

// lightly goes before the COMMIT of what has only locked rows, which PostgreSQL writes down: nobody
// need wait until that is on its disk.
const lightly = "SET LOCAL synchronous_commit = off; "

// agree settles with its first statement on what a branch's isolation rests.
func (b *pgBranch) agree(s source.Statement) error {
	switch {
	case !b.begun:
		b.locks = b.d.locks && s.Locks && b.o.Isolation == source.Serializable
	case b.locks && !s.Locks:
		return &source.Error{Code: unknownCode, State: "HY000", Text: "a statement that locks nothing, in a transaction whose isolation rests on locks"}
	}
	return nil
}

// misses reports whether a statement has told of a row that is not there, or of one that is there
// and that it has not locked: others could change that yet.
func misses(s source.Statement, r source.Result, err error) bool {
	if e := asError(err); e != nil {
		return !e.Ends && e.Code == codeDuplicate
	}
	return max(int64(len(r.Rows)), r.Affected) < int64(s.Least)
}
