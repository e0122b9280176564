package dialect

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// locking is the way in which a SELECT locks its rows.
type locking struct {
	clause string
	inner  bool // the clause belongs below the aggregate
}

// lockOf chooses the locking clause of a SELECT, of which FROM has been written, and notes reads
// that it leaves unguarded. PostgreSQL locks no rows that are grouped, of DISTINCT, or of the
// optional side of an outer join; queries in WITH or in FROM lock for themselves. So the tables are
// named one by one.
func (e *emitter) lockOf(s *sqlparser.Select, sc *scope) locking {
	asked := s.Lock != nil && s.Lock.Type != ""
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
		return locking{}
	}
	word, wait := "", ""
	switch {
	case asked:
		word, wait = e.lockWord(s.Lock)
		all := bases
		bases, lockable = e.ofTables(s.Lock, bases, lockable)
		e.gaps(s, slices.DeleteFunc(slices.Clone(all), func(i *item) bool { return slices.Contains(bases, i) }), nil)
	case e.opt.Share:
		word = "FOR SHARE"
	default:
		e.gaps(s, bases, nil)
		return locking{}
	}
	inner := len(sc.items) == 1 && len(bases) == 1
	if e.recursive {
		e.noLock(asked, word, "a recursive query")
		e.gaps(s, bases, nil)
		return locking{}
	}
	if grouped(s) || s.QueryOpts.Distinct || windowed(s) {
		if !inner {
			e.noLock(asked, word, "grouping, DISTINCT or a window over a join")
			e.gaps(s, bases, nil)
			return locking{}
		}
		e.gaps(s, bases, bases)
		return locking{clause: " " + word + wait, inner: true}
	}
	if asked && len(lockable) < len(bases) {
		refuse(word+" over an outer join", "PostgreSQL does not lock the rows of its optional side", "Name the other tables with OF, or lock the rows of the optional side in a statement of their own")
	}
	e.gaps(s, bases, lockable)
	if len(lockable) == 0 {
		return locking{}
	}
	of := ""
	if len(sc.items) > 1 {
		of = " OF " + list(len(lockable), func(i int) string { return lockable[i].quoted })
	}
	return locking{clause: " " + word + of + wait}
}

// noLock refuses a requested lock where there can be none.
func (e *emitter) noLock(asked bool, word, where string) {
	if asked {
		refuse(word+" on "+where, "PostgreSQL locks no rows there", "Lock the rows with a query of their own first")
	}
}

func (e *emitter) lockWord(l *sqlparser.Lock) (word, wait string) {
	word = "FOR UPDATE"
	if l.Type == sqlparser.ShareModeStr || e.share {
		word = "FOR SHARE"
	}
	switch {
	case strings.HasSuffix(l.Type, "nowait"):
		wait, e.nowait = " NOWAIT", true
	case strings.HasSuffix(l.Type, "skip locked"):
		wait, e.skips = " SKIP LOCKED", true
	}
	e.exclusive = e.exclusive || word == "FOR UPDATE"
	return word, wait
}

// ofTables narrows tables to the ones that OF names.
func (e *emitter) ofTables(l *sqlparser.Lock, bases, lockable []*item) (b, k []*item) {
	if len(l.Tables) == 0 {
		return bases, lockable
	}
	named := func(i *item) bool {
		for _, t := range l.Tables {
			if strings.EqualFold(t.Name.String(), i.name) {
				return true
			}
		}
		return false
	}
	for _, i := range bases {
		if named(i) {
			b = append(b, i)
		}
	}
	for _, i := range lockable {
		if named(i) {
			k = append(k, i)
		}
	}
	if len(b) == 0 {
		refuse("the OF of a locking clause", "it names no table of the query", "")
	}
	return b, k
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
	case *sqlparser.ParenExpr:
		equalities(x.Expr, f)
	case *sqlparser.AndExpr:
		equalities(x.Left, f)
		equalities(x.Right, f)
	case *sqlparser.ComparisonExpr:
		left, ok := x.Left.(*sqlparser.ColName)
		if tuple, is := x.Right.(sqlparser.ValTuple); is && ok && x.Operator == sqlparser.InStr {
			if n := different(tuple); n > 0 {
				f(left, n)
			}
			return
		}
		if x.Operator != sqlparser.EqualStr {
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
		seen[sqlparser.String(x)] = true
	}
	return len(seen)
}

func constant(x sqlparser.Expr) bool {
	switch x := x.(type) {
	case *sqlparser.ParenExpr:
		return constant(x.Expr)
	case *sqlparser.SQLVal, sqlparser.BoolVal:
		return true
	case *sqlparser.UnaryExpr:
		return x.Operator != sqlparser.BinaryStr && constant(x.Expr)
	}
	return false
}
