package rounds

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/expr"
)

// layout is where the values that expressions refer to stand in a row.
type layout struct {
	types  []expr.Type
	places map[bind.Ref]int
	yields map[int]bool // texts of literals, by position
}

func newLayout() *layout { return &layout{places: map[bind.Ref]int{}} }

// add puts a value at the end of the row.
func (l *layout) add(r bind.Ref, t expr.Type) {
	l.places[r] = len(l.types)
	l.types = append(l.types, t)
}

// hide puts a value at the end of the row that no expression refers to.
func (l *layout) hide(t expr.Type) { l.types = append(l.types, t) }

// clone is a layout that may be extended without changing this one.
func (l *layout) clone() *layout {
	out := newLayout()
	out.types = append(out.types, l.types...)
	for r, at := range l.places {
		out.places[r] = at
	}
	for at := range l.yields {
		out.yield(at)
	}
	return out
}

// yield notes that the text at a position takes the collation of what it is compared with.
func (l *layout) yield(at int) {
	if l.yields == nil {
		l.yields = map[int]bool{}
	}
	l.yields[at] = true
}

// behind puts another row, whose types may hold NULLs, behind this one.
func (l *layout) behind(o *layout, nullable bool) {
	n := len(l.types)
	for _, t := range o.types {
		if nullable {
			t.SetNullability(true)
		}
		l.types = append(l.types, t)
	}
	for r, at := range o.places {
		l.places[r] = n + at
	}
	for at := range o.yields {
		l.yield(n + at)
	}
}

// has reports whether all values that an expression refers to are in the row.
func (l *layout) has(e sqlparser.SQLNode) bool {
	all := true
	bind.Refs(e, func(r bind.Ref) {
		_, ok := l.places[r]
		all = all && ok
	})
	return all
}

// at is the place of the value that an expression just is; false: it is no reference, or not to this row.
func (l *layout) at(e sqlparser.Expr) (int, bool) {
	r, ok := bind.RefOf(e)
	if !ok {
		return 0, false
	}
	at, ok := l.places[r]
	return at, ok
}

// columns are the values as expressions see them.
func (l *layout) columns() expr.Columns {
	types, places, yields := l.types[:len(l.types):len(l.types)], l.places, l.yields
	return expr.Columns{Types: types, Yields: func(at int) bool { return yields[at] }, Find: func(n *sqlparser.ColName) (int, error) {
		if r, ok := bind.RefOf(n); ok {
			if at, ok := places[r]; ok && at < len(types) {
				return at, nil
			}
		}
		return 0, &expr.Unsupported{What: sqlparser.String(n)}
	}}
}
