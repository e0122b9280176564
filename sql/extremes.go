package sql

import (
	"fmt"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/comparing"
)

// extremeFunctions gives GREATEST and LEAST: the engine takes all numbers as floating point, and
// dates beside texts as nothing. And MIN and MAX of an ENUM or a SET, which are by the text.
func extremeFunctions(name string) (gms.Function, bool) {
	switch name = strings.ToLower(name); name {
	case "greatest", "least":
		return gms.FunctionN{Name: name, Fn: func(_ *gms.Context, args ...gms.Expression) (gms.Expression, error) {
			if len(args) < 2 {
				return nil, mysql.NewSQLError(1582, "42000", "Incorrect parameter count in the call to native function '%s'", name)
			}
			return &extreme{name: name, NaryExpression: expression.NaryExpression{ChildExpressions: args}}, nil
		}}, true
	case "min":
		return gms.Function1{Name: name, Fn: func(ctx *gms.Context, e gms.Expression) gms.Expression {
			return aggregation.NewMin(inWords(ctx, e))
		}}, true
	case "max":
		return gms.Function1{Name: name, Fn: func(ctx *gms.Context, e gms.Expression) gms.Expression {
			return aggregation.NewMax(inWords(ctx, e))
		}}, true
	}
	return nil, false
}

// extreme is the greatest or the least of its arguments.
type extreme struct {
	name string
	expression.NaryExpression
}

var (
	_ gms.FunctionExpression = (*extreme)(nil)
	_ gms.CollationCoercible = (*extreme)(nil)
)

// FunctionName implements gms.FunctionExpression.
func (e *extreme) FunctionName() string { return e.name }

// Description implements gms.FunctionExpression.
func (e *extreme) Description() string { return "the " + e.name + " of its arguments" }

// String implements gms.Expression.
func (e *extreme) String() string {
	args := make([]string, len(e.ChildExpressions))
	for i, a := range e.ChildExpressions {
		args[i] = a.String()
	}
	return e.name + "(" + strings.Join(args, ",") + ")"
}

// WithChildren implements gms.Expression.
func (e *extreme) WithChildren(_ *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	return &extreme{name: e.name, NaryExpression: expression.NaryExpression{ChildExpressions: children}}, nil
}

// CollationCoercibility implements gms.CollationCoercible.
func (e *extreme) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	c, by := gms.GetCoercibility(ctx, e.ChildExpressions[0])
	for _, other := range e.ChildExpressions[1:] {
		o, oby := gms.GetCoercibility(ctx, other)
		c, by = gms.ResolveCoercibility(c, by, o, oby)
	}
	return c, by
}

// kinds is what the arguments of a function are made of.
type kinds struct {
	text, binary, floats, decimals, signed, unsigned, dates, readTimestamps, times bool
	digits, scale                                                                  uint8
	fraction                                                                       int // digits of seconds
}

func (k *kinds) add(t gms.Type) {
	switch {
	case types.IsTimespan(t):
		k.times = true
	case types.IsDateType(t):
		k.dates = true
	case types.IsTime(t):
		k.readTimestamps = true
		if d, ok := t.(gms.DatetimeType); ok {
			k.fraction = max(k.fraction, d.Precision())
		}
	case types.IsDecimal(t):
		d := t.(gms.DecimalType)
		k.decimals, k.digits, k.scale = true, max(k.digits, d.Precision()-d.Scale()), max(k.scale, d.Scale())
	case types.IsFloat(t):
		k.floats = true
	case types.IsUnsigned(t) && t.Type() == sqltypes.Uint64 || types.IsBit(t):
		k.unsigned, k.digits = true, max(k.digits, 20)
	case isInteger(t) || types.IsNumber(t):
		k.signed, k.digits = true, max(k.digits, 19)
	default:
		k.text, k.binary = true, k.binary || types.IsBinaryType(t)
	}
}

// Type implements gms.Expression.
func (e *extreme) Type(ctx *gms.Context) gms.Type {
	k := kinds{}
	for _, a := range e.ChildExpressions {
		t := a.Type(ctx)
		if s, ok := t.(gms.SystemVariableType); ok {
			t = s.UnderlyingType()
		}
		if t == types.Null || types.IsDeferredType(t) {
			return t
		}
		k.add(t)
	}
	numbers := k.floats || k.decimals || k.signed || k.unsigned
	switch {
	case k.readTimestamps, k.dates && k.times:
		return types.MustCreateDatetimeType(sqltypes.Datetime, k.fraction)
	case k.dates:
		return types.Date
	case k.times && !numbers:
		return types.Time
	case k.text && k.binary:
		return types.LongBlob
	case k.text || k.times:
		c, _ := e.CollationCoercibility(ctx)
		return types.CreateLongText(c)
	case k.floats:
		return types.Float64
	case k.decimals || k.signed && k.unsigned:
		return types.MustCreateDecimalType(min(types.DecimalTypeMaxPrecision, k.digits+k.scale), k.scale)
	case k.unsigned:
		return types.Uint64
	}
	return types.Int64
}

// Eval implements gms.Expression.
func (e *extreme) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	t := e.Type(ctx)
	var best any
	for _, a := range e.ChildExpressions {
		v, err := valued(ctx, row, spelled(ctx, a))
		if err != nil || v == nil || t == types.Null {
			return nil, err
		}
		if _, at := v.(time.Time); !at && types.IsTime(t) {
			s := fmt.Sprint(v)
			if at, ok := comparing.ParseMoment(s); ok {
				v = at
			} else {
				ctx.Warn(1292, "Incorrect datetime value: '%s'", s)
				continue
			}
		}
		if v, _, err = t.Convert(ctx, v); err != nil {
			return nil, err
		}
		if best == nil {
			best = v
			continue
		}
		c, err := t.Compare(ctx, v, best)
		if err != nil {
			return nil, err
		}
		if e.name == "greatest" && c > 0 || e.name == "least" && c < 0 {
			best = v
		}
	}
	if d, ok := best.(*apd.Decimal); ok { // with all its digits
		scaled := new(apd.Decimal)
		_, err := gms.DecimalCtx.WithPrecision(2*types.DecimalTypeMaxPrecision).Quantize(scaled, d, -int32(t.(gms.DecimalType).Scale()))
		return scaled, err
	}
	return best, nil
}

// spelled is an expression, or the text of one that is an ENUM or a SET.
func spelled(ctx *gms.Context, e gms.Expression) gms.Expression {
	if t := e.Type(ctx); types.IsEnum(t) || types.IsSet(t) {
		return &namesText{expression.UnaryExpressionStub{Child: e}}
	}
	return e
}

// inWords is what MIN and MAX are made of.
func inWords(ctx *gms.Context, e gms.Expression) gms.Expression {
	if d, ok := e.(*expression.DistinctExpression); ok {
		e = d.Child // it makes no difference
	}
	return spelled(ctx, e)
}

// namesText is the text of an ENUM or a SET.
type namesText struct{ expression.UnaryExpressionStub }

var _ gms.CollationCoercible = (*namesText)(nil)

// String implements gms.Expression.
func (w *namesText) String() string { return "text(" + w.Child.String() + ")" }

// Type implements gms.Expression.
func (w *namesText) Type(ctx *gms.Context) gms.Type {
	c, _ := w.CollationCoercibility(ctx)
	return types.CreateLongText(c)
}

// CollationCoercibility implements gms.CollationCoercible.
func (w *namesText) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, w.Child)
}

// Eval implements gms.Expression.
func (w *namesText) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	v, err := valued(ctx, row, w.Child)
	if err != nil || v == nil {
		return nil, err
	}
	b, err := w.Child.Type(ctx).SQL(ctx, nil, v)
	if err != nil || b.IsNull() {
		return nil, err
	}
	return b.ToString(), nil
}

// WithChildren implements gms.Expression.
func (w *namesText) WithChildren(_ *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	return &namesText{expression.UnaryExpressionStub{Child: children[0]}}, nil
}
