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
		eachTable(from, func(t *sqlparser.AliasedTableExpr) {
			l := parse.LockOf(t)
			if l == sqlparser.NoLock {
				return
			}
			i, ok := at[l]
			if !ok {
				i, at[l], out = len(out), len(out), append(out, lockWords(l))
			}
			out[i].of = append(out[i].of, parse.NameOfTable(t))
		})
	}
	return out
}

// eachTable calls f for the tables of a FROM.
func eachTable(t sqlparser.TableExpr, f func(*sqlparser.AliasedTableExpr)) {
	switch t := t.(type) {
	case *sqlparser.AliasedTableExpr:
		f(t)
	case *sqlparser.ParenTableExpr:
		for _, inner := range t.Exprs {
			eachTable(inner, f)
		}
	case *sqlparser.JoinTableExpr:
		eachTable(t.LeftExpr, f)
		eachTable(t.RightExpr, f)
	}
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
	fixed := map[string]int{} // how many values of each column are requested
	equalities(w.Expr, func(c *sqlparser.ColName, values int) {
		o, ok := i.find(c.Name.String())
		if ok && (c.Qualifier.IsEmpty() || strings.EqualFold(c.Qualifier.Name.String(), i.name)) && (fixed[o.name] == 0 || values < fixed[o.name]) {
			fixed[o.name] = values
		}
	})
	for _, key := range keysOf(i.table) {
		rows := 1
		for _, c := range key {
			rows *= fixed[c]
		}
		if len(key) > 0 && (rows == 1 || rows > 1 && len(key) == 1) {
			return Absence, rows
		}
	}
	return Phantoms, 0
}

// equalities calls f for each column that a condition requires to equal a constant, or one of
// several.
func equalities(x sqlparser.Expr, f func(c *sqlparser.ColName, values int)) {
	switch x := x.(type) {
	case *sqlparser.AndExpr:
		equalities(x.Left, f)
		equalities(x.Right, f)
	case *sqlparser.ComparisonExpr:
		left, ok := x.Left.(*sqlparser.ColName)
		if tuple, is := x.Right.(sqlparser.ValTuple); is && ok && x.Operator == sqlparser.InOp {
			if n := different(tuple); n > 0 {
				f(left, n)
			}
			return
		}
		if x.Operator != sqlparser.EqualOp || x.Modifier != sqlparser.Missing {
			return
		}
		if ok && constant(x.Right) {
			f(left, 1)
		}
		if c, ok := x.Right.(*sqlparser.ColName); ok && constant(x.Left) {
			f(c, 1)
		}
	}
}

// different counts the constants of a list, as far as they look different; 0: others are among them.
func different(list sqlparser.ValTuple) int {
	seen := map[string]bool{}
	for _, x := range list {
		if !constant(x) {
			return 0
		}
		seen[textOf(x)] = true
	}
	return len(seen)
}

func constant(x sqlparser.Expr) bool {
	switch x := x.(type) {
	case *sqlparser.Literal, *sqlparser.Argument, sqlparser.BoolVal:
		return true
	case *sqlparser.UnaryExpr:
		return constant(x.Expr)
	case *sqlparser.IntroducerExpr:
		return constant(x.Expr)
	}
	return false
}
