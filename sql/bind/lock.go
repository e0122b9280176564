package bind

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
	"isochron/txn"
)

// lockOf is what a locking clause asks of the tables that it covers.
func lockOf(l sqlparser.Lock) (lock txn.Lock, wait txn.Wait) {
	switch l {
	case sqlparser.ShareModeLock, sqlparser.ForShareLock, sqlparser.ForShareLockNoWait, sqlparser.ForShareLockSkipLocked:
		lock = txn.LockShared
	case sqlparser.ForUpdateLock, sqlparser.ForUpdateLockNoWait, sqlparser.ForUpdateLockSkipLocked:
		lock = txn.LockExclusive
	}
	switch l {
	case sqlparser.ForShareLockNoWait, sqlparser.ForUpdateLockNoWait:
		wait = txn.NoWait
	case sqlparser.ForShareLockSkipLocked, sqlparser.ForUpdateLockSkipLocked:
		wait = txn.SkipLocked
	}
	return lock, wait
}

// locks has the sources of a SELECT locked that its locking clause covers: tables and views, not derived tables.
func (b *binder) locks() {
	for _, s := range b.q.Sources {
		if s.Lock == txn.LockNone && !s.derived && (s.Table != nil || s.Virtual != nil) {
			s.Lock, s.Wait = b.q.Lock, b.q.Wait
		}
	}
}

// skips is the first table of which rows are left out that others have locked; nil: there is none.
func (q *Query) skips() *Source {
	for _, s := range q.Sources {
		if s.Table != nil && s.Lock != txn.LockNone && s.Wait == txn.SkipLocked {
			return s
		}
	}
	return nil
}

// skipped decides how a SELECT with SKIP LOCKED locks. Its rows are found first and locked then, if each row of its result is
// made of rows of the tables. Otherwise all that it reads is locked; with a limit that would be rows that are not returned.
func (b *binder) skipped(s *sqlparser.Select) error {
	of := b.q.skips()
	if of == nil {
		return nil
	}
	limited := s.Limit != nil && !b.q.Grouped && len(b.q.Windows) == 0
	if !b.scope.Alone && (b.isArm || limited && (b.depth > 0 || b.q.Distinct)) {
		return expr.NewError(1235, "42000", "SKIP LOCKED on %s in a UNION, or with LIMIT in a subquery, a derived table, WITH, DISTINCT or a statement that changes rows, would lock rows that are not returned: lock the rows with a SELECT of their own first", of.Alias)
	}
	if b.depth > 0 || b.q.Distinct || b.q.Grouped || len(b.q.Windows) > 0 {
		return nil
	}
	for _, s := range b.q.Sources {
		if s.Marked {
			b.q.Marks = append(b.q.Marks, refer(columnRow, s.First+s.Width-1))
		}
	}
	return nil
}

// marked widens a table's rows by what marks them, if the SELECT may find them before it locks them.
func (b *binder) marked(s *Source, lock sqlparser.Lock) {
	if lock == sqlparser.NoLock {
		lock = b.clauseLock
	}
	if _, wait := lockOf(lock); wait == txn.SkipLocked && b.hides == 0 {
		s.Marked = true
		s.Width++
	}
}
