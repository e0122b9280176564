package sourcedb

import (
	"context"
	"strings"
	"sync"

	"isochron/source"
)

// Prepared branches without changes. A MariaDB keeps such a branch, and the locks of its reads, only while the
// connection that prepared it lives. If that breaks or is closed, others could change the rows it has read and
// precede it, although it has voted and its decision is still to come.
//
// Its vote cannot be withdrawn, so a transaction that could contradict it must not vote. A branch with changes, once
// it has all its locks, checks whether the connections of those branches still exist. If one does not, it may have
// released a lock that this branch has taken; this one is rolled back and may be retried after the other has ended.
// The check costs a trip, and only while such branches exist. A connection's existence is visible by the lock of
// its branch's name (mysql_detach.go), which is released shortly after the row locks; so a branch that is to be
// prepared checks after it has its locks. Restarts of the server or the agent are handled by the agent (the restart
// barrier of package source).

// frail has the driver's prepared branches without changes.
type frail struct {
	mu   sync.Mutex
	have map[source.Name]bool
}

func (f *frail) add(n source.Name) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.have == nil {
		f.have = map[source.Name]bool{}
	}
	f.have[n] = true
}

func (f *frail) remove(n source.Name) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.have, n)
}

// gone returns a condition that is true if one of them has lost its connection; "": there are none.
func (f *frail) gone() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	for n := range f.have { // order: parts of a condition
		if b.Len() > 0 {
			b.WriteString(" OR ")
		}
		b.WriteString("IS_USED_LOCK(" + tieLock(n) + ") IS NULL")
	}
	return b.String()
}

// contradicts returns an error if the branch may have changed rows that a prepared one has read.
func (b *myBranch) contradicts(ctx context.Context) error {
	if !b.changed || !b.c.ties {
		return nil
	}
	lost := b.d.frail.gone()
	if lost == "" {
		return nil
	}
	rows, err := b.c.rows(ctx, "SELECT "+lost)
	if err != nil {
		e := asError(err)
		e.Ends = true
		return e
	}
	if string(rows[0][0]) == "0" {
		return nil
	}
	return &source.Error{Code: 1213, State: "40001", Ends: true, Again: true,
		Text: "a prepared transaction has lost its read locks and this one may have changed those rows; retry the transaction"}
}

// staysThere records a prepared branch without changes, and then checks its connection: a branch that checked before
// took its locks before this one can have released any.
func (b *myBranch) staysThere(ctx context.Context) error {
	b.d.frail.add(b.name)
	_, _, err := b.c.exec(ctx, "DO 0", nil)
	if err == nil {
		return nil
	}
	b.d.frail.remove(b.name)
	e := asError(err)
	e.Ends, e.Unknown = true, false // the end of the connection rolls it back
	return e
}

// goesBack reports whether a statement rolls back earlier ones.
func goesBack(text string) bool { return len(text) >= 8 && strings.EqualFold(text[:8], "ROLLBACK") }
