package rounds

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/access"
	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// compiler compiles the blocks of a statement.
type compiler struct {
	c *expr.Context
	// rounds are the columns of the recursive CTEs that are being compiled.
	rounds map[*bind.CTE][]expr.Type
	common map[*bind.CTE]*shared
	ranks  map[*bind.SetOperation][]collationRank // of the columns
}

// block is a compiled SELECT. A lateral one is executed for many rows of the query around it at once: its domain, of which
// each row begins with its number. Rows of its result begin with that number.
type block struct {
	query   *bind.Query
	lateral bool
	leaf    *leaf // of a query over one table that is not lateral; nil: from
	from    node  // nil: there are no sources
	late    []*step
	input   *step // of groups: keys, then arguments of aggregates
	keys    []exec.Key
	groups  []exec.Aggregate
	having  *step
	windows []*windowPass
	list    *step // items, then keys of the order that are no items
	order   []exec.Key
	first   []exec.Key     // the order by columns of the row before the list, where a limit leaves out rows of it; nil: by order
	plain   []access.Order // the order, if all its keys are columns of the leaf
	offset  *expr.Program  // nil: 0
	count   *expr.Program  // nil: all
	marks   int            // where the marks of the rows begin in the list
	found   int64          // rows without the limit, of CountAll
}

// step computes expressions, and before them the subqueries that they refer to, which become part of the row.
type step struct {
	subqueries []*applied
	program    *expr.Program
	width      int // how many expressions
}

// block compiles a query; outer are the types of what it refers to outside, nil: it is not lateral.
func (k *compiler) block(q *bind.Query, outer []expr.Type) (_ *block, err error) {
	b := &block{query: q, lateral: outer != nil}
	if len(q.Outer) > 0 && !b.lateral {
		return nil, &expr.Unsupported{What: "a reference to a query around"}
	}
	for _, cte := range q.CTEs { // one that no source reads is compiled for its errors
		if cte.Uses > 0 {
			continue
		}
		if _, err := k.commonOf(cte); err != nil {
			return nil, err
		}
	}
	row, err := k.sources(b, outer)
	if err != nil {
		return nil, err
	}
	if q.Grouped {
		if row, err = k.group(b, row); err != nil {
			return nil, err
		}
	}
	if q.Having != nil {
		if b.having, err = k.step(q, row, q.Having); err != nil {
			return nil, err
		}
	}
	if err := k.windows(b, row); err != nil {
		return nil, err
	}
	if err := k.list(b, row); err != nil {
		return nil, err
	}
	return b, k.limits(b)
}

// step compiles expressions over a row, which is extended by the subqueries that they refer to.
func (k *compiler) step(q *bind.Query, row *layout, list ...sqlparser.Expr) (s *step, err error) {
	s = &step{width: len(list)}
	for _, e := range list {
		if err := k.applyAll(q, row, e, s); err != nil {
			return nil, err
		}
	}
	s.program, err = expr.Compile(k.c, row.columns(), list...)
	return s, err
}

// sources compiles what the rows come from and the filter, and returns the row.
func (k *compiler) sources(b *block, outer []expr.Type) (*layout, error) {
	q := b.query
	var late []sqlparser.Expr
	var row *layout
	if q.Table != nil && !b.lateral {
		b.leaf = newLeaf(q.Sources[0], columnsOf(q.Sources[0], q.Expressions()))
		if err := supported(b.leaf); err != nil {
			return nil, err
		}
		var early sqlparser.Expr
		early, late = dividedBySubqueries(q.Where)
		if err := b.leaf.compile(k.c, early); err != nil {
			return nil, err
		}
		b.leaf.whole = b.leaf.whole && len(late) == 0
		row = b.leaf.layout()
	} else {
		var err error
		if row, err = k.joins(b, outer); err != nil {
			return nil, err
		}
	}
	for _, e := range late {
		s, err := k.step(q, row, e)
		if err != nil {
			return nil, err
		}
		for _, a := range s.subqueries {
			b.leaf.depend(k.c, e, a)
		}
		b.late = append(b.late, s)
	}
	return row, nil
}

// dividedBySubqueries are the parts of a filter without subqueries, as one, and those with.
func dividedBySubqueries(e sqlparser.Expr) (without sqlparser.Expr, with []sqlparser.Expr) {
	if e == nil {
		return nil, nil
	}
	var list []sqlparser.Expr
	for _, part := range parts(e) {
		if refersTo(part, bind.OfSubqueries) {
			with = append(with, part)
		} else {
			list = append(list, part)
		}
	}
	if len(with) == 0 {
		return e, nil
	}
	return allOf(list), with
}

func refersTo(e sqlparser.SQLNode, row bind.RowKind) (found bool) {
	bind.Refs(e, func(r bind.Ref) { found = found || r.Row == row })
	return found
}

// allOf is AND of a list, nested no deeper than need be; nil of none.
func allOf(list []sqlparser.Expr) sqlparser.Expr {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	half := len(list) / 2
	return &sqlparser.AndExpr{Left: allOf(list[:half]), Right: allOf(list[half:])}
}

// list compiles the items and the keys of the order.
func (k *compiler) list(b *block, row *layout) (err error) {
	var list []sqlparser.Expr
	if b.lateral {
		list = append(list, bind.OuterAt(-1))
	}
	base := len(list)
	for _, item := range b.query.Items {
		list = append(list, item.Expr)
	}
	plain := b.leaf != nil && !b.query.Grouped && len(b.query.Windows) == 0
	for _, o := range b.query.Order {
		if column, ok := b.leafColumn(o.Expr); ok {
			b.plain = append(b.plain, access.Order{Column: column, Descending: o.Descending})
		} else {
			plain = false
		}
		if o.Item < 0 && fixed(k.c, o.Expr) {
			continue
		}
		at := base + o.Item
		if o.Item < 0 {
			at = len(list)
			list = append(list, o.Expr)
		}
		b.order = append(b.order, exec.Key{At: at, Descending: o.Descending})
	}
	if !plain {
		b.plain = nil
	}
	b.marks = len(list)
	list = append(list, b.query.Marks...)
	b.first = sortedFirst(k.c, b, row)
	if b.list, err = k.step(b.query, row, list...); err != nil {
		return err
	}
	for i := range b.order {
		b.order[i].Type = b.list.program.Type(b.order[i].At)
	}
	return nil
}

// sortedFirst are the keys of the order as columns of the row, if a limit then leaves out rows for which items are not to be
// computed; nil: it does not, or a key is no column.
func sortedFirst(c *expr.Context, b *block, row *layout) (keys []exec.Key) {
	if b.query.Count == nil && !assigns(b.query) || b.query.Distinct || b.lateral {
		return nil
	}
	for _, o := range b.query.Order {
		at, ok := row.at(o.Expr)
		if !ok && fixed(c, o.Expr) {
			continue
		}
		if !ok {
			return nil
		}
		keys = append(keys, exec.Key{At: at, Type: row.types[at], Descending: o.Descending})
	}
	if !slices.ContainsFunc(b.query.Items, func(i bind.Item) bool { _, column := row.at(i.Expr); return !column }) {
		return nil // nothing is computed
	}
	return keys
}

// assigns reports whether an item sets a variable, which it does in the order of the rows.
func assigns(q *bind.Query) bool {
	return slices.ContainsFunc(q.Items, func(i bind.Item) bool {
		found := false
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			_, is := n.(*sqlparser.AssignmentExpr)
			found = found || is
			return !found, nil
		}, i.Expr)
		return found
	})
}

func (b *block) leafColumn(e sqlparser.Expr) (int, bool) {
	if b.leaf == nil {
		return 0, false
	}
	return b.leaf.column(e)
}

// base is the number of columns before the items.
func (b *block) base() int {
	if b.lateral {
		return 1
	}
	return 0
}

// types are those of the items.
func (b *block) types() []expr.Type {
	out := make([]expr.Type, len(b.query.Items))
	for i := range out {
		out[i] = b.list.program.Type(b.base() + i)
	}
	return out
}

func (k *compiler) limits(b *block) (err error) {
	b.offset, b.count, err = k.limit(b.query.Offset, b.query.Count)
	return err
}

// limit compiles a limit; no count: there is none.
func (k *compiler) limit(from, most sqlparser.Expr) (offset, count *expr.Program, err error) {
	if most == nil {
		return nil, nil, nil
	}
	if count, err = expr.Compile(k.c, expr.Columns{}, most); err == nil && from != nil {
		offset, err = expr.Compile(k.c, expr.Columns{}, from)
	}
	return offset, count, err
}

// fixed reports whether a key of the order has one value for all rows: it orders nothing, and is not computed.
func fixed(c *expr.Context, e sqlparser.Expr) bool {
	if !constant(e) {
		return false
	}
	program, err := expr.Compile(c, expr.Columns{}, e)
	return err == nil && program.Constant(0)
}

// supported refuses a table of which a column is read that expressions cannot compute with.
func supported(l *leaf) error {
	d := l.source.Table
	if at := slices.IndexFunc(l.columns, func(pos int) bool { return pos < len(d.Record.Columns) && !expr.Computes(d.Type(pos)) }); at >= 0 {
		return &expr.Unsupported{What: "column " + d.Record.Columns[l.columns[at]].Name}
	}
	return nil
}
