package rounds

import (
	"context"
	"encoding/binary"
	"slices"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/access"
	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// applied is a subquery whose value becomes part of the rows of the query around it. One that refers to these rows is
// executed once for a batch of them: for all different values that it refers to.
type applied struct {
	of      *bind.Subquery
	at      int // which of the query's subqueries
	block   *block
	input   *expr.Program // over the row: what it refers to, then what its rows are compared with
	outer   int           // how many values it refers to
	compare *expr.Program // over the compared values and a row of it; nil: nothing is compared
	keys    [2]*exec.Keyer
	typ     expr.Type
	bounds  bool // a read of the query around it is bounded by its rows
}

// result are the rows of a subquery for one domain row.
type result struct {
	rows  [][]expr.Value
	among map[string]struct{} // keys of the rows, if they are compared by these
	null  bool                // one of them is NULL
	keyed bool
}

// applyAll compiles the subqueries that an expression refers to and that are not in the row yet, innermost first.
func (k *compiler) applyAll(q *bind.Query, row *layout, e sqlparser.SQLNode, s *step) (err error) {
	bind.Refs(e, func(r bind.Ref) {
		if _, known := row.places[r]; err != nil || known || r.Row != bind.OfSubqueries || r.At >= len(q.Subqueries) {
			return
		}
		sub := q.Subqueries[r.At]
		for _, list := range [][]sqlparser.Expr{sub.Left, sub.Query.Outer} {
			for _, inner := range list {
				if err == nil {
					err = k.applyAll(q, row, inner, s)
				}
			}
		}
		var a *applied
		if err == nil {
			a, err = k.apply(row, sub, r.At)
		}
		if err == nil {
			row.add(r, a.typ)
			s.subqueries = append(s.subqueries, a)
		}
	})
	return err
}

// apply compiles a subquery over a row.
func (k *compiler) apply(row *layout, sub *bind.Subquery, at int) (_ *applied, err error) {
	a := &applied{of: sub, at: at, outer: len(sub.Query.Outer)}
	list := append(append([]sqlparser.Expr{}, sub.Query.Outer...), sub.Left...)
	if a.input, err = expr.Compile(k.c, row.columns(), list...); err != nil {
		return nil, err
	}
	var outer []expr.Type
	if a.outer > 0 {
		outer = []expr.Type{}
		for i := range a.outer {
			outer = append(outer, a.input.Type(i))
		}
	}
	q := sub.Query
	if sub.Kind == bind.Exists && outer == nil && q.Count == nil {
		one := *q
		one.Count = sqlparser.NewIntLiteral("1")
		q = &one
	}
	if a.block, err = k.block(q, outer); err != nil {
		return nil, err
	}
	a.typ = expr.IntegerType()
	switch sub.Kind {
	case bind.Exists:
	case bind.Scalar:
		a.typ = a.block.types()[0]
		a.typ.SetNullability(true)
	default:
		a.typ.SetNullability(true)
		err = a.comparison(k)
	}
	return a, err
}

// comparison compiles the comparison with the rows.
func (a *applied) comparison(k *compiler) error {
	row, types, ranks := newLayout(), a.block.types(), k.ranksOf(a.block)
	for i := range a.of.Left {
		row.add(bind.Ref{Row: bind.OfSources, At: i}, a.input.Type(a.outer+i))
	}
	for i, t := range types {
		if a.of.Kind == bind.OneRow { // of no row it is NULL
			t.SetNullability(true)
		}
		row.add(bind.Ref{Row: bind.OfSources, At: len(types) + i}, t)
		if ranks[i] == ofLiteral && sqltypes.IsText(t.Type()) {
			row.yield(len(types) + i)
		}
	}
	e, err := a.of.Comparison(bind.ColumnAt, func(i int) sqlparser.Expr { return bind.ColumnAt(len(types) + i) })
	if err != nil {
		return err
	}
	if a.compare, err = expr.Compile(k.c, row.columns(), e); err != nil {
		return err
	}
	if a.of.Kind == bind.Any && a.of.Op == sqlparser.EqualOp && len(types) == 1 {
		if l, r, ok := exec.Keyers(row.types[0], types[0]); ok {
			a.keys = [2]*exec.Keyer{l, r}
		}
	}
	return nil
}

// begin readies the programs; the block's own are readied when it is executed.
func (a *applied) begin(c *expr.Context) {
	a.input.Begin(c)
	if a.compare != nil {
		a.compare.Begin(c)
	}
}

// extend puts the values of the step's subqueries behind the rows.
func (s *step) extend(r *run, from exec.Source) exec.Source {
	for _, a := range s.subqueries {
		from = &appended{from: from, values: func(ctx context.Context, rows [][]expr.Value) ([]expr.Value, error) { return a.values(r, rows) }}
	}
	return from
}

// appended puts one value behind each row.
type appended struct {
	from   exec.Source
	values func(ctx context.Context, rows [][]expr.Value) ([]expr.Value, error)
	out    [][]expr.Value
}

func (a *appended) Next(ctx context.Context) ([][]expr.Value, error) {
	rows, err := a.from.Next(ctx)
	if err != nil || rows == nil {
		return nil, err
	}
	values, err := a.values(ctx, rows)
	if err != nil {
		return nil, err
	}
	a.out = a.out[:0]
	for i, row := range rows {
		longer := make([]expr.Value, len(row)+1)
		copy(longer, row)
		longer[len(row)] = values[i]
		a.out = append(a.out, longer)
	}
	return a.out, nil
}

func (a *appended) Close() { a.from.Close() }

// values are the subquery's values for rows.
func (a *applied) values(r *run, rows [][]expr.Value) ([]expr.Value, error) {
	inputs := make([][]expr.Value, len(rows))
	for i, row := range rows {
		in, err := a.input.Run(row, make([]expr.Value, 0, a.outer+len(a.of.Left)))
		if err != nil {
			return nil, err
		}
		inputs[i] = in
	}
	of, results, err := a.results(r, inputs)
	if err != nil {
		return nil, err
	}
	out := make([]expr.Value, len(rows))
	for i := range rows {
		if r.ctx.Err() != nil {
			return nil, context.Cause(r.ctx)
		}
		if out[i], err = a.value(results[of[i]], inputs[i][a.outer:]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// results are the subquery's rows for all different values that it refers to, and which of them is each input's.
func (a *applied) results(r *run, inputs [][]expr.Value) (of []int, _ []*result, err error) {
	of = make([]int, len(inputs))
	if !a.block.lateral {
		one, err := a.only(r)
		return of, []*result{one}, err
	}
	var domain [][]expr.Value
	known := map[string]int{}
	var key []byte
	for i, in := range inputs {
		key = bytesOf(key[:0], in[:a.outer])
		at, ok := known[string(key)]
		if !ok {
			at = len(domain)
			known[string(key)] = at
			domain = append(domain, append([]expr.Value{expr.Int(int64(at))}, in[:a.outer]...))
		}
		of[i] = at
	}
	from, err := a.block.open(r, domain)
	if err != nil {
		return nil, nil, err
	}
	defer from.Close()
	results := make([]*result, len(domain))
	for i := range results {
		results[i] = &result{}
	}
	return of, results, a.gather(r, from, results)
}

// gather adds rows to the results that they are of.
func (a *applied) gather(r *run, from exec.Source, results []*result) error {
	for {
		rows, err := from.Next(r.ctx)
		if err != nil || rows == nil {
			return err
		}
		for _, row := range rows {
			n, err := row[0].ToInt64()
			if err != nil {
				return err
			}
			results[n].rows = append(results[n].rows, row[1:])
		}
	}
}

// bytesOf appends bytes that are equal only if the values are the same.
func bytesOf(dst []byte, row []expr.Value) []byte {
	for _, v := range row {
		if v.IsNull() {
			dst = append(dst, 0)
			continue
		}
		dst = append(dst, 1)
		dst = binary.AppendUvarint(dst, uint64(v.Type()))
		dst = binary.AppendUvarint(dst, uint64(v.Len()))
		dst = append(dst, v.Raw()...)
	}
	return dst
}

// only are the rows of a subquery that refers to nothing outside: it is executed once.
func (a *applied) only(r *run) (*result, error) {
	if out := r.results[a]; out != nil {
		return out, nil
	}
	from, err := a.block.open(r, nil)
	if err != nil {
		return nil, err
	}
	rows, err := r.all(from)
	if err != nil {
		return nil, err
	}
	if r.results == nil {
		r.results = map[*applied]*result{}
	}
	out := &result{rows: rows}
	r.results[a] = out
	return out, nil
}

// value is the subquery's value for compared values.
func (a *applied) value(of *result, left []expr.Value) (expr.Value, error) {
	switch a.of.Kind {
	case bind.Exists:
		return expr.Bool(len(of.rows) > 0), nil
	case bind.Scalar, bind.OneRow:
		if len(of.rows) > 1 {
			return expr.Null, expr.NewError(1242, "21000", "Subquery returns more than 1 row")
		}
		switch none := len(of.rows) == 0; {
		case none && a.of.Kind == bind.Scalar:
			return expr.Null, nil
		case none:
			return a.pair(left, make([]expr.Value, len(left))) // a row of NULLs
		case a.of.Kind == bind.Scalar:
			return of.rows[0][0], nil
		}
		return a.pair(left, of.rows[0])
	}
	if a.keys[0] != nil {
		return a.among(of, left), nil
	}
	all := a.of.Kind == bind.All
	null := false
	for _, row := range of.rows {
		v, err := a.pair(left, row)
		if err != nil {
			return expr.Null, err
		}
		switch {
		case v.IsNull():
			null = true
		case expr.Truth(v, nil) != all:
			return expr.Bool(!all), nil
		}
	}
	if null {
		return expr.Null, nil
	}
	return expr.Bool(all), nil
}

// pair compares values with a row.
func (a *applied) pair(left, row []expr.Value) (expr.Value, error) {
	both := append(append(make([]expr.Value, 0, 2*len(left)), left...), row[:len(left)]...)
	out, err := a.compare.Run(both, nil)
	if err != nil {
		return expr.Null, err
	}
	return out[0], nil
}

// among is whether a value is one of the rows, by keys.
func (a *applied) among(of *result, left []expr.Value) expr.Value {
	if len(of.rows) == 0 {
		return expr.Bool(false)
	}
	if !of.keyed {
		of.keyed, of.among = true, make(map[string]struct{}, len(of.rows))
		for _, row := range of.rows {
			if row[0].IsNull() {
				of.null = true
				continue
			}
			of.among[string(a.keys[1].Append(nil, row))] = struct{}{}
		}
	}
	if left[0].IsNull() {
		return expr.Null
	}
	if _, ok := of.among[string(a.keys[0].Append(nil, left))]; ok {
		return expr.Bool(true)
	}
	if of.null {
		return expr.Null
	}
	return expr.Bool(false)
}

// column are the values of the only column of a subquery that refers to nothing outside.
func (a *applied) column(r *run) ([]expr.Value, error) {
	of, err := a.only(r)
	if err != nil {
		return nil, err
	}
	if a.of.Kind == bind.Scalar && len(of.rows) > 1 {
		return nil, expr.NewError(1242, "21000", "Subquery returns more than 1 row")
	}
	out := make([]expr.Value, len(of.rows))
	for i, row := range of.rows {
		out[i] = row[0]
	}
	return out, nil
}

// depend bounds a column of the table by the rows of a subquery, if a part of the filter compares just these two.
func (l *leaf) depend(c *expr.Context, e sqlparser.Expr, a *applied) {
	if a.block.lateral {
		return
	}
	is := func(e sqlparser.Expr) bool {
		r, ok := bind.RefOf(e)
		return ok && r == bind.Ref{Row: bind.OfSubqueries, At: a.at}
	}
	one := condition{op: access.Equal, subquery: a, partial: true}
	var column sqlparser.Expr
	switch {
	case is(e) && a.of.Kind == bind.Any && a.of.Op == sqlparser.EqualOp && len(a.of.Left) == 1:
		column = a.of.Left[0]
	case a.of.Kind == bind.Scalar:
		cmp, ok := e.(*sqlparser.ComparisonExpr)
		if !ok {
			return
		}
		ops, ok := operators[cmp.Operator]
		switch {
		case !ok || cmp.Operator == sqlparser.NullSafeEqualOp:
			return
		case is(cmp.Right):
			column, one.op = cmp.Left, ops[0]
		case is(cmp.Left):
			column, one.op = cmp.Right, ops[1]
		}
	}
	if column == nil {
		return
	}
	at, ok := l.column(column)
	if !ok || !l.indexed(at) || !lookable(l.typeOf(at), a.block.types()[0]) {
		return
	}
	one.column, a.bounds = at, true
	l.conditions = append(l.conditions, one)
}

// indexed reports whether a column is part of an index.
func (l *leaf) indexed(column int) bool {
	d := l.source.Table
	return !d.Keyless() && slices.Contains(d.Primary.Columns, column) ||
		slices.ContainsFunc(d.Indexes, func(x *catalog.IndexInfo) bool { return slices.Contains(x.Columns, column) })
}

// lookable reports whether a value of a type can bound an index of a column: the comparison is that of the column's own type.
func lookable(column, value expr.Type) bool {
	c, v := column.Type(), value.Type()
	switch {
	case sqltypes.IsIntegral(c) || sqltypes.IsDecimal(c):
		return (sqltypes.IsIntegral(v) || sqltypes.IsDecimal(v)) && c != sqltypes.Year && v != sqltypes.Year && v != sqltypes.Bit && c != sqltypes.Bit
	case sqltypes.IsText(c):
		return sqltypes.IsText(v) && column.Collation() == value.Collation()
	case c == sqltypes.Date || c == sqltypes.Datetime || c == sqltypes.Time:
		return v == c
	case sqltypes.IsBinary(c):
		return sqltypes.IsBinary(v)
	}
	return false
}
