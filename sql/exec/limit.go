package exec

import (
	"context"

	"isochron/sql/expr"
)

// Limit leaves out the first offset rows and yields the next count ones. It takes no more batches than it needs.
func Limit(from Source, offset, count uint64) Source {
	return &limit{in: input{from: from}, offset: offset, count: count}
}

type limit struct {
	in            input
	offset, count uint64 // still to be left out, still to be yielded
}

func (l *limit) Next(ctx context.Context) ([][]expr.Value, error) {
	for l.count > 0 {
		rows, err := l.in.next(ctx)
		if rows == nil {
			return nil, err
		}
		out := min(l.offset, uint64(len(rows)))
		l.offset -= out
		rows = rows[out:]
		rows = rows[:min(l.count, uint64(len(rows)))]
		l.count -= uint64(len(rows))
		if len(rows) > 0 {
			return rows, nil
		}
	}
	return nil, l.in.err
}

func (l *limit) Close() { l.in.close() }
