package rounds

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// cost orders the items that can be joined next.
func (p *planner) cost(g *group, it *item) float64 {
	s := it.source
	constants, keys := map[int]bool{}, map[int]bool{} // columns that equal a constant, and a column that is there
	filtered, connected := false, false
	for _, part := range g.parts {
		if part.done || !part.needs[s] || !p.has(part, it) {
			continue
		}
		if len(part.needs) > 1 || refersTo(part.e, bind.OfOuter) {
			connected = true
		} else {
			filtered = true
		}
		for _, at := range p.equalTo(part.e, s, nil) {
			constants[at] = true
		}
		for _, at := range p.equalTo(part.e, s, p.there) {
			keys[at] = true
		}
	}
	cost := 6.0
	byConstants, byKeys := none, none
	if s.Table != nil {
		byConstants, _ = bound(s.Table, constants, constants)
		byKeys, _ = bound(s.Table, keys, constants)
	}
	switch {
	case s.Table == nil:
		if cost = 5.5; connected {
			cost = 4.5
		}
	case byConstants == unique:
		cost = 0
	case byKeys == unique:
		cost = 1
	case byConstants == byFirst:
		cost = 2
	case byKeys == byFirst:
		cost = 3
	case connected:
		cost = 5
	}
	if filtered {
		cost -= 0.2
	}
	return cost
}

// equalTo are the columns of a source that a condition has equal to a constant, or, with there, to a value of these sources.
func (p *planner) equalTo(e sqlparser.Expr, s *bind.Source, there map[*bind.Source]bool) (out []int) {
	eq, ok := e.(*sqlparser.ComparisonExpr)
	if !ok || eq.Operator != sqlparser.EqualOp {
		return nil
	}
	for _, side := range [][2]sqlparser.Expr{{eq.Left, eq.Right}, {eq.Right, eq.Left}} {
		at, ok := bind.Column(side[0])
		if !ok || at < s.First || at >= s.First+s.Width {
			continue
		}
		if there == nil {
			if constant(side[1]) {
				out = append(out, at-s.First)
			}
			continue
		}
		if r, ok := bind.RefOf(side[1]); ok {
			of, _ := p.q.SourceOf(r.At)
			if _, known := p.row.places[r]; known && (r.Row == bind.OfOuter || there[of]) && p.looks(s, at-s.First, r) {
				out = append(out, at-s.First)
			}
		}
	}
	return out
}

// looks reports whether values of the row can bound an index of a column.
func (p *planner) looks(s *bind.Source, column int, r bind.Ref) bool {
	return s.Table != nil && lookable(columnType(s.Table, column), p.row.types[p.row.places[r]])
}

// How an index bounds the rows for given values.
const (
	none    = iota
	byFirst // by its first columns
	unique  // to one row
)

// bound is how the best index of a table bounds its rows if columns have values; one of the first must be among keys.
func bound(d *catalog.Descriptor, keys, constants map[int]bool) (best int, by *catalog.IndexInfo) {
	of := func(x *catalog.IndexInfo) {
		n, keyed := 0, false
		for _, pos := range x.Columns {
			if !keys[pos] && !constants[pos] {
				break
			}
			keyed = keyed || keys[pos]
			n++
		}
		switch {
		case !keyed:
		case n == len(x.Columns) && x.Unique && !x.HasPrefixes() && best < unique:
			best, by = unique, x
		case best < byFirst:
			best, by = byFirst, x
		}
	}
	if !d.Keyless() {
		of(d.Primary)
	}
	for _, x := range d.Indexes {
		of(x)
	}
	return best, by
}

// side is what is joined to the rows so far.
type side struct {
	row     *layout
	node    node         // of all its rows
	leaf    *leaf        // if it is a table
	lateral *lateralSide // if its rows depend on the rows so far
}

// join joins an item.
func (p *planner) join(g *group, it *item) error {
	conditions := g.parts
	if it.outer {
		conditions = it.on
	}
	var local, both []*part
	for _, part := range conditions {
		switch {
		case part.done || !p.has(part, it):
		case p.local(part, it):
			local = append(local, part)
		case it.outer || part.touches(it) && !refersTo(part.e, bind.OfSubqueries):
			both = append(both, part)
		}
	}
	s, err := p.side(it, local)
	if err != nil {
		return err
	}
	for _, part := range append(local, both...) {
		part.done = true
	}
	if p.from == nil && !it.outer {
		p.from, p.row = s.node, s.row
		p.arrive(it)
		return p.filter(append(both, g.parts...))
	}
	if p.from == nil {
		p.from = oneRow{}
	}
	match := p.match
	if it.outer && p.appliesBoth(s, both) {
		match = p.matchApplied
	}
	if err := match(it, s, both); err != nil {
		return err
	}
	p.arrive(it)
	return p.filter(g.parts)
}

func (p *planner) arrive(it *item) {
	for _, s := range it.has {
		p.there[s] = true
	}
}

// local reports whether a condition needs the item alone.
func (p *planner) local(part *part, it *item) bool {
	if it.source != nil && it.source.Lateral() {
		return false
	}
	for s := range part.needs {
		if !slices.Contains(it.has, s) {
			return false
		}
	}
	if refersTo(part.e, bind.OfSubqueries) {
		return false // they may refer to what the item does not have
	}
	return !refersTo(part.e, bind.OfOuter) && (len(part.needs) > 0 || p.from == nil)
}

func (part *part) touches(it *item) bool {
	return slices.ContainsFunc(it.has, func(s *bind.Source) bool { return part.needs[s] })
}

// side compiles an item with the conditions on it alone.
func (p *planner) side(it *item, local []*part) (*side, error) {
	var filter []sqlparser.Expr
	for _, part := range local {
		filter = append(filter, part.e)
	}
	where := allOf(filter)
	if it.source != nil && it.source.Table != nil {
		l := newLeaf(it.source, columnsOf(it.source, p.q.Expressions()))
		if err := supported(l); err != nil {
			return nil, err
		}
		return &side{row: l.layout(), node: leafNode{l}, leaf: l}, l.compile(p.c, where)
	}
	if it.source != nil && it.source.Lateral() {
		return p.lateral(it.source)
	}
	s := &side{}
	if it.source != nil {
		var err error
		if s.node, s.row, err = p.source(it.source); err != nil {
			return nil, err
		}
	} else {
		inner := &planner{compiler: p.compiler, b: p.b, q: p.q, row: newLayout(), there: map[*bind.Source]bool{}}
		it.inner.inner()
		it.inner.spread(inner)
		if err := inner.plan(it.inner); err != nil {
			return nil, err
		}
		s.node, s.row = inner.from, inner.row
	}
	if where != nil {
		st, err := p.step(p.q, s.row, where)
		if err != nil {
			return nil, err
		}
		s.node = &filterNode{s.node, st}
	}
	return s, nil
}

// match joins a side to the rows so far, by conditions on both.
func (p *planner) match(it *item, s *side, both []*part) error {
	spec := exec.JoinSpec{Kind: exec.InnerJoin}
	if it.outer {
		spec.Kind = exec.LeftJoin
	}
	left := p.row
	if s.lateral != nil {
		spec.Keys = s.lateral.keys
	}
	var on []sqlparser.Expr
	var keys []lookupKey
	for _, part := range both {
		key, exact, ok := joinKey(part.e, left, s.row)
		if ok {
			spec.Keys = append(spec.Keys, key)
			if s.leaf != nil && !key.NullSafe && lookable(key.RightType, key.Type) {
				keys = append(keys, lookupKey{s.leaf.columns[key.Right], key.Left})
			}
		}
		if !ok || !exact {
			on = append(on, part.e)
		}
	}
	if _, id := left.places[bind.Ref{Row: bind.OfOuter, At: -1}]; id && it.source != nil && s.lateral == nil && p.dependent(it.source) {
		spec.Keys = append(spec.Keys, exec.JoinKey{Left: 0, Right: 0, Type: expr.IntegerType(), RightType: expr.IntegerType()})
	}
	if err := p.applyOn(s, left, on); err != nil {
		return err
	}
	spec.Width = len(s.row.types)
	whole := left.clone()
	whole.behind(s.row, it.outer)
	if e := allOf(on); e != nil {
		var err error
		if spec.On, err = expr.Compile(p.c, whole.columns(), e); err != nil {
			return err
		}
	}
	join := &joinNode{left: p.from, right: s.node, lateral: s.lateral, spec: spec}
	if join.leaf = s.leaf; s.leaf != nil {
		if join.index = s.leaf.bounded(keys); join.index != nil {
			join.keys = keys
		}
	}
	p.from, p.row = join, whole
	return nil
}

// applyOn has the subqueries of a join's conditions computed of the rows on the left, or of the side on the right. None
// needs both.
func (p *planner) applyOn(s *side, left *layout, on []sqlparser.Expr) error {
	l, r := &step{}, &step{}
	for _, e := range on {
		if p.applyAll(p.q, left, e, l) == nil {
			continue
		}
		if p.applyAll(p.q, s.row, e, r) != nil {
			return &expr.Unsupported{What: "this subquery in a condition of a join"}
		}
	}
	if len(l.subqueries) > 0 {
		p.from = &extendNode{p.from, l}
	}
	if len(r.subqueries) > 0 {
		s.node, s.leaf = &extendNode{s.node, r}, nil // all rows of a table are read
	}
	return nil
}

// joinKey is the pair of columns that a condition has equal; exact: the pair is all of the condition. ok is false if it is no
// such condition, or the columns' keys do not tell whether they are equal.
func joinKey(e sqlparser.Expr, left, right *layout) (key exec.JoinKey, exact, ok bool) {
	eq, is := e.(*sqlparser.ComparisonExpr)
	if !is || eq.Operator != sqlparser.EqualOp && eq.Operator != sqlparser.NullSafeEqualOp {
		return key, false, false
	}
	for _, sides := range [][2]sqlparser.Expr{{eq.Left, eq.Right}, {eq.Right, eq.Left}} {
		l, okLeft := left.at(sides[0])
		r, okRight := right.at(sides[1])
		if !okLeft || !okRight || !exec.Joinable(left.types[l], right.types[r]) {
			continue
		}
		return exec.JoinKey{Left: l, Right: r, Type: left.types[l], RightType: right.types[r], NullSafe: eq.Operator == sqlparser.NullSafeEqualOp}, true, true
	}
	return key, false, false
}
