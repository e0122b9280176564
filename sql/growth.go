package sql

import (
	"fmt"
	"isochron/sql/legacy"
	"sync/atomic"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// The engine's functions allocate what their arguments ask for. Those that can make
// much of little are wrapped: their arguments are evaluated first, and where the
// result would be longer than may be, it is NULL with a warning (1301), as MySQL has it.

// codeResultTooLong is MySQL's number for a function's result beyond max_allowed_packet.
const codeResultTooLong = 1301

// guess is an upper bound of the length of a function's result, in bytes. Errors are
// left to the function.
type guess func(args []any) int64

// growing is a function whose result is bounded.
type growing struct {
	gms.Expression
	name  string
	guess guess // nil: the result is no longer than the arguments by more than a factor
	check func(name string, args []any) error
	among *atomic.Int64 // of how many in the statement; nil: not known
}

var (
	_ gms.FunctionExpression = (*growing)(nil)
	_ gms.CollationCoercible = (*growing)(nil)
)

// FunctionName implements gms.FunctionExpression.
func (g *growing) FunctionName() string { return g.name }

// Description implements gms.FunctionExpression.
func (g *growing) Description() string {
	if f, ok := g.Expression.(gms.FunctionExpression); ok {
		return f.Description()
	}
	return g.name
}

// CollationCoercibility implements gms.CollationCoercible.
func (g *growing) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, g.Expression)
}

// IsNullable implements gms.Expression.
func (g *growing) IsNullable(*gms.Context) bool { return true }

// WithChildren implements gms.Expression.
func (g *growing) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	inner, err := g.Expression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &growing{inner, g.name, g.guess, g.check, g.among}, nil
}

// Dispose implements gms.Disposable.
func (g *growing) Dispose(ctx *gms.Context) { gms.Dispose(ctx, g.Expression) }

// Eval implements gms.Expression.
func (g *growing) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	most := g.resultMost(ctx)
	inner := g.Expression
	if g.guess != nil || g.check != nil {
		args, ready, err := g.arguments(ctx, row)
		if err != nil {
			return nil, err
		}
		if g.check != nil {
			if err := g.check(g.name, args); err != nil {
				return nil, err
			}
		}
		if g.guess != nil && g.guess(args) > most {
			return tooLong(ctx, g.name, most), nil
		}
		inner = ready
	}
	v, err := inner.Eval(ctx, row)
	if err != nil || v == nil {
		return v, err
	}
	switch v := v.(type) {
	case string:
		if int64(len(v)) > most {
			return tooLong(ctx, g.name, most), nil
		}
	case []byte:
		if int64(len(v)) > most {
			return tooLong(ctx, g.name, most), nil
		}
	case types.JSONDocument:
		if e := legacy.SizeOfJSON(v.Val); e.Depth > legacy.JSONDepthMax {
			return nil, mysql.NewSQLError(3157, "22032", "The JSON document exceeds the maximum depth of %d", legacy.JSONDepthMax)
		} else if e.Bytes > 4*most {
			return tooLong(ctx, g.name, most), nil
		}
	}
	return v, nil
}

// arguments evaluates what the function is applied to, and gives the function to go
// on with: where that would evaluate more than columns and literals once more, one
// that is applied to the values.
func (g *growing) arguments(ctx *gms.Context, row gms.Row) ([]any, gms.Expression, error) {
	children := g.Expression.Children()
	args := make([]any, len(children))
	plain := true
	for i, child := range children {
		v, err := child.Eval(ctx, row)
		if err == nil {
			v, err = gms.UnwrapAny(ctx, v)
		}
		if err != nil {
			return nil, nil, err
		}
		args[i] = v
		switch child.(type) {
		case *expression.Literal, *expression.GetField, *expression.UserVar:
		default:
			plain = false
		}
	}
	if plain {
		return args, g.Expression, nil
	}
	values := make([]gms.Expression, len(children))
	for i, child := range children {
		if _, interval := child.(*expression.Interval); interval {
			values[i] = child
			continue
		}
		values[i] = evaluated{child, args[i]}
	}
	inner, err := g.Expression.WithChildren(ctx, values...)
	return args, inner, err
}

// evaluated stands for an argument that was evaluated already.
type evaluated struct {
	gms.Expression
	value any
}

// Eval implements gms.Expression.
func (e evaluated) Eval(*gms.Context, gms.Row) (any, error) { return e.value, nil }

// CollationCoercibility implements gms.CollationCoercible.
func (e evaluated) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, e.Expression)
}

// resultMost is the longest result: max_allowed_packet, and a share of what the
// statement may hold, for the results of all functions in a row stand side by side.
func (g *growing) resultMost(ctx *gms.Context) int64 {
	a := accountOf(ctx)
	if a == nil {
		return statementMaxBytes
	}
	shares := int64(resultPart)
	if g.among != nil {
		shares = max(shares, g.among.Load())
	}
	return min(statementMaxBytes, a.Statement/shares)
}

// resultPart of the memory of a statement is what one result may take at most.
const resultPart = 4

func tooLong(ctx *gms.Context, name string, most int64) any {
	ctx.Warn(codeResultTooLong, "Result of %s() was larger than max_allowed_packet (%d), or than a part of %s - truncated", name, most, statementMemory)
	return nil
}

// bounded wraps the functions of the engine that grow. One without a decision is an
// error, so that a new one of the engine is not let in by chance.
func bounded(f gms.Function) gms.Function {
	d, ok := decisions[f.FunctionName()]
	if ok && d.guess == nil && d.check == nil && !d.after {
		return f
	}
	name := f.FunctionName()
	return gms.FunctionN{Name: name, Fn: func(ctx *gms.Context, args ...gms.Expression) (gms.Expression, error) {
		if !ok {
			return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "the function %s() is not supported: nobody has said how large its results are", name)
		}
		e, err := f.NewInstance(ctx, args)
		if err != nil {
			return nil, err
		}
		if _, aggregate := e.(gms.Aggregation); aggregate {
			return e, nil
		}
		g := &growing{e, name, d.guess, d.check, nil}
		if a := accountOf(ctx); a != nil {
			a.Growing.Add(1)
			g.among = &a.Growing
		}
		return g, nil
	}}
}

// builtIn are the engine's functions.
var builtIn = function.NewRegistry()

// Function implements gms.FunctionProvider: the engine's functions within bounds, and
// those that we replace.
func (p provider) Function(ctx *gms.Context, schema, name string) (gms.Function, bool) {
	if f, ok := whoFunction(name); ok {
		return f, true
	}
	switch {
	case equalFold(name, "space"):
		return newSpace(), true
	case equalFold(name, "get_lock"):
		return nil, false // nothing could end its wait
	}
	f, ok := builtIn.Function(ctx, schema, name)
	if !ok {
		return nil, false
	}
	return bounded(f), true
}

func errGrows(name string, what string) error {
	return mysql.NewSQLError(1210, "HY000", "Incorrect arguments to %s: %s", name, fmt.Sprint(what))
}
