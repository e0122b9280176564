package rounds

import (
	"context"

	"isochron/sql/access"
	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// lookupKey is a column of a table that equals a value of the row.
type lookupKey struct {
	column int // of the table
	at     int // in the row
}

// bounded is the index that bounds the rows of the table for values of the keys; nil: none does.
func (l *leaf) bounded(keys []lookupKey) *catalog.IndexInfo {
	by, constants := map[int]bool{}, map[int]bool{}
	for _, k := range keys {
		by[k.column] = true
	}
	for _, c := range l.conditions {
		if c.op == access.Equal {
			constants[c.column] = true
		}
	}
	_, x := bound(l.source.Table, by, constants)
	return x
}

// lookup reads, for a batch of rows, the rows of a table that have their keys: in one round, or two through an index.
type lookup struct {
	r    *run
	leaf *leaf
	keys []lookupKey
}

func newLookup(r *run, l *leaf, keys []lookupKey) *lookup {
	l.begin(r.c)
	return &lookup{r, l, keys}
}

// RowsFor implements exec.Inner.
func (k *lookup) RowsFor(ctx context.Context, left [][]expr.Value) ([][]expr.Value, bool, error) {
	w, err := k.leaf.wanted(k.r)
	if err != nil || k.leaf.closed {
		return nil, true, err
	}
	by := k.condition(left)
	if by == nil {
		return nil, false, nil
	}
	w.Conditions, w.Whole = append(w.Conditions[:len(w.Conditions):len(w.Conditions)], by...), false
	choice, err := access.Choose(k.r.gctx, k.leaf.source.Table, w)
	if err != nil || choice == nil {
		return nil, false, err
	}
	rows, err := k.leaf.read(ctx, k.r, choice)
	if err != nil || k.leaf.where == nil {
		return rows, false, err
	}
	kept := rows[:0]
	for _, row := range rows {
		ok, err := k.leaf.where.True(row)
		if err != nil {
			return nil, false, err
		}
		if ok {
			kept = append(kept, row)
		}
	}
	return kept, false, nil
}

// condition has the keys' columns equal to the values of the rows; nil: no row has values.
func (k *lookup) condition(left [][]expr.Value) []access.Condition {
	seen := map[string]struct{}{}
	rows := access.Condition{Op: access.Rows}
	var text []byte
	tuple := make([]expr.Value, len(k.keys))
next:
	for _, row := range left {
		for i, key := range k.keys {
			if tuple[i] = row[key.at]; tuple[i].IsNull() {
				continue next
			}
		}
		text = bytesOf(text[:0], tuple)
		if _, ok := seen[string(text)]; ok {
			continue
		}
		seen[string(text)] = struct{}{}
		one := make([]access.Condition, len(tuple))
		for i, key := range k.keys {
			one[i] = access.Condition{Column: key.column, Op: access.Equal, Values: []expr.Value{tuple[i]}}
		}
		rows.Alternatives = append(rows.Alternatives, one)
	}
	switch {
	case len(rows.Alternatives) == 0:
		return nil
	case len(rows.Alternatives) == 1:
		return rows.Alternatives[0]
	case len(k.keys) > 1:
		return []access.Condition{rows, k.either(rows)}
	}
	return []access.Condition{k.either(rows)}
}

// either is the condition on the first key's column alone.
func (k *lookup) either(rows access.Condition) access.Condition {
	out := access.Condition{Column: k.keys[0].column, Op: access.Equal}
	for _, one := range rows.Alternatives {
		out.Values = append(out.Values, one[0].Values[0])
	}
	return out
}

// Close implements exec.Inner.
func (k *lookup) Close() {}

var _ exec.Inner = (*lookup)(nil)

// source compiles a source that is no table.
func (p *planner) source(s *bind.Source) (node, *layout, error) {
	row := newLayout()
	add := func(types []expr.Type, base bool) {
		if base {
			row.hide(expr.IntegerType())
		}
		for i, t := range types {
			row.add(bind.Ref{Row: bind.OfSources, At: s.First + i}, t)
		}
	}
	switch {
	case s.Round != nil:
		add(p.rounds[s.Round], false)
		return roundNode{s.Round}, row, nil
	case s.CTE != nil:
		of, err := p.commonOf(s.CTE)
		if err != nil {
			return nil, nil, err
		}
		add(of.types, false)
		if of.step == nil {
			hideRest(row, of.base)
		}
		return sharedNode{of}, row, nil
	case s.Query != nil:
		n, err := p.derived(s.Query)
		if err != nil {
			return nil, nil, err
		}
		add(n.block.types(), n.block.lateral)
		hideRest(row, n.block)
		return n, row, nil
	case s.Set != nil:
		n, err := p.set(s.Set)
		if err != nil {
			return nil, nil, err
		}
		add(n.convert.types, n.convert.base > 0)
		return n, row, nil
	}
	n, types, err := p.values(s)
	add(types, false)
	return n, row, err
}

// hideRest accounts for the columns behind a block's items.
func hideRest(row *layout, b *block) {
	for i := b.base() + len(b.query.Items); i < b.list.width; i++ {
		row.hide(b.list.program.Type(i))
	}
}

// only compiles the only source of a lateral query, whose rows begin with the number of their domain row.
func (p *planner) only(s *bind.Source) error {
	n, row, err := p.source(s)
	if err != nil {
		return err
	}
	row.places[bind.Ref{Row: bind.OfOuter, At: -1}] = 0
	p.from, p.row = n, row
	p.there[s] = true
	return nil
}

// derived compiles a query whose rows are a source.
func (p *planner) derived(q *bind.Query) (*blockNode, error) {
	return p.inDomain(q, len(q.Outer) > 0)
}

// inDomain compiles a query that is executed for the domain, if it is lateral.
func (p *planner) inDomain(q *bind.Query, lateral bool) (n *blockNode, err error) {
	n = &blockNode{}
	if !lateral {
		n.block, err = p.block(q, nil)
		return n, err
	}
	domain := newLayout()
	for r, at := range p.row.places {
		if r.Row == bind.OfOuter {
			domain.places[r] = at
		}
	}
	domain.types = p.row.types[:len(domain.places)]
	if n.input, err = expr.Compile(p.c, domain.columns(), q.Outer...); err != nil {
		return nil, err
	}
	outer := []expr.Type{}
	for i := range q.Outer {
		outer = append(outer, n.input.Type(i))
	}
	n.block, err = p.block(q, outer)
	return n, err
}

// set compiles a set operation.
func (p *planner) set(s *bind.SetOperation) (*setNode, error) {
	lateral := p.b.lateral && lateralSet(s)
	left, err := p.inDomain(s.Left, lateral)
	if err != nil {
		return nil, err
	}
	right, err := p.inDomain(s.Right, lateral)
	if err != nil {
		return nil, err
	}
	n := &setNode{op: s.Op, all: s.All, left: left, right: right}
	if n.convert, err = p.commonTypes(left.block.base(), left.block.types(), right.block.types()); err != nil {
		return nil, err
	}
	if lateral {
		n.types = append(n.types, expr.IntegerType())
	}
	n.types = append(n.types, n.convert.types...)
	return n, nil
}

// values compiles VALUES.
func (p *planner) values(s *bind.Source) (*valuesNode, []expr.Type, error) {
	n := &valuesNode{}
	var types [][]expr.Type
	for _, row := range s.Values {
		program, err := expr.Compile(p.c, expr.Columns{}, row...)
		if err != nil {
			return nil, nil, err
		}
		n.rows = append(n.rows, program)
		of := make([]expr.Type, len(row))
		for i := range row {
			of[i] = program.Type(i)
		}
		types = append(types, of)
	}
	var err error
	if n.steps, err = p.commonTypes(0, types...); err != nil {
		return nil, nil, err
	}
	return n, n.steps.types, nil
}

// commonOf compiles a common table expression, once.
func (k *compiler) commonOf(cte *bind.CTE) (_ *shared, err error) {
	if s := k.common[cte]; s != nil {
		return s, nil
	}
	s := &shared{cte: cte}
	if s.base, err = k.block(cte.Query, nil); err != nil {
		return nil, err
	}
	s.types = s.base.types()
	if cte.Step != nil {
		for i := range s.types {
			s.types[i].SetNullability(true)
		}
		if k.rounds == nil {
			k.rounds = map[*bind.CTE][]expr.Type{}
		}
		k.rounds[cte] = s.types
		if s.step, err = k.block(cte.Step, nil); err != nil {
			return nil, err
		}
		if s.convert, err = k.commonTypes(0, s.types, s.step.types()); err != nil {
			return nil, err
		}
	}
	if k.common == nil {
		k.common = map[*bind.CTE]*shared{}
	}
	k.common[cte] = s
	return s, nil
}
