package rounds

import (
	"context"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// converted are rows of several queries with the types that their columns have in common.
type converted struct {
	base    int // columns before those that are converted
	types   []expr.Type
	same    []bool // by query: its rows are as they are
	widths  int
	program *expr.Program // over the query's number, then a value of each query for each column; nil: no row is converted
	queries int
}

// common compiles the conversion of the columns of queries, which have as many.
func (k *compiler) commonTypes(base int, of ...[]expr.Type) (_ *converted, err error) {
	n := len(of[0])
	out := &converted{base: base, widths: n, queries: len(of), same: make([]bool, len(of))}
	row := newLayout()
	row.hide(expr.IntegerType())
	row.places[bind.Ref{Row: bind.OfSources, At: 0}] = 0
	var list []sqlparser.Expr
	for c := range n {
		e := &sqlparser.CaseExpr{}
		for i := range of {
			at := 1 + c*len(of) + i
			t := of[i][c]
			row.add(bind.Ref{Row: bind.OfSources, At: at}, t)
			cond := &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: bind.ColumnAt(0), Right: sqlparser.NewIntLiteral(itoa(i))}
			if i == len(of)-1 {
				e.Else = bind.ColumnAt(at)
			} else {
				e.Whens = append(e.Whens, &sqlparser.When{Cond: cond, Val: bind.ColumnAt(at)})
			}
		}
		list = append(list, e)
	}
	equal := true
	for i := range of {
		for c := range n {
			equal = equal && sameType(of[0][c], of[i][c])
		}
	}
	if equal {
		for c := range n {
			t := of[0][c]
			for i := range of {
				if of[i][c].Nullable() {
					t.SetNullability(true)
				}
			}
			out.types = append(out.types, t)
		}
		return out, nil
	}
	if out.program, err = expr.Compile(k.c, row.columns(), list...); err != nil {
		return nil, err
	}
	for c := range n {
		t := out.program.Type(c)
		nullable := false
		for i := range of {
			nullable = nullable || of[i][c].Nullable()
		}
		t.SetNullability(nullable)
		out.types = append(out.types, t)
	}
	return out, nil
}

// sameType reports whether values of two types are values of one.
func sameType(a, b expr.Type) bool {
	if a.Values() != nil || b.Values() != nil {
		return false
	}
	return a.Type() == b.Type() && a.Collation() == b.Collation() && a.Size() == b.Size() && a.Scale() == b.Scale()
}

// row converts a row of a query.
func (v *converted) row(r *run, query int, row []expr.Value) ([]expr.Value, error) {
	if v.program == nil {
		return row, nil
	}
	in := make([]expr.Value, 1+v.widths*v.queries)
	in[0] = expr.Int(int64(query))
	for c := range v.widths {
		in[1+c*v.queries+query] = row[v.base+c]
	}
	return v.program.Run(in, append(make([]expr.Value, 0, v.base+v.widths), row[:v.base]...))
}

// source converts the rows of a query.
func (v *converted) source(r *run, query int, from exec.Source) exec.Source {
	if v.program == nil {
		return from
	}
	v.program.Begin(r.c)
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
