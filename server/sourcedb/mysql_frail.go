package sourcedb

import (
	"context"
	"strings"
	"sync"

	"isochron/source"
)

// Prepared branches that have changed nothing. A MariaDB has them, and the locks of what they have
// read, as long as the connection lives that has prepared them: if that breaks, or is ended there,
// others could change what such a branch has read, and come before it, although it has voted and
// its decision is still to come.
//
// Nothing can take its vote back, so whoever could contradict it must not vote: a branch that has
// changed something asks, when it has all of its locks, whether the connections of those are still
// there. One whose connection is not may have let go of a lock that this branch has taken; then this
// one is rolled back, and may try again when the other has ended. To ask costs a trip to the server,
// and only while there are such branches. That a connection is there is told by the lock of its
// branch's name (mysql_detach.go), which goes a moment after those of rows; so a branch that is to be
// prepared asks after that. Over a restart of the server or the agent the agent sees to it (fences of
// package source).

// frail are the prepared branches of a driver that have changed nothing.
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

// gone is a condition that one of them has lost its connection; "": there are none.
func (f *frail) gone() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	for n := range f.have { // order: of a condition's parts
		if b.Len() > 0 {
			b.WriteString(" OR ")
		}
		b.WriteString("IS_USED_LOCK(" + tieLock(n) + ") IS NULL")
	}
	return b.String()
}

// contradicts is an error if the branch may have changed what a prepared one has read.
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
		Text: "a transaction that is still to be decided has lost its locks of what it has read, and this one may have changed that; try again"}
}

// staysThere notes a prepared branch that has changed nothing. Its connection is asked after that:
// who has asked for it before took its locks before it could have let go of any.
func (b *myBranch) staysThere(ctx context.Context) error {
	b.d.frail.add(b.name)
	_, _, err := b.c.exec(ctx, "DO 0", nil)
	if err == nil {
		return nil
	}
	b.d.frail.remove(b.name)
	e := asError(err)
	e.Ends, e.Unknown = true, false // the end of the connection undoes it
	return e
}

// goesBack reports whether a statement undoes what others before it have done.
func goesBack(text string) bool { return len(text) >= 8 && strings.EqualFold(text[:8], "ROLLBACK") }
