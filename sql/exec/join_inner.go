package exec

import (
	"context"

	"isochron/sql/expr"
)

// Inner yields rows of the right side of a join. It charges what it holds; the rows that it returned stay valid until the
// next RowsFor or Close.
type Inner interface {
	// RowsFor are all rows of the right side that may match one of the left rows; others may be among them. lasting: they are
	// all rows that there are, and RowsFor is not called again. Neither is it after an error.
	RowsFor(ctx context.Context, left [][]expr.Value) (rows [][]expr.Value, lasting bool, err error)
	// Close frees what it holds. It is called once.
	Close()
}

// Gathered are all rows of a source, for joins by hash and by nested loops. It holds them.
func Gathered(from Source, m Memory) Inner {
	return &gathered{in: input{from: from}, account: account{memory: m}}
}

type gathered struct {
	in      input
	account account
	rows    [][]expr.Value
}

func (g *gathered) RowsFor(ctx context.Context, _ [][]expr.Value) ([][]expr.Value, bool, error) {
	for {
		rows, err := g.in.next(ctx)
		if rows == nil {
			return g.rows, true, err
		}
		g.rows = append(g.rows, rows...)
		for _, row := range rows {
			if err := g.account.add(sizeOf(row)); err != nil {
				return nil, true, g.in.fail(err)
			}
		}
		if err := g.account.settle(); err != nil {
			return nil, true, g.in.fail(err)
		}
	}
}

func (g *gathered) Close() {
	g.rows = nil
	g.account.close()
	g.in.close()
}
