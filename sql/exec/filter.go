package exec

import (
	"context"

	"isochron/sql/expr"
)

// Filter keeps the rows for which the first expression of where is true: neither false nor NULL. It holds one batch.
func Filter(from Source, where *expr.Program) Source {
	return &filter{in: input{from: from}, where: where}
}

type filter struct {
	in    input
	where *expr.Program
	kept  [][]expr.Value
}

func (f *filter) Next(ctx context.Context) ([][]expr.Value, error) {
	for {
		rows, err := f.in.next(ctx)
		if rows == nil {
			return nil, err
		}
		f.kept = f.kept[:0]
		for _, row := range rows {
			ok, err := f.where.True(row)
			if err != nil {
				return nil, f.in.fail(err)
			}
			if ok {
				f.kept = append(f.kept, row)
			}
		}
		if len(f.kept) > 0 {
			return f.kept, nil
		}
	}
}

func (f *filter) Close() { f.in.close() }
