package sql

import (
	"github.com/cockroachdb/apd/v3"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
)

// rounding gives CEIL and FLOOR, of which the engine's write into a decimal number that they are given, which is
// that of the row.
func rounding(name string) (gms.Function, bool) {
	switch {
	case equalFold(name, "ceil"), equalFold(name, "ceiling"):
		return gms.Function1{Name: name, Fn: func(ctx *gms.Context, e gms.Expression) gms.Expression {
			return function.NewCeil(ctx, &copied{e})
		}}, true
	case equalFold(name, "floor"):
		return gms.Function1{Name: name, Fn: func(ctx *gms.Context, e gms.Expression) gms.Expression {
			return function.NewFloor(ctx, &copied{e})
		}}, true
	}
	return nil, false
}

// copied is an expression whose value may be written into.
type copied struct{ gms.Expression }

var _ gms.CollationCoercible = (*copied)(nil)

// Eval implements gms.Expression.
func (c *copied) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	v, err := c.Expression.Eval(ctx, row)
	if d, ok := v.(*apd.Decimal); ok && err == nil {
		return new(apd.Decimal).Set(d), nil
	}
	return v, err
}

// CollationCoercibility implements gms.CollationCoercible.
func (c *copied) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, c.Expression)
}

// Children implements gms.Expression.
func (c *copied) Children() []gms.Expression { return []gms.Expression{c.Expression} }

// WithChildren implements gms.Expression.
func (c *copied) WithChildren(_ *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	return &copied{children[0]}, nil
}
