package dialect

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Guards. A lock on a row keeps it as it was read. What keeps others from putting a row where there
// was none, or from changing one so that it fulfils a condition, is a lock of the table: PostgreSQL's
// SHARE MODE, which whoever reads by a condition takes, and with which ROW EXCLUSIVE, that each
// writer takes by itself, does not go together. Readers do not keep each other off, nor writers each
// other, and rows that are asked for by a whole key, and are there, need no guard at all. A statement
// that also writes the table takes SHARE ROW EXCLUSIVE at once: two that first read and then write
// would wait for each other.

// guard says what guards a statement that has been written.
func (e *emitter) guard(stmt sqlparser.Statement) {
	if e.skips {
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
	if insert, ok := stmt.(*sqlparser.Insert); ok { // it tells of rows that have its keys
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

// alone is how many rows of a table a statement asks for, by their keys, if it asks for nothing
// else: if it finds so many, their locks are all that it needs. 0: it asks for more.
func (e *emitter) alone(stmt sqlparser.Statement) int {
	if e.gapsSeen != 1 || e.out.Unguarded[0].Reason != Absence {
		return 0
	}
	switch s := stmt.(type) {
	case *sqlparser.Select:
		if s.With == nil && len(s.From) == 1 && !grouped(s) && !s.QueryOpts.Distinct && !windowed(s) {
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

// rowsGiven is how many rows an INSERT has; 0: they are a query's.
func rowsGiven(s *sqlparser.Insert) int {
	switch r := s.Rows.(type) {
	case sqlparser.Values:
		return max(1, len(r))
	case *sqlparser.AliasedValues:
		return max(1, len(r.Values))
	}
	return 0
}
