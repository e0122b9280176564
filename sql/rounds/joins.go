package rounds

import (
	"slices"
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

func itoa(n int) string { return strconv.Itoa(n) }

// joinsMax bounds the sources of a query.
const joinsMax = 64

// group are sources that are joined in any order, and outer joins with what they yield.
type group struct {
	items []*item
	parts []*part // of the conditions that all rows must fulfil
}

// item is a source, or the right side of an outer join.
type item struct {
	source   *bind.Source // nil: inner
	inner    *group       // the right side of an outer join, if it is not one source
	outer    bool
	straight bool // it is joined where it stands
	on       []*part
	has      []*bind.Source // all sources in it
	done     bool
}

// part is a condition.
type part struct {
	e     sqlparser.Expr
	needs map[*bind.Source]bool
	done  bool
}

// planner plans the joins of a block.
type planner struct {
	*compiler
	b     *block
	q     *bind.Query
	row   *layout // of what is joined so far
	from  node
	there map[*bind.Source]bool
}

// joins compiles the sources of a block and its filter, and returns their row.
func (k *compiler) joins(b *block, outer []expr.Type) (*layout, error) {
	p := &planner{compiler: k, b: b, q: b.query, row: newLayout(), there: map[*bind.Source]bool{}}
	if len(p.q.Sources) > joinsMax {
		return nil, expr.NewError(1116, "HY000", "Too many tables; MySQL can only use %d tables in a join", joinsMax)
	}
	if b.lateral {
		p.from = domainNode{}
		p.row.add(bind.Ref{Row: bind.OfOuter, At: -1}, expr.IntegerType())
		for i, t := range outer {
			p.row.add(bind.Ref{Row: bind.OfOuter, At: i}, t)
		}
		if len(p.q.Sources) == 1 && p.q.Where == nil && p.dependent(p.q.Sources[0]) {
			if err := p.only(p.q.Sources[0]); err != nil {
				return nil, err
			}
			b.from = p.from
			return p.row, nil
		}
	}
	g := &group{}
	p.collect(g, p.q.From, false)
	for _, e := range conditionsOf(p.q.Where) {
		g.parts = append(g.parts, p.part(e))
	}
	g.inner()
	g.spread(p)
	if err := p.plan(g); err != nil {
		return nil, err
	}
	b.from = p.from
	return p.row, nil
}

// dependent reports whether a source's rows depend on the domain.
func (p *planner) dependent(s *bind.Source) bool {
	switch {
	case s.Set != nil:
		return p.b.lateral && lateralSet(s.Set)
	case s.Query != nil && s.CTE == nil:
		return len(s.Query.Outer) > 0
	}
	return false
}

func lateralSet(s *bind.SetOperation) bool { return len(s.Left.Outer)+len(s.Right.Outer) > 0 }

func conditionsOf(e sqlparser.Expr) []sqlparser.Expr {
	if e == nil {
		return nil
	}
	return parts(e)
}

// collect adds the sources of a join tree to a group.
func (p *planner) collect(g *group, j *bind.Join, straight bool) {
	switch {
	case j == nil:
	case j.Source != nil:
		g.items = append(g.items, &item{source: j.Source, straight: straight, has: []*bind.Source{j.Source}})
	case j.Right == nil:
		p.collect(g, j.Left, straight)
		g.add(p, j.On)
	case j.Outer:
		p.collect(g, j.Left, straight)
		right := &group{}
		p.collect(right, j.Right, straight)
		it := &item{outer: true}
		if len(right.items) == 1 && right.items[0].source != nil && !right.items[0].outer {
			it.source, it.on = right.items[0].source, right.parts
		} else {
			it.inner = right
		}
		if it.inner != nil && p.b.lateral {
			it.on, right.parts = outermost(right.parts)
		}
		for _, o := range right.items {
			it.has = append(it.has, o.has...)
		}
		for _, e := range conditionsOf(j.On) {
			it.on = append(it.on, p.part(e))
		}
		g.items = append(g.items, it)
	default:
		p.collect(g, j.Left, straight)
		p.collect(g, j.Right, straight || j.Straight)
		g.add(p, j.On)
	}
}

// outermost divides conditions of the right side of an outer join into those that refer to the query around, which only the
// join itself can decide, and others.
func outermost(list []*part) (outer, others []*part) {
	for _, part := range list {
		if refersTo(part.e, bind.OfOuter) {
			outer = append(outer, part)
		} else {
			others = append(others, part)
		}
	}
	return outer, others
}

func (g *group) add(p *planner, e sqlparser.Expr) {
	for _, e := range conditionsOf(e) {
		g.parts = append(g.parts, p.part(e))
	}
}

// part is a condition with the sources that it needs.
func (p *planner) part(e sqlparser.Expr) *part {
	out := &part{e: e, needs: map[*bind.Source]bool{}}
	var note func(r bind.Ref)
	note = func(r bind.Ref) {
		switch r.Row {
		case bind.OfSources:
			if s, _ := p.q.SourceOf(r.At); s != nil {
				out.needs[s] = true
			}
		case bind.OfSubqueries:
			sub := p.q.Subqueries[r.At]
			for _, e := range append(slices.Clone(sub.Left), sub.Query.Outer...) {
				bind.Refs(e, note)
			}
		}
	}
	bind.Refs(e, note)
	return out
}

// inner makes inner joins of outer joins whose rows without a match a condition leaves out.
func (g *group) inner() {
	for changed := true; changed; {
		changed = false
		for i, it := range g.items {
			if !it.outer || !slices.ContainsFunc(g.parts, func(p *part) bool { return p.rejects(it.has) }) {
				continue
			}
			changed = true
			g.parts = append(g.parts, it.on...)
			if it.inner != nil {
				g.parts = append(g.parts, it.inner.parts...)
				g.items = slices.Replace(g.items, i, i+1, it.inner.items...)
			} else {
				it.outer, it.on = false, nil
			}
			break
		}
	}
}

// rejects reports whether a condition is not true if all columns of some of its sources are NULL.
func (p *part) rejects(of []*bind.Source) bool {
	c, ok := p.e.(*sqlparser.ComparisonExpr)
	if !ok || c.Operator == sqlparser.NullSafeEqualOp {
		if is, ok := p.e.(*sqlparser.IsExpr); ok && is.Right == sqlparser.IsNotNullOp {
			return columnOfAny(is.Left, of)
		}
		if between, ok := p.e.(*sqlparser.BetweenExpr); ok && between.IsBetween {
			return columnOfAny(between.Left, of)
		}
		return false
	}
	return columnOfAny(c.Left, of) || c.Operator != sqlparser.InOp && c.Operator != sqlparser.NotInOp && columnOfAny(c.Right, of)
}

func columnOfAny(e sqlparser.Expr, of []*bind.Source) bool {
	at, ok := bind.Column(e)
	return ok && slices.ContainsFunc(of, func(s *bind.Source) bool { return at >= s.First && at < s.First+s.Width })
}

// spread carries constants through equalities: of a = b and b = 1 follows a = 1.
func (g *group) spread(p *planner) {
	const most = 64
	for range most {
		next := g.follows(p)
		if next == nil {
			return
		}
		g.parts = append(g.parts, p.part(next))
	}
}

// follows is a condition that others imply and that is not there yet; nil: there is none.
func (g *group) follows(p *planner) sqlparser.Expr {
	for _, a := range g.parts {
		l, r, ok := equalColumns(a.e)
		if !ok || !p.sameColumns(l, r) {
			continue
		}
		for _, b := range g.parts {
			eq, ok := b.e.(*sqlparser.ComparisonExpr)
			if !ok || eq.Operator != sqlparser.EqualOp || !isConstant(eq.Right) {
				continue
			}
			at, ok := bind.Column(eq.Left)
			if !ok || at != l && at != r {
				continue
			}
			other := l + r - at
			e := &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: bind.ColumnAt(other), Right: eq.Right}
			if !slices.ContainsFunc(g.parts, func(p *part) bool { return sqlparser.Equals.Expr(p.e, e) }) {
				return e
			}
		}
	}
	return nil
}

func isConstant(e sqlparser.Expr) bool {
	switch e.(type) {
	case *sqlparser.Literal, *sqlparser.Argument:
		return true
	}
	r, ok := bind.RefOf(e)
	return ok && r.Row == bind.OfOuter
}

// equalColumns are the positions of the columns that a condition has equal.
func equalColumns(e sqlparser.Expr) (l, r int, ok bool) {
	eq, is := e.(*sqlparser.ComparisonExpr)
	if !is || eq.Operator != sqlparser.EqualOp {
		return 0, 0, false
	}
	l, okLeft := bind.Column(eq.Left)
	r, okRight := bind.Column(eq.Right)
	return l, r, okLeft && okRight && l != r
}

// sameColumns reports whether two columns of tables are compared with a constant alike.
func (p *planner) sameColumns(l, r int) bool {
	a, at := p.q.SourceOf(l)
	b, bt := p.q.SourceOf(r)
	if a == nil || b == nil || a.Table == nil || b.Table == nil {
		return false
	}
	return sameType(columnType(a.Table, at), columnType(b.Table, bt))
}

// plan joins the items of a group, one after the other.
func (p *planner) plan(g *group) error {
	if len(g.items) == 0 && p.from == nil {
		p.from = oneRow{}
	}
	for {
		it := p.next(g)
		if it == nil {
			break
		}
		it.done = true
		if err := p.join(g, it); err != nil {
			return err
		}
	}
	return p.filter(g.parts)
}

// next is the item to be joined next: an outer join as soon as what its condition needs is there, else the source that needs
// the fewest rounds and rows.
func (p *planner) next(g *group) (best *item) {
	least := 0.0
	for i, it := range g.items {
		if it.done || !p.placed(it) {
			continue
		}
		if it.outer {
			if p.needed(it) && !slices.ContainsFunc(g.items[:i], func(o *item) bool { return !o.done && o.outer }) {
				return it
			}
			continue
		}
		if it.straight && slices.ContainsFunc(g.items[:i], func(o *item) bool { return !o.done }) {
			continue
		}
		cost := p.cost(g, it)
		if best == nil || cost < least {
			best, least = it, cost
		}
		if i+1 < len(g.items) && g.items[i+1].straight {
			break
		}
	}
	if best == nil { // an outer join whose condition needs nothing of the left
		for _, it := range g.items {
			if !it.done && p.placed(it) {
				return it
			}
		}
	}
	return best
}

// placed reports whether all sources that an item's rows depend on are there.
func (p *planner) placed(it *item) bool {
	if it.source == nil || !it.source.Lateral() {
		return true
	}
	there := true
	for _, e := range it.source.Query.Outer {
		bind.Refs(e, func(r bind.Ref) {
			if r.Row == bind.OfSources {
				s, _ := p.q.SourceOf(r.At)
				there = there && p.there[s]
			}
		})
	}
	return there
}

// needed reports whether all sources that an outer join's condition needs besides its own are there.
func (p *planner) needed(it *item) bool {
	if p.from == nil {
		return false
	}
	some := false
	for _, part := range it.on {
		for s := range part.needs {
			if slices.Contains(it.has, s) {
				continue
			}
			if !p.there[s] {
				return false
			}
			some = true
		}
	}
	return some
}

// filter applies the conditions whose sources are all there.
func (p *planner) filter(list []*part) error {
	var ready []sqlparser.Expr
	for _, part := range list {
		if part.done || !p.has(part, nil) {
			continue
		}
		part.done = true
		ready = append(ready, part.e)
	}
	plain, late := dividedBySubqueries(allOf(ready))
	if plain != nil {
		late = append([]sqlparser.Expr{plain}, late...)
	}
	for _, e := range late {
		s, err := p.step(p.q, p.row, e)
		if err != nil {
			return err
		}
		p.from = &filterNode{p.from, s}
	}
	return nil
}

// has reports whether all sources that a condition needs are there, or are one of an item's.
func (p *planner) has(part *part, it *item) bool {
	for s := range part.needs {
		if !p.there[s] && (it == nil || !slices.Contains(it.has, s)) {
			return false
		}
	}
	return true
}

// oneRow yields one row without columns.
type oneRow struct{}

func (oneRow) open(*run, [][]expr.Value) (exec.Source, error) {
	return exec.Rows([][]expr.Value{{}}), nil
}
