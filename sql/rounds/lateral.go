package rounds

import (
	"context"

	"isochron/sql/exec"
	"isochron/sql/expr"
)

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
