package rounds

import (
	"context"

	"vitess.io/vitess/go/sqltypes"

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

// lookup is the inner side of a join with a table. For a batch of rows it reads the rows that have their keys: in one round, or
// two through an index. Without keys that an index has, and once that is cheaper, it reads all rows that fulfil the filter.
//
// Nothing is known of the size of a table. So with the second, fourth, eighth batch a lookup reads some rows more than there
// were keys, in the order of the primary key: if these are all that there are, they serve from then on.
type lookup struct {
	r       *run
	leaf    *leaf
	keys    []lookupKey // none: all rows are read
	batches int
	looked  int // keys so far
	ranges  int // of an index, so far
	all     [][]expr.Value
	lasting bool
}

const (
	// tryRows is how many rows a lookup reads in the hope that they are all, for each key so far.
	tryRows = 8
	// lookupRanges bounds the ranges of an index that a lookup reads: a transaction keeps the ranges that it has read, and may
	// have 4,096. Beyond it all rows are read.
	lookupRanges = 1024
)

func newLookup(r *run, l *leaf, keys []lookupKey) *lookup {
	l.begin(r.c)
	return &lookup{r: r, leaf: l, keys: keys}
}

// RowsFor implements exec.Inner.
func (k *lookup) RowsFor(ctx context.Context, left [][]expr.Value) ([][]expr.Value, bool, error) {
	if k.lasting {
		return k.all, true, nil
	}
	k.batches++
	if len(k.keys) == 0 || k.ranges > lookupRanges {
		return k.whole(ctx, 0)
	}
	if free := !k.leaf.locks(); free && k.batches > 1 && k.batches&(k.batches-1) == 0 {
		if rows, all, err := k.whole(ctx, tryRows*k.looked); all || err != nil {
			return rows, all, err
		}
	}
	by, values := k.condition(left)
	if by == nil {
		return nil, false, nil
	}
	k.looked += values
	choice, err := k.choose(by)
	if err != nil || choice == nil {
		return nil, k.leaf.closed, err
	}
	if k.ranges += len(choice.Scans); k.ranges > lookupRanges && k.ranges > len(choice.Scans) && !k.leaf.locks() {
		return k.whole(ctx, 0)
	}
	rows, err := k.read(ctx, choice)
	return rows, false, err
}

// choose is the access to the rows that fulfil the filter and some conditions more; nil: there are none.
func (k *lookup) choose(more []access.Condition) (*access.Choice, error) {
	w, err := k.leaf.wanted(k.r)
	if err != nil || k.leaf.closed {
		return nil, err
	}
	w.Conditions, w.Whole = append(w.Conditions[:len(w.Conditions):len(w.Conditions)], more...), len(more) == 0 && w.Whole
	return access.Choose(k.r.now, k.leaf.source.Table, w)
}

// whole reads all rows that fulfil the filter, or so many if most is not 0: lasting reports whether they are all.
func (k *lookup) whole(ctx context.Context, most int) (_ [][]expr.Value, lasting bool, err error) {
	choice, err := k.choose(nil)
	if err != nil || choice == nil {
		k.lasting = err == nil
		return nil, k.lasting, err
	}
	if most > 0 {
		if !choice.Exact() || len(choice.Gets) > 0 {
			return nil, false, nil
		}
		choice.Access.Limit = most
	}
	rows, err := k.leaf.read(ctx, k.r, choice)
	if err != nil || most > 0 && len(rows) >= most {
		return nil, false, err
	}
	k.all, err = k.filtered(rows)
	k.lasting = err == nil
	return k.all, k.lasting, err
}

func (k *lookup) read(ctx context.Context, choice *access.Choice) ([][]expr.Value, error) {
	rows, err := k.leaf.read(ctx, k.r, choice)
	if err != nil {
		return nil, err
	}
	return k.filtered(rows)
}

// filtered are the rows that fulfil the filter.
func (k *lookup) filtered(rows [][]expr.Value) ([][]expr.Value, error) {
	if k.leaf.where == nil {
		return rows, nil
	}
	kept := rows[:0]
	for _, row := range rows {
		ok, err := k.leaf.where.True(row)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

// condition has the keys' columns equal to the values of the rows, and counts these; nil: no row has values.
func (k *lookup) condition(left [][]expr.Value) (_ []access.Condition, values int) {
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
	switch values = len(rows.Alternatives); {
	case values == 0:
		return nil, 0
	case values == 1:
		return rows.Alternatives[0], 1
	case len(k.keys) > 1:
		return []access.Condition{rows, k.either(rows)}, values
	}
	return []access.Condition{k.either(rows)}, values
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
	add := func(types []expr.Type, base bool, ranks ...collationRank) {
		if base {
			row.hide(expr.IntegerType())
		}
		for i, t := range types {
			row.add(bind.Ref{Row: bind.OfSources, At: s.First + i}, t)
			if i < len(ranks) && ranks[i] == ofLiteral && sqltypes.IsText(t.Type()) {
				row.yield(len(row.types) - 1)
			}
		}
	}
	switch {
	case s.Virtual != nil:
		types := make([]expr.Type, len(s.Virtual.Columns))
		for i, c := range s.Virtual.Columns {
			types[i] = c.Type
		}
		add(types, false)
		return virtualNode{s, p.q}, row, nil
	case s.Round != nil:
		add(p.rounds[s.Round], false)
		return roundNode{s.Round}, row, nil
	case s.CTE != nil:
		of, err := p.commonOf(s.CTE)
		if err != nil {
			return nil, nil, err
		}
		add(of.types, false, p.ranksOf(of.base)...)
		if of.step == nil {
			hideRest(row, of.base)
		}
		return sharedNode{of}, row, nil
	case s.Query != nil:
		n, err := p.derived(s.Query)
		if err != nil {
			return nil, nil, err
		}
		add(n.block.types(), n.block.lateral, p.ranksOf(n.block)...)
		hideRest(row, n.block)
		return n, row, nil
	case s.Set != nil:
		n, err := p.set(s.Set)
		if err != nil {
			return nil, nil, err
		}
		add(n.convert.types, n.convert.base > 0, p.ranks[s.Set]...)
		return n, row, nil
	}
	n, types, err := p.values(s)
	add(types, false, make([]collationRank, len(types))...)
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

// set compiles a set operation. The columns of a chain of UNIONs have the types that all its queries have in common.
func (p *planner) set(s *bind.SetOperation) (*setNode, error) {
	lateral := p.b.lateral && lateralSet(s)
	n := &setNode{}
	var queries []*blockNode
	if err := p.setOf(n, s, lateral, &queries); err != nil {
		return nil, err
	}
	var columns [][]expr.Type
	var ranks [][]collationRank
	for _, q := range queries {
		columns = append(columns, q.block.types())
		ranks = append(ranks, p.ranksOf(q.block))
	}
	if err := mixed(columns, ranks); err != nil {
		return nil, err
	}
	if p.ranks == nil {
		p.ranks = map[*bind.SetOperation][]collationRank{}
	}
	p.ranks[s] = highest(ranks)
	convert, err := p.commonTypes(queries[0].block.base(), ranks, columns...)
	if err != nil {
		return nil, err
	}
	var types []expr.Type
	if lateral {
		types = append(types, expr.IntegerType())
	}
	types = append(types, convert.types...)
	for at, more := n, true; more; at, more = at.left.(*setNode) {
		at.convert, at.types = convert, types
	}
	return n, nil
}

// setOf compiles the queries of a set operation, and appends them in their order.
func (p *planner) setOf(n *setNode, s *bind.SetOperation, lateral bool, queries *[]*blockNode) error {
	n.op, n.all, n.leftAt = s.Op, s.All, -1
	if inner := chained(s); inner != nil {
		left := &setNode{}
		if err := p.setOf(left, inner, lateral, queries); err != nil {
			return err
		}
		n.left = left
	} else {
		left, err := p.inDomain(s.Left, lateral)
		if err != nil {
			return err
		}
		n.left, n.leftAt = left, len(*queries)
		*queries = append(*queries, left)
	}
	right, err := p.inDomain(s.Right, lateral)
	if err != nil {
		return err
	}
	n.right, n.rightAt = right, len(*queries)
	*queries = append(*queries, right)
	return nil
}

// chained is the UNION that is the left side of another, without an order or limit of its own; nil: there is none.
func chained(s *bind.SetOperation) *bind.SetOperation {
	q := s.Left
	if s.Op != bind.Union || len(q.Sources) != 1 || len(q.Outer) > 0 || len(q.Order) > 0 || q.Count != nil || q.Where != nil || q.Distinct {
		return nil
	}
	if inner := q.Sources[0].Set; inner != nil && inner.Op == bind.Union {
		return inner
	}
	return nil
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
	if n.steps, err = p.commonTypes(0, nil, types...); err != nil {
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
		if s.convert, err = k.commonTypes(0, [][]collationRank{k.ranksOf(s.base), make([]collationRank, len(s.types))}, s.types, s.step.types()); err != nil {
			return nil, err
		}
		if s.offset, s.count, err = k.limit(cte.Offset, cte.Count); err != nil {
			return nil, err
		}
	}
	if k.common == nil {
		k.common = map[*bind.CTE]*shared{}
	}
	k.common[cte] = s
	return s, nil
}
