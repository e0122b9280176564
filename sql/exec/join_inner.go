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
	return &gathered{in: input{from: from}, memory: m, store: newRowStore(m)}
}

type gathered struct {
	in     input
	memory Memory
	store  rowStore
	sorter *keySorter // the rows, if they are sorted instead
}

func (g *gathered) RowsFor(ctx context.Context, _ [][]expr.Value) ([][]expr.Value, bool, error) {
	g.store.files = nil
	err := g.gather(ctx, g.store.add, g.store.settle)
	return g.store.rows, true, err
}

// gather takes all rows, and settles after each batch.
func (g *gathered) gather(ctx context.Context, take func(row []expr.Value) error, settle func() error) error {
	for {
		rows, err := g.in.next(ctx)
		if rows == nil {
			return err
		}
		for _, row := range rows {
			if err := take(row); err != nil {
				return g.in.fail(err)
			}
		}
		if err := settle(); err != nil {
			return g.in.fail(err)
		}
	}
}

// gatherForHash takes all rows. If they are more than may be held, it sorts them by their keys.
func (g *gathered) gatherForHash(ctx context.Context, e joinEncoder) error {
	files := g.store.files
	g.store.files = nil
	relieve := func(refused error) error {
		if files == nil || refused == nil && !g.store.account.full(files) {
			return refused
		}
		return g.sort(e)
	}
	return g.gather(ctx, func(row []expr.Value) error {
		if g.sorter != nil {
			_, err := g.sorter.add(row, 0)
			return err
		}
		return relieve(g.store.add(row))
	}, func() error {
		if g.sorter != nil {
			return g.sorter.settle()
		}
		return relieve(g.store.settle())
	})
}

// sort gives the rows that are held to a sorter.
func (g *gathered) sort(e joinEncoder) error {
	g.sorter = newKeySorter(e, false, g.memory)
	rows := g.store.rows
	g.store.account.close()
	for _, row := range rows {
		if _, err := g.sorter.add(row, 0); err != nil {
			return err
		}
	}
	g.store.close()
	return nil
}

func (g *gathered) Close() {
	g.store.close()
	if g.sorter != nil {
		g.sorter.close()
	}
	g.in.close()
}
