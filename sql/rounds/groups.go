package rounds

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// aggregateOf is an aggregate of a tree, without its arguments' places.
func aggregateOf(a sqlparser.AggrFunc) (exec.Aggregate, bool) {
	switch a := a.(type) {
	case *sqlparser.CountStar:
		return exec.Aggregate{Kind: exec.CountRows}, true
	case *sqlparser.Count:
		return exec.Aggregate{Kind: exec.Count, Distinct: a.Distinct}, true
	case *sqlparser.Sum:
		return exec.Aggregate{Kind: exec.Sum, Distinct: a.Distinct}, true
	case *sqlparser.Avg:
		return exec.Aggregate{Kind: exec.Avg, Distinct: a.Distinct}, true
	case *sqlparser.Min:
		return exec.Aggregate{Kind: exec.Min}, true
	case *sqlparser.Max:
		return exec.Aggregate{Kind: exec.Max}, true
	case *sqlparser.GroupConcatExpr:
		return exec.Aggregate{Kind: exec.GroupConcat, Distinct: a.Distinct, Separator: separatorOf(a)}, a.Limit == nil
	case *sqlparser.BitAnd:
		return exec.Aggregate{Kind: exec.BitAnd}, true
	case *sqlparser.BitOr:
		return exec.Aggregate{Kind: exec.BitOr}, true
	case *sqlparser.BitXor:
		return exec.Aggregate{Kind: exec.BitXor}, true
	case *sqlparser.Std:
		return exec.Aggregate{Kind: exec.StdPop}, true
	case *sqlparser.StdDev:
		return exec.Aggregate{Kind: exec.StdPop}, true
	case *sqlparser.StdPop:
		return exec.Aggregate{Kind: exec.StdPop}, true
	case *sqlparser.StdSamp:
		return exec.Aggregate{Kind: exec.StdSamp}, true
	case *sqlparser.VarPop:
		return exec.Aggregate{Kind: exec.VarPop}, true
	case *sqlparser.Variance:
		return exec.Aggregate{Kind: exec.VarPop}, true
	case *sqlparser.VarSamp:
		return exec.Aggregate{Kind: exec.VarSamp}, true
	case *sqlparser.JSONArrayAgg:
		return exec.Aggregate{Kind: exec.JSONArray}, true
	case *sqlparser.JSONObjectAgg:
		return exec.Aggregate{Kind: exec.JSONObject}, true
	case *sqlparser.AnyValue:
		return exec.Aggregate{Kind: exec.AnyValue}, true
	}
	return exec.Aggregate{}, false
}

// separatorOf is GROUP_CONCAT's: the parser keeps it as it was written.
func separatorOf(a *sqlparser.GroupConcatExpr) string {
	if a.Separator == "" {
		return ","
	}
	return unquoted(a.Separator)
}

// group compiles what groups are made of, and returns their row.
func (k *compiler) group(b *block, row *layout) (*layout, error) {
	q, base := b.query, 0
	var list []sqlparser.Expr
	if b.lateral {
		for i := -1; i < len(q.Outer); i++ {
			if e := bind.OuterAt(i); row.has(e) {
				list = append(list, e)
			}
		}
		base = len(list)
	}
	list = append(list, q.Keys...)
	for i := range list {
		b.keys = append(b.keys, exec.Key{At: i})
	}
	for _, a := range q.Aggregates {
		spec, ok := aggregateOf(a)
		if !ok {
			return nil, &expr.Unsupported{What: sqlparser.String(a)}
		}
		args := a.GetArgs()
		if spec.Kind == exec.CountRows {
			args = nil
		}
		for _, arg := range args {
			if spec.Kind == exec.Sum || spec.Kind == exec.Avg {
				arg = expr.Exactly(arg)
			}
			spec.Args = append(spec.Args, len(list))
			list = append(list, arg)
		}
		if g, ok := a.(*sqlparser.GroupConcatExpr); ok {
			for _, o := range g.OrderBy {
				spec.Order = append(spec.Order, exec.Key{At: len(list), Descending: o.Direction == sqlparser.DescOrder})
				list = append(list, o.Expr)
			}
			spec.MaxLength = k.c.GroupConcatBytes()
		}
		b.groups = append(b.groups, spec)
	}
	var err error
	if b.input, err = k.step(q, row, list...); err != nil {
		return nil, err
	}
	if b.moments(list) {
		if b.input, err = k.step(q, row, list...); err != nil {
			return nil, err
		}
	}
	return b.groupRow(k.c, list[:base], base), nil
}

// groupRow is the row of a group: the domain row's number and values, keys, aggregates, the number of keys rolled up.
func (b *block) groupRow(c *expr.Context, outer []sqlparser.Expr, base int) *layout {
	out := newLayout()
	for i := range b.keys {
		t := b.input.program.Type(i)
		b.keys[i].Type = t
		if i < base {
			r, _ := bind.RefOf(outer[i])
			out.add(r, t)
			continue
		}
		if b.query.Rollup {
			t.SetNullability(true)
		}
		out.add(bind.Ref{Row: bind.OfGroups, At: i - base}, t)
	}
	for i := range b.groups {
		a := &b.groups[i]
		for _, at := range a.Args {
			a.Types = append(a.Types, b.input.program.Type(at))
		}
		for j := range a.Order {
			a.Order[j].Type = b.input.program.Type(a.Order[j].At)
		}
		out.add(bind.Ref{Row: bind.OfGroups, At: len(b.keys) - base + i}, a.Type(c))
	}
	out.add(bind.Ref{Row: bind.OfGroups, At: len(b.keys) - base + len(b.groups)}, expr.IntegerType())
	return out
}

// moments makes numbers of texts that are dates or times where an aggregate computes with them, and reports whether there are
// any.
func (b *block) moments(list []sqlparser.Expr) (some bool) {
	for i := range b.groups {
		a := &b.groups[i]
		if !a.Computes() {
			continue
		}
		for _, at := range a.Args {
			if b.input.program.Moment(at) {
				list[at], some = expr.AsNumber(list[at]), true
			}
		}
	}
	return some
}
