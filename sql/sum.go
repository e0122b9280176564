package sql

import (
	"github.com/cockroachdb/apd/v3"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// replaced gives the functions that we have instead of the engine's: its SUM
// adds whole numbers and decimals as floating point and so loses digits. A test
// tells when the engine does it right, so that this can go. And its GET_LOCK, which
// nothing could end, and its SPACE, which takes the square of the time it should.
func (p provider) replaced(name string) (gms.Function, bool) {
	if f, ok := whoFunction(name); ok {
		return f, true
	}
	if equalFold(name, "get_lock") {
		return newGetLock(p.g.engine.LS), true
	}
	if equalFold(name, "space") {
		return newSpace(), true
	}
	if !equalFold(name, "sum") {
		return nil, false
	}
	return gms.Function1{Name: "sum", Fn: func(_ *gms.Context, e gms.Expression) gms.Expression {
		return &exactSum{aggregation.NewSum(e)}
	}}, true
}

// exactSum is SUM that is exact where its argument is. Over a window it is the
// engine's.
type exactSum struct{ *aggregation.Sum }

var (
	_ gms.Aggregation               = (*exactSum)(nil)
	_ gms.WindowAdaptableExpression = (*exactSum)(nil)
)

// sumType is the type of an exact sum, nil if the argument is not exact.
func (s *exactSum) sumType(ctx *gms.Context) gms.Type {
	if s.Window() != nil {
		return nil
	}
	switch t := s.Child.Type(ctx); {
	case types.IsInteger(t):
		return types.MustCreateDecimalType(41, 0)
	case types.IsDecimal(t):
		d := t.(gms.DecimalType)
		return types.MustCreateDecimalType(min(types.DecimalTypeMaxPrecision, d.Precision()+22), d.Scale())
	}
	return nil
}

// Type implements gms.Expression.
func (s *exactSum) Type(ctx *gms.Context) gms.Type {
	if t := s.sumType(ctx); t != nil {
		return t
	}
	return s.Sum.Type(ctx)
}

// WithWindow implements gms.WindowAdaptableExpression.
func (s *exactSum) WithWindow(ctx *gms.Context, w *gms.WindowDefinition) gms.WindowAdaptableExpression {
	return &exactSum{s.Sum.WithWindow(ctx, w).(*aggregation.Sum)}
}

// WithChildren implements gms.Expression.
func (s *exactSum) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	e, err := s.Sum.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &exactSum{e.(*aggregation.Sum)}, nil
}

// WithId implements gms.IdExpression.
func (s *exactSum) WithId(id gms.ColumnId) gms.IdExpression {
	return &exactSum{s.Sum.WithId(id).(*aggregation.Sum)}
}

// NewBuffer implements gms.Aggregation.
func (s *exactSum) NewBuffer(ctx *gms.Context) (gms.AggregationBuffer, error) {
	t := s.sumType(ctx)
	if t == nil {
		return s.Sum.NewBuffer(ctx)
	}
	child, err := transform.Clone(ctx, s.Child)
	if err != nil {
		return nil, err
	}
	return &sumBuffer{child: child, t: t}, nil
}

type sumBuffer struct {
	child gms.Expression
	t     gms.Type
	total *apd.Decimal
}

// Update implements gms.AggregationBuffer.
func (b *sumBuffer) Update(ctx *gms.Context, row gms.Row) error {
	v, err := b.child.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	n, _, err := b.t.Convert(ctx, v)
	if err != nil {
		return err
	}
	if b.total == nil {
		b.total = apd.New(0, 0)
	}
	_, err = gms.DecimalCtx.Add(b.total, b.total, n.(*apd.Decimal))
	return err
}

// Eval implements gms.AggregationBuffer.
func (b *sumBuffer) Eval(*gms.Context) (any, error) {
	if b.total == nil {
		return nil, nil
	}
	return b.total, nil
}

// Dispose implements gms.Disposable.
func (b *sumBuffer) Dispose(ctx *gms.Context) { expression.Dispose(ctx, b.child) }
