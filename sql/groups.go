package sql

import (
	"sync/atomic"

	gms "github.com/dolthub/go-mysql-server/sql"
)

// The engine groups rows in two goroutines: one reads them, the other puts them into
// their groups. When the second fails, the first waits for ever to hand it the next
// row, and nothing can end the statement. So whatever fails in the second is kept, as if
// nothing had happened, until the first asks for its next row and gets the failure; or, if there
// is no next row, until the groups are asked for.

// firstFailure is the first failure, or panic, among the groups of a statement.
type firstFailure struct{ first atomic.Pointer[failure] }

type failure struct {
	err   error
	panic any
}

func (s *firstFailure) keep(m failure) { s.first.CompareAndSwap(nil, &m) }

// err tells of the failure, and panics if it was a panic.
func (s *firstFailure) err() error {
	m := s.first.Load()
	if m == nil {
		return nil
	}
	if m.panic != nil {
		panic(m.panic)
	}
	return m.err
}

// try does something; its failure is kept.
func (s *firstFailure) try(do func() error) {
	defer func() {
		if p := recover(); p != nil {
			s.keep(failure{panic: p})
		}
	}()
	if err := do(); err != nil {
		s.keep(failure{err: err})
	}
}

// groupKey is an expression by which rows are grouped.
type groupKey struct {
	gms.Expression
	failed *firstFailure
}

// Eval implements gms.Expression.
func (k groupKey) Eval(ctx *gms.Context, row gms.Row) (v any, _ error) {
	k.failed.try(func() (err error) {
		v, err = k.Expression.Eval(ctx, row)
		return err
	})
	return v, nil
}

// CollationCoercibility implements gms.CollationCoercible.
func (k groupKey) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, k.Expression)
}

// WithChildren implements gms.Expression.
func (k groupKey) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	e, err := k.Expression.WithChildren(ctx, children...)
	return groupKey{e, k.failed}, err
}

// groupValue is what is told of a group.
type groupValue struct {
	gms.Aggregation
	failed *firstFailure
}

// NewBuffer implements gms.Aggregation.
func (g groupValue) NewBuffer(ctx *gms.Context) (gms.AggregationBuffer, error) {
	b := groupBuffer{failed: g.failed}
	g.failed.try(func() (err error) {
		b.AggregationBuffer, err = g.Aggregation.NewBuffer(ctx)
		return err
	})
	return b, nil
}

// groupBuffer gathers what is told of one group; nothing, if it could not be made.
type groupBuffer struct {
	gms.AggregationBuffer
	failed *firstFailure
}

// Update implements gms.AggregationBuffer.
func (b groupBuffer) Update(ctx *gms.Context, row gms.Row) error {
	if b.AggregationBuffer != nil {
		b.failed.try(func() error { return b.AggregationBuffer.Update(ctx, row) })
	}
	return nil
}

// Dispose implements gms.Disposable.
func (b groupBuffer) Dispose(ctx *gms.Context) {
	if b.AggregationBuffer != nil {
		b.AggregationBuffer.Dispose(ctx)
	}
}

// groups are those of a statement, after all rows were read.
type groups struct {
	gms.RowIter
	failed *firstFailure
}

// Next implements gms.RowIter.
func (g groups) Next(ctx *gms.Context) (gms.Row, error) {
	row, err := g.RowIter.Next(ctx)
	if err := g.failed.err(); err != nil {
		return nil, err
	}
	return row, err
}
