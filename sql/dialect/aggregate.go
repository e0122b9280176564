package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// aggregateFunctions make one value of several rows.
var aggregateFunctions = map[string]bool{
	"count": true, "sum": true, "avg": true, "min": true, "max": true, "bit_or": true, "bit_xor": true,
	"std": true, "stddev": true, "stddev_pop": true, "stddev_samp": true,
	"variance": true, "var_pop": true, "var_samp": true, "json_arrayagg": true, "json_objectagg": true, "bit_and": true,
}

// walk visits nodes.
func walk(visit sqlparser.Visit, nodes ...sqlparser.SQLNode) {
	for _, n := range nodes {
		_ = sqlparser.Walk(visit, n)
	}
}

// aggregates reports whether an expression has an aggregate of its own query.
func aggregates(n sqlparser.SQLNode) bool {
	return within(func(x sqlparser.Expr) bool {
		if _, ok := x.(sqlparser.AggrFunc); !ok {
			return false
		}
		w, ok := x.(sqlparser.WindowFunc)
		return !ok || w.GetOverClause() == nil
	}, n)
}

// windowed reports whether a SELECT has a function over a window.
func windowed(s *sqlparser.Select) bool {
	return len(s.Windows) > 0 || within(func(x sqlparser.Expr) bool {
		w, ok := x.(sqlparser.WindowFunc)
		return ok && w.GetOverClause() != nil
	}, s.SelectExprs, s.OrderBy)
}

// within reports whether nodes have an expression of a kind, in no subquery.
func within(is func(sqlparser.Expr) bool, nodes ...sqlparser.SQLNode) (found bool) {
	walk(func(n sqlparser.SQLNode) (bool, error) {
		if _, sub := n.(*sqlparser.Subquery); sub {
			return false, nil
		}
		x, ok := n.(sqlparser.Expr)
		found = found || ok && is(x)
		return !found, nil
	}, nodes...)
	return found
}

// aggregate writes an aggregate.
func (e *emitter) aggregate(x called) frag {
	before := e.scope.substitute
	e.scope.substitute = never // its arguments are columns
	defer func(s *scope) { s.substitute = before }(e.scope)
	if x.name == "count" {
		return e.countOf(x)
	}
	if len(x.args) != 1 {
		refuse(strings.ToUpper(x.name)+"() of several columns", "it takes one", "")
	}
	distinct := ""
	if x.distinct {
		distinct = "DISTINCT "
	}
	return e.aggregated(x.name, e.value(x.args[0]), distinct)
}

func (e *emitter) aggregated(name string, f frag, distinct string) frag {
	write := func(as string, t typed) frag {
		out := call(as, t.kind, distinct+f.text)
		out.typed, out.quotient = t, f.quotient
		return out
	}
	switch name {
	case "min", "max":
		return write(name, f.typed)
	case "sum":
		f = asNumber(f, "the sum")
		return write("sum", summed(f.typed))
	case "avg":
		f = asNumber(f, "the average")
		t := summed(f.typed)
		t.loose = false
		if s := scaleIn(f); s >= 0 && t.kind == decimal {
			t.scale = s + 4
		}
		out := write("avg", t)
		out.quotient = true
		return out
	case "bit_or", "bit_xor":
		f = asNumber(f, "bits")
		out := call("COALESCE", integer, catalog+name+"("+distinct+cast(f, "bigint")+")", "0")
		return surely(out)
	case "std", "stddev", "stddev_pop":
		return e.spread("stddev_pop", f, distinct)
	case "variance", "var_pop":
		return e.spread("var_pop", f, distinct)
	case "stddev_samp", "var_samp":
		return e.spread(name, f, distinct)
	}
	refuse(strings.ToUpper(name)+"()", "the writer does not know this aggregate", "")
	return frag{}
}

func (e *emitter) spread(as string, f frag, distinct string) frag {
	f = asNumber(f, "the deviation")
	return atom("CAST("+catalog+as+"("+distinct+f.text+") AS double precision)", float)
}

// summed is the type of a sum: MySQL's sum of integers is a decimal without digits after the
// point, which is written as PostgreSQL's bigint and numeric are.
func summed(t typed) typed {
	switch t.kind {
	case integer:
		return typed{kind: decimal, loose: true}
	case decimal, float:
		return t
	}
	return typed{}
}

func (e *emitter) countOf(x called) frag {
	var out frag
	switch {
	case x.star:
		out = atom("pg_catalog.count(*)", integer)
	case len(x.args) == 1 && !x.distinct:
		out = call("count", integer, e.countable(x.args[0]))
	case len(x.args) == 1:
		out = call("count", integer, "DISTINCT "+e.countable(x.args[0]))
	case x.distinct:
		args := e.args(x.args)
		out = call("count", integer, "DISTINCT ("+strings.Join(texts(args), ", ")+")")
		var nulls []string
		for _, a := range args {
			if !a.sure {
				nulls = append(nulls, a.operand()+" IS NOT NULL")
			}
		}
		if len(nulls) > 0 {
			out.text += " FILTER (WHERE " + strings.Join(nulls, " AND ") + ")"
		}
	default:
		refuse("COUNT of several columns", "only COUNT(DISTINCT ...) takes them", "")
	}
	out.wide = true
	return surely(out)
}

func (e *emitter) countable(x sqlparser.Expr) string {
	f := e.any(x)
	if f.kind == untyped {
		return cast(f, "text")
	}
	return f.text
}

// groupConcat writes GROUP_CONCAT.
func (e *emitter) groupConcat(x *sqlparser.GroupConcatExpr) frag {
	before := e.scope.substitute
	e.scope.substitute = never
	defer func(s *scope) { s.substitute = before }(e.scope)
	var parts []string
	for _, a := range x.Exprs {
		parts = append(parts, asText(finished(e.value(a))))
	}
	if len(parts) == 0 {
		refuse("GROUP_CONCAT of nothing", "it takes an argument", "")
	}
	if x.Limit != nil {
		refuse("GROUP_CONCAT with LIMIT", "the writer does not know it", "Leave out LIMIT")
	}
	separator := ","
	if x.Separator != "" {
		separator = parse.Token{Text: x.Separator}.Value()
	}
	what := strings.Join(parts, " || ")
	order := ""
	if x.Distinct {
		if len(x.OrderBy) > 0 {
			order = " ORDER BY " + e.orderOfDistinct(x, what)
		}
		what = "DISTINCT " + what
	} else if len(x.OrderBy) > 0 {
		order = e.orderBy(x.OrderBy, false)
	}
	e.remark("GROUP_CONCAT is not cut at group_concat_max_len")
	return call("string_agg", text, what, quote(separator)+order)
}

// orderOfDistinct: PostgreSQL orders distinct values by themselves alone.
func (e *emitter) orderOfDistinct(x *sqlparser.GroupConcatExpr, what string) string {
	if len(x.OrderBy) == 1 && len(x.Exprs) == 1 {
		f := e.value(x.OrderBy[0].Expr)
		if asText(f) == what && f.kind == text {
			return what + direction(x.OrderBy[0].Direction, f.sure)
		}
	}
	refuse("GROUP_CONCAT(DISTINCT ... ORDER BY ...)", "PostgreSQL orders distinct values only as text, by themselves", "Order by the text itself, or leave out DISTINCT")
	return ""
}

// windowFunctions are the functions that need OVER, with the type of their result: the argument's
// if it is unknown.
var windowFunctions = map[string]kind{
	"row_number": integer, "rank": integer, "dense_rank": integer, "ntile": integer,
	"percent_rank": float, "cume_dist": float,
	"lag": unknown, "lead": unknown, "first_value": unknown, "last_value": unknown, "nth_value": unknown,
}

// window writes a function over a window.
func (e *emitter) window(x called) frag {
	var f frag
	if k, ok := windowFunctions[x.name]; ok {
		args := e.args(x.args)
		f = call(x.name, k, texts(args)...)
		if k == unknown && len(args) > 0 {
			f.typed = args[0].typed
		}
	} else if aggregateFunctions[x.name] {
		f = e.aggregate(x)
		if strings.HasPrefix(f.text, "C") {
			refuse(strings.ToUpper(x.name)+"() OVER", "its translation is more than one function", "")
		}
	} else {
		refuse(strings.ToUpper(x.name)+"() OVER", "the writer does not know this function", "")
	}
	if x.over.WindowSpec == nil {
		f.text += " OVER " + ident(fold(x.over.WindowName.String()))
		return f
	}
	f.text += " OVER (" + e.windowBody(x.over.WindowSpec) + ")"
	return f
}

func (e *emitter) windowBody(w *sqlparser.WindowSpecification) string {
	var parts []string
	if w.Name.NotEmpty() {
		parts = append(parts, ident(fold(w.Name.String())))
	}
	if len(w.PartitionClause) > 0 {
		parts = append(parts, "PARTITION BY "+list(len(w.PartitionClause), func(i int) string { return e.value(w.PartitionClause[i]).text }))
	}
	if len(w.OrderClause) > 0 {
		parts = append(parts, strings.TrimPrefix(e.orderBy(w.OrderClause, false), " "))
	}
	if w.FrameClause != nil {
		parts = append(parts, e.frame(w.FrameClause))
	}
	return strings.Join(parts, " ")
}

func (e *emitter) frame(f *sqlparser.FrameClause) string {
	unit := "RANGE"
	if f.Unit == sqlparser.FrameRowsType {
		unit = "ROWS"
	}
	if f.End == nil {
		return unit + " " + e.bound(f.Start)
	}
	return unit + " BETWEEN " + e.bound(f.Start) + " AND " + e.bound(f.End)
}

func (e *emitter) bound(b *sqlparser.FramePoint) string {
	if b.Unit != sqlparser.IntervalNone {
		refuse("a window's frame of an INTERVAL", "the writer does not know it", "")
	}
	switch b.Type {
	case sqlparser.CurrentRowType:
		return "CURRENT ROW"
	case sqlparser.UnboundedFollowingType:
		return "UNBOUNDED FOLLOWING"
	case sqlparser.UnboundedPrecedingType:
		return "UNBOUNDED PRECEDING"
	case sqlparser.ExprPrecedingType:
		return e.number(b.Expr).operand() + " PRECEDING"
	}
	return e.number(b.Expr).operand() + " FOLLOWING"
}

// windows writes the WINDOW clause.
func (e *emitter) windows(named sqlparser.NamedWindows) string {
	var w sqlparser.WindowDefinitions
	for _, n := range named {
		w = append(w, n.Windows...)
	}
	if len(w) == 0 {
		return ""
	}
	return " WINDOW " + list(len(w), func(i int) string {
		return ident(fold(w[i].Name.String())) + " AS (" + e.windowBody(w[i].WindowSpec) + ")"
	})
}
