package dialect

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// locking is the way in which a SELECT locks its rows.
type locking struct {
	clause string
	inner  bool // the clause belongs below the aggregate
}

// tableLock is a locking clause.
type tableLock struct {
	share, nowait, skips bool
	of                   []string // its tables; nil: all
}

// lockWords are those of a lock.
func lockWords(l sqlparser.Lock) tableLock {
	return tableLock{
		share:  l < sqlparser.ForUpdateLock,
		nowait: l == sqlparser.ForUpdateLockNoWait || l == sqlparser.ForShareLockNoWait,
		skips:  l == sqlparser.ForUpdateLockSkipLocked || l == sqlparser.ForShareLockSkipLocked,
	}
}

// locksOf are the locking clauses of a SELECT, without those of its subqueries.
func locksOf(stmt sqlparser.SQLNode) (out []tableLock) {
	s, ok := stmt.(*sqlparser.Select)
	if !ok {
		return nil
	}
	if s.Lock != sqlparser.NoLock {
		return []tableLock{lockWords(s.Lock)}
	}
	at := map[sqlparser.Lock]int{}
	for _, from := range s.From {
		parse.EachTable(from, func(name string, t *sqlparser.AliasedTableExpr) {
			l := parse.LockOf(t)
			if l == sqlparser.NoLock {
				return
			}
			i, ok := at[l]
			if !ok {
				i, at[l], out = len(out), len(out), append(out, lockWords(l))
			}
			out[i].of = append(out[i].of, name)
		})
	}
	return out
}

// covers are those of some tables that a clause is for.
func (l tableLock) covers(items []*item) (out []*item) {
	for _, i := range items {
		if l.of == nil || slices.ContainsFunc(l.of, func(name string) bool { return strings.EqualFold(name, i.name) }) {
			out = append(out, i)
		}
	}
	return out
}

// lockOf chooses the locking clauses of a SELECT, of which FROM has been written, and notes reads
// that they leave unguarded. PostgreSQL locks no rows that are grouped, of DISTINCT, or of the
// optional side of an outer join; queries in WITH or in FROM lock for themselves. So the tables are
// named one by one.
func (e *emitter) lockOf(s *sqlparser.Select, sc *scope) (out locking) {
	var bases, lockable []*item
	for _, i := range sc.items {
		if i.base() {
			bases = append(bases, i)
			if !i.optional {
				lockable = append(lockable, i)
			}
		}
	}
	if len(bases) == 0 {
		return out
	}
	locks := locksOf(s)
	asked := len(locks) > 0
	if !asked && e.opt.Share {
		locks = []tableLock{{share: true}}
	}
	e.gaps(s, slices.DeleteFunc(slices.Clone(bases), func(i *item) bool {
		return slices.ContainsFunc(locks, func(l tableLock) bool { return len(l.covers([]*item{i})) > 0 })
	}), nil)
	for _, l := range locks {
		covered, may := l.covers(bases), l.covers(lockable)
		if len(covered) == 0 {
			refuse("the OF of a locking clause", "it names no table of the query", "")
		}
		word, wait := "FOR SHARE", ""
		if asked {
			word, wait = e.lockWord(l)
		}
		switch grouping := grouped(s) || s.Distinct || windowed(s); {
		case e.recursive:
			e.noLock(asked, word, "a recursive query")
			e.gaps(s, covered, nil)
		case grouping && len(sc.items) == 1:
			e.gaps(s, covered, covered)
			out = locking{" " + word + wait, true}
		case grouping:
			e.noLock(asked, word, "grouping, DISTINCT or a window over a join")
			e.gaps(s, covered, nil)
		case asked && len(may) < len(covered):
			refuse(word+" over an outer join", "PostgreSQL does not lock the rows of its optional side", "Name the other tables with OF, or lock the rows of the optional side in a statement of their own")
		default:
			e.gaps(s, covered, may)
			out.clause += lockClause(word, wait, may, len(sc.items))
		}
	}
	return out
}

// lockClause is a clause for some of the tables of a query.
func lockClause(word, wait string, tables []*item, all int) string {
	if len(tables) == 0 {
		return ""
	}
	of := ""
	if all > 1 {
		of = " OF " + list(len(tables), func(i int) string { return tables[i].quoted })
	}
	return " " + word + of + wait
}

// noLock refuses a requested lock where there can be none.
func (e *emitter) noLock(asked bool, word, where string) {
	if asked {
		refuse(word+" on "+where, "PostgreSQL locks no rows there", "Lock the rows with a query of their own first")
	}
}

func (e *emitter) lockWord(l tableLock) (word, wait string) {
	word = "FOR UPDATE"
	if l.share {
		word = "FOR SHARE"
	}
	switch {
	case l.nowait:
		wait, e.nowait = " NOWAIT", true
	case l.skips:
		wait, e.skips = " SKIP LOCKED", true
	}
	e.exclusive, e.waits = e.exclusive || !l.share, e.waits || !l.skips
	return word, wait
}

// gaps notes for each table what the locks on its rows leave unguarded.
func (e *emitter) gaps(s *sqlparser.Select, bases, locked []*item) {
	for _, i := range bases {
		gap := Unlocked
		for _, l := range locked {
			if l == i {
				gap, e.rows = gapOf(s.Where, i, len(bases) > 1)
			}
		}
		e.unguarded(i.logical, gap)
	}
}

// unguarded notes a gap; of one table the greatest is kept.
func (e *emitter) unguarded(n Name, gap Gap) {
	e.gapsSeen++
	order := map[Gap]int{Absence: 1, Phantoms: 2, Unlocked: 3}
	for at, u := range e.out.Unguarded {
		if u.Table == n {
			if order[gap] > order[u.Reason] {
				e.out.Unguarded[at].Reason = gap
			}
			return
		}
	}
	e.out.Unguarded = append(e.out.Unguarded, Unguarded{n, gap})
}

// gapOf is Absence, with the largest number of requested rows, if a condition determines a whole
// unique key, or the values of a unique key of one column.
func gapOf(w *sqlparser.Where, i *item, join bool) (gap Gap, rows int) {
	if w == nil || i.table == nil || join {
		return Phantoms, 0
	}
	for _, key := range keysOf(i.table) {
		rows := 1
		for _, c := range key {
			rows *= valuesAsked(w.Expr, i, c)
		}
		if len(key) > 0 && (rows == 1 || rows > 1 && len(key) == 1) {
			return Absence, rows
		}
	}
	return Phantoms, 0
}

// valuesAsked is the number of values of a column of which a condition requires one; 0: it requires none.
func valuesAsked(x sqlparser.Expr, i *item, column string) int {
	k := constrained(x, func(c *sqlparser.ColName) bool {
		o, ok := i.find(c.Name.String())
		return ok && o.name == column && (c.Qualifier.IsEmpty() || strings.EqualFold(c.Qualifier.Name.String(), i.name))
	}, false)
	if k.All || len(k.Ranges) > 0 || slices.ContainsFunc(k.Values, func(v Value) bool { return v.Null }) {
		return 0
	}
	return max(1, len(union(k, Keys{}).Values))
}
