package dialect

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Guards. A lock on a row keeps it as it was read. Inserts where no row was, and updates that make
// a row satisfy a condition, are prevented by a lock of the table: PostgreSQL's SHARE MODE, which
// readers by a condition take, and which conflicts with ROW EXCLUSIVE, which each writer takes by
// itself. Readers do not exclude each other, nor writers each other, and rows that are requested by
// a whole key, and exist, need no guard at all. A statement that also writes the table takes SHARE
// ROW EXCLUSIVE from the start: two that first read and then write would wait for each other.

// guard determines the guards of a statement that has been written.
func (e *emitter) guard(stmt sqlparser.Statement) {
	if e.skips && !e.waits {
		return // the client does not want to know of rows that others hold
	}
	n := e.alone(stmt)
	var reads, both []string
	for _, u := range e.out.Unguarded {
		if t := e.physical(u.Table); slices.Contains(e.out.Writes, u.Table) || e.exclusive {
			both = append(both, t)
		} else {
			reads = append(reads, t)
		}
	}
	if insert, ok := stmt.(*sqlparser.Insert); ok { // it returns rows that have its keys
		t := e.physical(e.out.Writes[0])
		switch rows := rowsGiven(insert); {
		case rows > 0 && len(e.out.Unguarded) == 0 && e.counts != "": // each is inserted or locked
			n, reads = -1, append(reads, t)
		case rows > 0 && len(e.out.Unguarded) == 0:
			n, reads = rows, append(reads, t)
		case !slices.Contains(both, t):
			both = append(both, t)
		}
	}
	for _, g := range []struct {
		tables []string
		mode   string
	}{{both, "SHARE ROW EXCLUSIVE"}, {reads, "SHARE"}} {
		if len(g.tables) == 0 {
			continue
		}
		slices.Sort(g.tables)
		text := "LOCK TABLE " + strings.Join(g.tables, ", ") + " IN " + g.mode + " MODE"
		if e.nowait {
			text += " NOWAIT"
		}
		e.out.Guard = append(e.out.Guard, text)
	}
	e.out.Least = n
}

// alone returns the number of rows of a table that a statement requests, by their keys, if it
// requests nothing else: if it finds so many, their locks suffice. 0: it requests more.
func (e *emitter) alone(stmt sqlparser.Statement) int {
	if e.gapsSeen != 1 || e.out.Unguarded[0].Reason != Absence {
		return 0
	}
	switch s := stmt.(type) {
	case *sqlparser.Select:
		if s.With == nil && len(s.From) == 1 && !grouped(s) && !s.Distinct && !windowed(s) {
			if t, ok := s.From[0].(*sqlparser.AliasedTableExpr); ok {
				if _, ok := t.Expr.(sqlparser.TableName); ok {
					return e.rows
				}
			}
		}
	case *sqlparser.Update, *sqlparser.Delete:
		return e.rows
	}
	return 0
}

// rowsGiven returns the number of rows of an INSERT; 0: they are a query's.
func rowsGiven(s *sqlparser.Insert) int {
	if r, ok := s.Rows.(sqlparser.Values); ok {
		return max(1, len(r))
	}
	return 0
}
