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
		return exec.Aggregate{Kind: exec.Count, Distinct: a.Distinct}, a.OverClause == nil
	case *sqlparser.Sum:
		return exec.Aggregate{Kind: exec.Sum, Distinct: a.Distinct}, a.OverClause == nil
	case *sqlparser.Avg:
		return exec.Aggregate{Kind: exec.Avg, Distinct: a.Distinct}, a.OverClause == nil
	case *sqlparser.Min:
		return exec.Aggregate{Kind: exec.Min}, a.OverClause == nil
	case *sqlparser.Max:
		return exec.Aggregate{Kind: exec.Max}, a.OverClause == nil
	case *sqlparser.GroupConcatExpr:
		return exec.Aggregate{Kind: exec.GroupConcat, Distinct: a.Distinct, Separator: separatorOf(a)}, a.Limit == nil
	case *sqlparser.BitAnd:
		return exec.Aggregate{Kind: exec.BitAnd}, a.OverClause == nil
	case *sqlparser.BitOr:
		return exec.Aggregate{Kind: exec.BitOr}, a.OverClause == nil
	case *sqlparser.BitXor:
		return exec.Aggregate{Kind: exec.BitXor}, a.OverClause == nil
	case *sqlparser.Std:
		return exec.Aggregate{Kind: exec.StdPop}, a.OverClause == nil
	case *sqlparser.StdDev:
		return exec.Aggregate{Kind: exec.StdPop}, a.OverClause == nil
	case *sqlparser.StdPop:
		return exec.Aggregate{Kind: exec.StdPop}, a.OverClause == nil
	case *sqlparser.StdSamp:
		return exec.Aggregate{Kind: exec.StdSamp}, a.OverClause == nil
	case *sqlparser.VarPop:
		return exec.Aggregate{Kind: exec.VarPop}, a.OverClause == nil
	case *sqlparser.Variance:
		return exec.Aggregate{Kind: exec.VarPop}, a.OverClause == nil
	case *sqlparser.VarSamp:
		return exec.Aggregate{Kind: exec.VarSamp}, a.OverClause == nil
	case *sqlparser.JSONArrayAgg:
		return exec.Aggregate{Kind: exec.JSONArray}, a.OverClause == nil
	case *sqlparser.JSONObjectAgg:
		return exec.Aggregate{Kind: exec.JSONObject}, a.OverClause == nil
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

// group compiles what groups are made of, and returns the columns of their rows.
func (p *Plan) group(c *expr.Context, rows expr.Columns) (out expr.Columns, err error) {
	var list []sqlparser.Expr
	for i, k := range p.Query.Keys {
		list = append(list, k)
		p.keys = append(p.keys, exec.Key{At: i})
	}
	for _, a := range p.Query.Aggregates {
		spec, ok := aggregateOf(a)
		if !ok {
			return out, &expr.Unsupported{What: sqlparser.String(a)}
		}
		args := a.GetArgs()
		if spec.Kind == exec.CountRows {
			args = nil
		}
		for _, arg := range args {
			spec.Args = append(spec.Args, len(list))
			list = append(list, arg)
		}
		if g, ok := a.(*sqlparser.GroupConcatExpr); ok {
			for _, o := range g.OrderBy {
				spec.Order = append(spec.Order, exec.Key{At: len(list), Descending: o.Direction == sqlparser.DescOrder})
				list = append(list, o.Expr)
			}
			spec.MaxLength = c.GroupConcatBytes()
		}
		p.aggregates = append(p.aggregates, spec)
	}
	if p.input, err = expr.Compile(c, rows, list...); err != nil {
		return out, err
	}
	return p.groupColumns(c), nil
}

// groupColumns are the columns of rows of groups: keys, aggregates, the number of keys rolled up.
func (p *Plan) groupColumns(c *expr.Context) expr.Columns {
	var types []expr.Type
	for i := range p.keys {
		t := p.input.Type(i)
		p.keys[i].Type = t
		if p.Query.Rollup {
			t.SetNullability(true)
		}
		types = append(types, t)
	}
	for i := range p.aggregates {
		a := &p.aggregates[i]
		for _, at := range a.Args {
			a.Types = append(a.Types, p.input.Type(at))
		}
		for j := range a.Order {
			a.Order[j].Type = p.input.Type(a.Order[j].At)
		}
		types = append(types, a.Type(c))
	}
	types = append(types, expr.IntegerType())
	return expr.Columns{Types: types, Find: func(n *sqlparser.ColName) (int, error) {
		if at, ok := bind.OfGroup(n); ok && at < len(types) {
			return at, nil
		}
		return 0, &expr.Unsupported{What: sqlparser.String(n)}
	}}
}
