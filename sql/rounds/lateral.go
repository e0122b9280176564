package rounds

import (
	"context"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// lateralSide is a query whose rows depend on columns to its left. It is executed once for a batch of rows, over the different
// values that it refers to; its rows begin with these.
type lateralSide struct {
	block *block
	input *expr.Program // over the row to its left: what it refers to
	keys  []exec.JoinKey
}

// lateral compiles a source whose rows depend on those so far.
func (p *planner) lateral(s *bind.Source) (*side, error) {
	q := s.Query
	input, err := expr.Compile(p.c, p.row.columns(), q.Outer...)
	if err != nil {
		return nil, err
	}
	out := &side{row: newLayout(), lateral: &lateralSide{input: input}}
	exact := evalengine.NewTypeEx(sqltypes.VarBinary, collations.CollationBinaryID, true, 0, 0, nil) // equal values of other bytes have rows of their own
	outer := []expr.Type{}
	for i, e := range q.Outer {
		at, ok := p.row.at(e)
		if !ok {
			return nil, &expr.Unsupported{What: "this LATERAL"}
		}
		outer = append(outer, input.Type(i))
		out.row.hide(input.Type(i))
		out.lateral.keys = append(out.lateral.keys, exec.JoinKey{Left: at, Right: i, Type: exact, RightType: exact, NullSafe: true})
	}
	if out.lateral.block, err = p.block(q, outer); err != nil {
		return nil, err
	}
	for i, t := range out.lateral.block.types() {
		out.row.add(bind.Ref{Row: bind.OfSources, At: s.First + i}, t)
	}
	return out, nil
}

// lateralRows is the inner side of a join with such a query.
type lateralRows struct {
	r    *run
	side *lateralSide
}

// RowsFor implements exec.Inner.
func (l *lateralRows) RowsFor(ctx context.Context, left [][]expr.Value) (out [][]expr.Value, _ bool, err error) {
	var domain [][]expr.Value
	known := map[string]struct{}{}
	var key []byte
	for _, row := range left {
		in, err := l.side.input.Run(row, []expr.Value{expr.Int(int64(len(domain)))})
		if err != nil {
			return nil, false, err
		}
		key = bytesOf(key[:0], in[1:])
		if _, ok := known[string(key)]; !ok {
			known[string(key)] = struct{}{}
			domain = append(domain, in)
		}
	}
	from, err := l.side.block.open(l.r, domain)
	if err != nil {
		return nil, false, err
	}
	defer from.Close()
	items := len(l.side.block.query.Items)
	for {
		rows, err := from.Next(ctx)
		if err != nil || rows == nil {
			return out, false, err
		}
		for _, row := range rows {
			n, err := row[0].ToInt64()
			if err != nil {
				return nil, false, err
			}
			out = append(out, append(append(make([]expr.Value, 0, len(domain[n])-1+items), domain[n][1:]...), row[1:1+items]...))
		}
	}
}

// Close implements exec.Inner.
func (l *lateralRows) Close() {}

// filled adds the groups of domain rows without any: an aggregate of no rows has a value too.
type filled struct {
	from, none exec.Source
	domain     [][]expr.Value
	base       int // columns before the aggregates
	seen       map[string]struct{}
	ended      bool
}

func (f *filled) Next(ctx context.Context) ([][]expr.Value, error) {
	if f.ended {
		return nil, nil
	}
	rows, err := f.from.Next(ctx)
	if err != nil {
		return nil, err
	}
	if f.seen == nil {
		f.seen = map[string]struct{}{}
	}
	for _, row := range rows {
		f.seen[row[0].ToString()] = struct{}{}
	}
	if rows != nil {
		return rows, nil
	}
	f.ended = true
	none, err := f.none.Next(ctx)
	if err != nil {
		return nil, err
	}
	var out [][]expr.Value
	for _, d := range f.domain {
		if _, ok := f.seen[d[0].ToString()]; !ok && len(none) > 0 {
			out = append(out, append(append([]expr.Value{}, d[:f.base]...), none[0]...))
		}
	}
	return out, nil
}

func (f *filled) Close() {
	f.from.Close()
	f.none.Close()
}

// rolledUpTo leaves out the totals over domain rows: those of more keys than the statement has.
type rolledUpTo struct {
	from exec.Source
	most int64
	at   int // of the number of keys that are rolled up
	out  [][]expr.Value
}

func (r *rolledUpTo) Next(ctx context.Context) ([][]expr.Value, error) {
	rows, err := r.from.Next(ctx)
	if err != nil || rows == nil {
		return nil, err
	}
	r.out = r.out[:0]
	for _, row := range rows {
		n, err := row[r.at].ToInt64()
		if err != nil {
			return nil, err
		}
		if n <= r.most {
			r.out = append(r.out, row)
		}
	}
	return r.out, nil
}

func (r *rolledUpTo) Close() { r.from.Close() }
