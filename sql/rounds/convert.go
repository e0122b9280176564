package rounds

import (
	"bytes"
	"context"
	"slices"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// converted are rows of several queries with the types that their columns have in common.
type converted struct {
	base    int // columns before those that are converted
	types   []expr.Type
	as      []bool        // by column: its values are as they are, those of all queries are of one type
	program *expr.Program // over the query's number, then a value of each query for each column; nil: no column is converted
	queries int
	whole   []bool      // by column: its values are whole numbers, which have no zeros of ZEROFILL here
	shown   []expr.Type // by column and query: the type of a FLOAT or whole number that becomes a text, as it is shown; of others 0
}

// commonTypes compiles the conversion of the columns of queries, which have as many. ranks are those of their collations; nil:
// they are all of literals.
func (k *compiler) commonTypes(base int, ranks [][]collationRank, of ...[]expr.Type) (_ *converted, err error) {
	n := len(of[0])
	out := &converted{base: base, queries: len(of), types: make([]expr.Type, n), as: make([]bool, n), whole: make([]bool, n), shown: make([]expr.Type, n*len(of))}
	row := newLayout()
	row.hide(expr.IntegerType())
	row.places[bind.Ref{Row: bind.OfSources, At: 0}] = 0
	list, needed := make([]sqlparser.Expr, n), false
	for c := range n {
		column, shown := make([]expr.Type, len(of)), false
		for i := range of {
			column[i] = of[i][c]
			if t := column[i].Type(); (t == sqltypes.Float32 || sqltypes.IsIntegral(t)) && slices.ContainsFunc(of, func(t []expr.Type) bool { return isTextual(t[c]) }) {
				out.shown[c*len(of)+i], column[i], shown = column[i], textType(k.c), true
			}
			column[i].SetNullability(true) // of the other queries' rows it is NULL
			row.add(bind.Ref{Row: bind.OfSources, At: 1 + c*len(of) + i}, column[i])
		}
		if out.types[c], out.as[c] = oneType(column); out.as[c] && !shown {
			list[c] = &sqlparser.NullVal{}
			continue
		}
		needed, out.as[c] = true, false
		list[c] = commonValue(column, decidingCollation(column, c, ranks), 1+c*len(of))
	}
	if needed {
		if out.program, err = expr.Compile(k.c, row.columns(), list...); err != nil {
			return nil, err
		}
	}
	for c := range n {
		if !out.as[c] {
			out.types[c] = out.program.Type(c)
		}
		nullable := false
		for i := range of {
			nullable = nullable || of[i][c].Nullable()
		}
		out.types[c].SetNullability(nullable)
		out.whole[c] = out.as[c] && sqltypes.IsIntegral(out.types[c].Type()) && out.types[c].Type() != sqltypes.Year
	}
	return out, nil
}

// oneType is the type that all columns have, but for those of NULL alone; false: they have several.
func oneType(columns []expr.Type) (out expr.Type, ok bool) {
	out = columns[0]
	for _, t := range columns[1:] {
		switch {
		case t.Type() == sqltypes.Null:
		case out.Type() == sqltypes.Null:
			out = t
		case !sameType(out, t):
			return out, false
		}
	}
	return out, true
}

// commonValue is the value of the query at hand: columns are those of the queries, in their order from a place on. Beside
// binary strings all are binary strings.
func commonValue(columns []expr.Type, collation string, from int) sqlparser.Expr {
	binary := slices.ContainsFunc(columns, func(t expr.Type) bool { return sqltypes.IsBinary(t.Type()) })
	yearAs := "unsigned"
	if slices.ContainsFunc(columns, func(t expr.Type) bool { return sqltypes.IsSigned(t.Type()) }) {
		yearAs = "signed"
	}
	e := &sqlparser.CaseExpr{}
	for i, t := range columns {
		v := sqlparser.Expr(bind.ColumnAt(from + i))
		switch {
		case binary && !sqltypes.IsBinary(t.Type()) && t.Type() != sqltypes.Null:
			v = &sqlparser.CastExpr{Expr: v, Type: &sqlparser.ConvertType{Type: "binary"}}
		case t.Type() == sqltypes.Year: // it has no sign, and yields to whole numbers that have one
			v = &sqlparser.CastExpr{Expr: v, Type: &sqlparser.ConvertType{Type: yearAs}}
		case !binary && collation != "" && isTextual(t):
			if !sqltypes.IsText(t.Type()) {
				v = &sqlparser.CastExpr{Expr: v, Type: &sqlparser.ConvertType{Type: "char"}}
			}
			v = &sqlparser.CollateExpr{Expr: v, Collation: collation}
		}
		if i == len(columns)-1 {
			e.Else = v
			break
		}
		cond := &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: bind.ColumnAt(0), Right: sqlparser.NewIntLiteral(itoa(i))}
		e.Whens = append(e.Whens, &sqlparser.When{Cond: cond, Val: v})
	}
	return e
}

// isTextual reports whether values of a type are texts of its collation.
func isTextual(t expr.Type) bool {
	return sqltypes.IsText(t.Type()) || t.Type() == sqltypes.Enum || t.Type() == sqltypes.Set
}

// sameType reports whether values of two types are values of one.
func sameType(a, b expr.Type) bool {
	if a.Values() != nil || b.Values() != nil {
		return false
	}
	return a.Type() == b.Type() && a.Collation() == b.Collation() && a.Size() == b.Size() && a.Scale() == b.Scale()
}

// textType is that of a number that becomes a text.
func textType(c *expr.Context) expr.Type {
	return evalengine.NewTypeEx(sqltypes.VarChar, c.Collation, true, 0, 0, nil)
}

// unfilled is a row without the zeros that ZEROFILL puts before whole numbers.
func (v *converted) unfilled(row []expr.Value) []expr.Value {
	copied := false
	for c, whole := range v.whole {
		value := row[v.base+c]
		if !whole || value.Len() < 2 || value.Raw()[0] != '0' {
			continue
		}
		digits := bytes.TrimLeft(value.Raw()[:value.Len()-1], "0")
		if !copied {
			row, copied = slices.Clone(row), true
		}
		row[v.base+c] = sqltypes.MakeTrusted(value.Type(), append(slices.Clip(slices.Clone(digits)), value.Raw()[value.Len()-1]))
	}
	return row
}

// row converts a row of a query.
func (v *converted) row(r *run, query int, row []expr.Value) ([]expr.Value, error) {
	row = v.unfilled(row)
	if v.program == nil {
		return row, nil
	}
	in := make([]expr.Value, 1+len(v.types)*v.queries)
	in[0] = expr.Int(int64(query))
	for c := range v.types {
		in[1+c*v.queries+query] = row[v.base+c]
		if t := v.shown[c*v.queries+query]; t.Valid() && !row[v.base+c].IsNull() {
			in[1+c*v.queries+query] = sqltypes.MakeTrusted(sqltypes.VarChar, expr.Display(row[v.base+c], t).Raw())
		}
	}
	out, err := v.program.Run(in, append(make([]expr.Value, 0, v.base+len(v.types)), row[:v.base]...))
	if err != nil {
		return nil, err
	}
	for c, as := range v.as {
		if as {
			out[v.base+c] = row[v.base+c]
		}
	}
	return out, nil
}

// source converts the rows of a query.
func (v *converted) source(r *run, query int, from exec.Source) exec.Source {
	if v.program == nil && !slices.Contains(v.whole, true) {
		return from
	}
	if v.program != nil {
		v.program.Begin(r.c)
	}
	return &convertedRows{from: from, of: func(row []expr.Value) ([]expr.Value, error) { return v.row(r, query, row) }}
}

type convertedRows struct {
	from exec.Source
	of   func(row []expr.Value) ([]expr.Value, error)
	out  [][]expr.Value
}

func (s *convertedRows) Next(ctx context.Context) ([][]expr.Value, error) {
	rows, err := s.from.Next(ctx)
	if err != nil || rows == nil {
		return nil, err
	}
	s.out = s.out[:0]
	for _, row := range rows {
		out, err := s.of(row)
		if err != nil {
			return nil, err
		}
		s.out = append(s.out, out)
	}
	return s.out, nil
}

func (s *convertedRows) Close() { s.from.Close() }
