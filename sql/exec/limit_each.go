package exec

import (
	"bytes"
	"context"

	"isochron/sql/expr"
)

// LimitEach is a Limit for each value of the first column: of the rows with one value it leaves out the first offset ones
// and yields the next count. Rows with one value stand together; values are one if they have the same bytes. It holds one
// batch.
func LimitEach(from Source, offset, count uint64) Source {
	return &limitEach{in: input{from: from}, offset: offset, count: count}
}

type limitEach struct {
	in            input
	offset, count uint64
	value         expr.Value // of the row before
	any           bool       // there was a row before
	skip, take    uint64     // rows of the value still to be left out, still to be yielded
	kept          [][]expr.Value
}

func (l *limitEach) Next(ctx context.Context) ([][]expr.Value, error) {
	for {
		rows, err := l.in.next(ctx)
		if rows == nil {
			return nil, err
		}
		l.kept = l.kept[:0]
		for _, row := range rows {
			if l.keeps(row[0]) {
				l.kept = append(l.kept, row)
			}
		}
		if len(l.kept) > 0 {
			return l.kept, nil
		}
	}
}

// keeps counts a row by its first column and reports whether it is yielded.
func (l *limitEach) keeps(v expr.Value) bool {
	if !l.any || l.value.IsNull() != v.IsNull() || !bytes.Equal(l.value.Raw(), v.Raw()) {
		l.any, l.value, l.skip, l.take = true, v, l.offset, l.count
	}
	switch {
	case l.skip > 0:
		l.skip--
	case l.take > 0:
		l.take--
		return true
	}
	return false
}

func (l *limitEach) Close() { l.in.close() }
