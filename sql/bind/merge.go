package bind

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/txn"
)

// mergeable reports whether a derived table or view can become part of the query around it: it is a filter and a projection of
// joined tables, whose values are the same however often they are computed.
func mergeable(q *Query) bool {
	if q.From == nil || q.Grouped || q.Distinct || q.Having != nil || len(q.Windows) > 0 || len(q.Order) > 0 || q.Count != nil || q.Lock != txn.LockNone {
		return false
	}
	for _, s := range q.Sources {
		if s.Set != nil || s.Values != nil || s.Round != nil {
			return false
		}
	}
	for _, item := range q.Items {
		if _, ok := Column(item.Expr); !ok {
			return false
		}
	}
	return true
}

// merge makes the sources of a derived table sources of this query.
func (b *binder) merge(q *Query, alias string, columns []string) *operand {
	m := &mover{b: b, q: q, shift: b.q.Width(), subqueries: len(b.q.Subqueries)}
	for _, s := range q.Sources {
		moved := *s
		moved.First += m.shift
		m.sources = append(m.sources, &moved)
	}
	b.q.Sources = append(b.q.Sources, m.sources...)
	for _, s := range q.Subqueries {
		for i, e := range s.Query.Outer {
			s.Query.Outer[i] = m.expr(e)
		}
		for i, e := range s.Left {
			s.Left[i] = m.expr(e)
		}
		b.q.Subqueries = append(b.q.Subqueries, s)
	}
	join := m.join(q.From)
	if q.Where != nil {
		join = &Join{Left: join, On: m.expr(q.Where)}
	}
	t := &namedTable{alias: alias}
	for i, item := range q.Items {
		t.columns = append(t.columns, visible{name: columns[i], to: m.expr(item.Expr)})
	}
	return &operand{join: join, names: names{tables: []*namedTable{t}, visible: t.columns}}
}

// mover writes expressions of a query in the terms of the one that it becomes part of.
type mover struct {
	b          *binder
	q          *Query
	sources    []*Source
	shift      int // of positions
	subqueries int // so many were there before
}

func (m *mover) expr(e sqlparser.Expr) sqlparser.Expr {
	if e == nil {
		return nil
	}
	return sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
		n, ok := c.Node().(*sqlparser.ColName)
		if !ok {
			return
		}
		if at, ok := Column(n); ok {
			c.Replace(refer(columnRow, at+m.shift))
		} else if at, ok := reference(n, OfSubqueries); ok {
			c.Replace(refer(subRow, at+m.subqueries))
		} else if at, ok := reference(n, OfOuter); ok {
			c.Replace(m.q.Outer[at])
		}
	}, nil).(sqlparser.Expr)
}

func (m *mover) join(j *Join) *Join {
	if j == nil {
		return nil
	}
	out := &Join{Left: m.join(j.Left), Right: m.join(j.Right), Outer: j.Outer, Straight: j.Straight, On: m.expr(j.On)}
	for i, s := range m.q.Sources {
		if s == j.Source {
			out.Source = m.sources[i]
		}
	}
	return out
}
