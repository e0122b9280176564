package sql

import (
	"strings"

	"github.com/cockroachdb/apd/v3"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// replaced gives the functions that we have instead of the engine's: its SUM and AVG
// take whole numbers and decimals as floating point and so lose digits. A test
// tells when the engine does it right, so that this can go. And its GET_LOCK, which
// nothing could end, and its SPACE, which takes the square of the time it should.
func (p provider) replaced(name string) (gms.Function, bool) {
	if f, ok := whoFunction(name); ok {
		return f, true
	}
	if equalFold(name, "get_lock") {
		return newGetLock(p.g.engine.LS), true
	}
	if f, ok := rounding(name); ok {
		return f, true
	}
	if f, ok := extremeFunctions(name); ok {
		return f, true
	}
	if f, ok := carrying(name); ok {
		return f, true
	}
	if equalFold(name, "space") {
		return newSpace(), true
	}
	if of, ok := exactAggregates[strings.ToLower(name)]; ok {
		return gms.Function1{Name: name, Fn: func(_ *gms.Context, e gms.Expression) gms.Expression {
			return &exact{of(e)}
		}}, true
	}
	return nil, false
}

// exactAggregates are the engine's aggregates that are mended, by their names.
var exactAggregates = map[string]func(gms.Expression) gms.Aggregation{
	"sum":         func(e gms.Expression) gms.Aggregation { return aggregation.NewSum(e) },
	"avg":         func(e gms.Expression) gms.Aggregation { return aggregation.NewAvg(e) },
	"std":         func(e gms.Expression) gms.Aggregation { return aggregation.NewStdDevPop(e) },
	"stddev":      func(e gms.Expression) gms.Aggregation { return aggregation.NewStdDevPop(e) },
	"stddev_pop":  func(e gms.Expression) gms.Aggregation { return aggregation.NewStdDevPop(e) },
	"stddev_samp": func(e gms.Expression) gms.Aggregation { return aggregation.NewStdDevSamp(e) },
	"variance":    func(e gms.Expression) gms.Aggregation { return aggregation.NewVarPop(e) },
	"var_pop":     func(e gms.Expression) gms.Aggregation { return aggregation.NewVarPop(e) },
	"var_samp":    func(e gms.Expression) gms.Aggregation { return aggregation.NewVarSamp(e) },
}

// exact is an aggregate of the type that MySQL gives it: a sum and an average are exact where
// their argument is, and a variance is no whole number.
type exact struct{ gms.Aggregation }

var _ gms.Aggregation = (*exact)(nil)

func (a *exact) child() gms.Expression { return a.Children()[0] }

// exactType is the type of an exact sum or average, and of its sum; nil if there is none.
func (a *exact) exactType(ctx *gms.Context) (t, sum gms.Type) {
	precision, scale := uint8(19), uint8(0)
	switch of := a.child().Type(ctx); {
	case types.IsInteger(of):
	case types.IsDecimal(of):
		d := of.(gms.DecimalType)
		precision, scale = d.Precision(), d.Scale()
	default:
		return nil, nil
	}
	sum = types.MustCreateDecimalType(min(types.DecimalTypeMaxPrecision, precision+22), scale)
	switch a.Aggregation.(type) {
	case *aggregation.Sum:
		return sum, sum
	case *aggregation.Avg:
		more := min(divIncrement, types.DecimalTypeMaxScale-scale)
		return types.MustCreateDecimalType(min(types.DecimalTypeMaxPrecision, precision+22+more), scale+more), sum
	}
	return nil, nil
}

// divIncrement is how many digits a division adds (MySQL's div_precision_increment).
const divIncrement = 4

// Type implements gms.Expression.
func (a *exact) Type(ctx *gms.Context) gms.Type {
	if t, _ := a.exactType(ctx); t != nil {
		return t
	}
	switch a.Aggregation.(type) {
	case *aggregation.Sum, *aggregation.Avg:
		return a.Aggregation.Type(ctx)
	}
	return types.Float64
}

// WithChildren implements gms.Expression.
func (a *exact) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	e, err := a.Aggregation.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &exact{e.(gms.Aggregation)}, nil
}

// WithId implements gms.IdExpression.
func (a *exact) WithId(id gms.ColumnId) gms.IdExpression {
	return &exact{a.Aggregation.WithId(id).(gms.Aggregation)}
}

// FunctionName implements gms.FunctionExpression.
func (a *exact) FunctionName() string { return a.Aggregation.(gms.FunctionExpression).FunctionName() }

// Description implements gms.FunctionExpression.
func (a *exact) Description() string { return a.Aggregation.(gms.FunctionExpression).Description() }

// CollationCoercibility implements gms.CollationCoercible.
func (a *exact) CollationCoercibility(*gms.Context) (gms.CollationID, byte) {
	return gms.Collation_binary, 5
}

// NewBuffer implements gms.Aggregation.
func (a *exact) NewBuffer(ctx *gms.Context) (gms.AggregationBuffer, error) {
	t, sum := a.exactType(ctx)
	if t == nil {
		return a.Aggregation.NewBuffer(ctx)
	}
	child, err := transform.Clone(ctx, a.child())
	if err != nil {
		return nil, err
	}
	b := &sumBuffer{child: child, t: sum}
	if _, ok := a.Aggregation.(*aggregation.Avg); ok {
		b.average = t
	}
	return b, nil
}

type sumBuffer struct {
	child   gms.Expression
	t       gms.Type // of the sum
	average gms.Type // nil: the sum is asked for
	total   *apd.Decimal
	rows    int64
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
	b.rows++
	_, err = gms.DecimalCtx.Add(b.total, b.total, n.(*apd.Decimal))
	return err
}

// Eval implements gms.AggregationBuffer.
func (b *sumBuffer) Eval(ctx *gms.Context) (any, error) {
	if b.total == nil {
		return nil, nil
	}
	if b.average == nil {
		return new(apd.Decimal).Set(b.total), nil // what comes after is added to total
	}
	scale := int32(b.average.(gms.DecimalType).Scale())
	if b.total.IsZero() {
		return apd.New(0, -scale), nil
	}
	// Rounded once, from more digits than are shown.
	quotient, divide := new(apd.Decimal), gms.DecimalCtx.WithPrecision(uint32(b.total.NumDigits())+types.DecimalTypeMaxPrecision)
	if _, err := divide.Quo(quotient, b.total, apd.New(b.rows, 0)); err != nil {
		return nil, err
	}
	_, err := divide.Quantize(quotient, quotient, -scale)
	return quotient, err
}

// Dispose implements gms.Disposable.
func (b *sumBuffer) Dispose(ctx *gms.Context) { expression.Dispose(ctx, b.child) }
