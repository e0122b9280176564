package exec

import (
	"context"

	"isochron/sql/expr"
)

// BatchMax is the most rows of a batch. Larger ones save no more calls, and hold more memory.
const BatchMax = 1024

// Source yields rows. Its rows and their values are not changed by anybody and stay valid until the statement ends; the
// slice of the batch is valid until the next Next.
type Source interface {
	// Next is a batch of rows; nil, nil is the end.
	Next(ctx context.Context) (rows [][]expr.Value, err error)
	// Close frees what the source holds. Next is not called after it.
	Close()
}

// Rows is a source of rows that are there already.
func Rows(rows [][]expr.Value) Source { return &rowList{rows} }

type rowList struct{ rest [][]expr.Value }

func (l *rowList) Next(ctx context.Context) ([][]expr.Value, error) {
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return cut(&l.rest), nil
}

func (l *rowList) Close() { l.rest = nil }

// cut takes a batch off a list; nil: the list is empty.
func cut(list *[][]expr.Value) [][]expr.Value {
	n := min(len(*list), BatchMax)
	if n == 0 {
		return nil
	}
	batch := (*list)[:n:n]
	*list = (*list)[n:]
	return batch
}

// cancelled is the cause for which the statement is to end, nil if there is none. It is asked for once a batch, and lets
// other statements compute.
func cancelled(ctx context.Context) error {
	if w, ok := ctx.Value(turnKey{}).(Turns); ok {
		w.Work(ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Turns divides the CPUs among statements: Work is called once a batch and may wait.
type Turns interface{ Work(ctx context.Context) }

type turnKey struct{}

// WithTurns returns a context in which operators take turns.
func WithTurns(ctx context.Context, t Turns) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

// input is a source below an operator. It looks at the context once a batch, skips empty batches, and repeats its end.
type input struct {
	from  Source
	ended bool
	err   error
}

// next is the next batch that has rows; nil, nil is the end.
func (in *input) next(ctx context.Context) ([][]expr.Value, error) {
	for !in.ended {
		if err := cancelled(ctx); err != nil {
			return nil, in.fail(err)
		}
		rows, err := in.from.Next(ctx)
		if err != nil {
			return nil, in.fail(err)
		}
		if rows == nil {
			in.ended = true
		} else if len(rows) > 0 {
			return rows, nil
		}
	}
	return nil, in.err
}

// check is the error that ended the input, or now ends it because the statement is cancelled; nil: there is none.
func (in *input) check(ctx context.Context) error {
	if in.err != nil {
		return in.err
	}
	if err := cancelled(ctx); err != nil {
		return in.fail(err)
	}
	return nil
}

// fail ends the input with an error.
func (in *input) fail(err error) error {
	in.ended, in.err = true, err
	return err
}

func (in *input) close() {
	in.ended = true
	in.from.Close()
}
