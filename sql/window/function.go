package window

import (
	"fmt"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// mark begins the name that an aggregate over a window has in the plan (Rewrite).
const mark = "isochron window "

// Function is a window function. Its children are the expressions of its window, and its
// arguments.
type Function struct {
	name      string
	args      []gms.Expression
	aggregate gms.Aggregation // the same without a window; nil: it is no aggregate
	window    *gms.WindowDefinition
	id        gms.ColumnId
}

var (
	_ gms.WindowAdaptableExpression = (*Function)(nil)
	_ gms.FunctionExpression        = (*Function)(nil)
	_ gms.CollationCoercible        = (*Function)(nil)
)

// arguments is the number of arguments of functions that are no aggregates.
var arguments = map[string]struct{ least, most int }{
	"row_number": {}, "rank": {}, "dense_rank": {}, "percent_rank": {}, "cume_dist": {}, "ntile": {1, 1},
	"first_value": {1, 1}, "last_value": {1, 1}, "nth_value": {2, 2}, "lag": {1, 3}, "lead": {1, 3},
}

func init() {
	engines := planbuilder.IsWindowFunc
	planbuilder.IsWindowFunc = func(ctx *gms.Context, name string) (bool, error) {
		if _, ok := arguments[name]; ok || strings.HasPrefix(name, mark) {
			return true, nil
		}
		return engines(ctx, name)
	}
}

// Named returns the window function of that name; an aggregate's is marked. plain finds aggregates
// without a window.
func Named(name string, plain func(ctx *gms.Context, schema, name string) (gms.Function, bool)) (gms.Function, bool) {
	name = strings.ToLower(name)
	if takes, ok := arguments[name]; ok {
		return gms.FunctionN{Name: name, Fn: func(_ *gms.Context, args ...gms.Expression) (gms.Expression, error) {
			if len(args) < takes.least || len(args) > takes.most {
				return nil, gms.ErrInvalidArgumentNumber.New(strings.ToUpper(name), takes.least, len(args))
			}
			return &Function{name: name, args: args}, nil
		}}, true
	}
	name, ok := strings.CutPrefix(name, mark)
	if !ok {
		return nil, false
	}
	return gms.FunctionN{Name: name, Fn: func(ctx *gms.Context, args ...gms.Expression) (gms.Expression, error) {
		f, ok := plain(ctx, "", name)
		if !ok {
			return nil, gms.ErrFunctionNotFound.New(name)
		}
		e, err := f.NewInstance(ctx, args)
		if err != nil {
			return nil, err
		}
		a, ok := e.(gms.Aggregation)
		if !ok {
			return nil, fmt.Errorf("%s is no aggregate function: it cannot be used OVER a window", name)
		}
		return &Function{name: name, args: a.Children(), aggregate: a}, nil
	}}, true
}

// Id implements gms.IdExpression.
func (f *Function) Id() gms.ColumnId { return f.id }

// WithId implements gms.IdExpression.
func (f *Function) WithId(id gms.ColumnId) gms.IdExpression {
	other := *f
	other.id = id
	return &other
}

// Window implements gms.WindowAdaptableExpression.
func (f *Function) Window() *gms.WindowDefinition { return f.window }

// WithWindow implements gms.WindowAdaptableExpression.
func (f *Function) WithWindow(_ *gms.Context, w *gms.WindowDefinition) gms.WindowAdaptableExpression {
	other := *f
	other.window = w
	return &other
}

// NewWindowFunction implements gms.WindowAdaptableExpression. Nothing of the engine calls it.
func (f *Function) NewWindowFunction(*gms.Context) (gms.WindowFunction, error) {
	return nil, gms.ErrWindowUnsupported.New(f.name)
}

// Eval implements gms.Expression.
func (f *Function) Eval(*gms.Context, gms.Row) (any, error) {
	return nil, gms.ErrWindowUnsupported.New(f.name)
}

// FunctionName implements gms.FunctionExpression.
func (f *Function) FunctionName() string { return f.name }

// Description implements gms.FunctionExpression.
func (f *Function) Description() string { return "a window function" }

// Resolved implements gms.Expression.
func (f *Function) Resolved() bool { return expression.ExpressionsResolved(f.Children()...) }

// String implements gms.Expression. It distinguishes functions that differ in anything: the
// engine takes two of the same text for one.
func (f *Function) String() string {
	args := make([]string, len(f.args))
	for i, a := range f.args {
		args[i] = a.String()
	}
	return f.name + "(" + strings.Join(args, ", ") + ") " + windowText(f.window)
}

func windowText(w *gms.WindowDefinition) string {
	if w == nil {
		return "over ()"
	}
	parts := []string{}
	if len(w.PartitionBy) > 0 {
		by := make([]string, len(w.PartitionBy))
		for i, e := range w.PartitionBy {
			by[i] = e.String()
		}
		parts = append(parts, "partition by "+strings.Join(by, ", "))
	}
	if len(w.OrderBy) > 0 {
		by := make([]string, len(w.OrderBy))
		for i, o := range w.OrderBy {
			by[i] = o.String()
		}
		parts = append(parts, "order by "+strings.Join(by, ", "))
	}
	if w.Frame != nil {
		parts = append(parts, frameText(w.Frame))
	}
	return "over (" + strings.Join(parts, " ") + ")"
}

// Type implements gms.Expression.
func (f *Function) Type(ctx *gms.Context) gms.Type {
	switch f.name {
	case "row_number", "rank", "dense_rank", "ntile":
		return types.Int64
	case "percent_rank", "cume_dist":
		return types.Float64
	case "lag", "lead":
		if len(f.args) == 3 {
			if e, err := function.NewCoalesce(ctx, f.args[0], f.args[2]); err == nil {
				return e.Type(ctx)
			}
		}
	}
	if f.aggregate != nil {
		return f.aggregate.Type(ctx)
	}
	return f.args[0].Type(ctx)
}

// IsNullable implements gms.Expression.
func (f *Function) IsNullable(ctx *gms.Context) bool {
	switch f.name {
	case "row_number", "rank", "dense_rank", "percent_rank", "cume_dist":
		return false
	}
	return f.aggregate == nil || f.aggregate.IsNullable(ctx)
}

// CollationCoercibility implements gms.CollationCoercible.
func (f *Function) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	if len(f.args) == 0 {
		return gms.Collation_binary, 5
	}
	return gms.GetCoercibility(ctx, f.args[0])
}

// Children implements gms.Expression.
func (f *Function) Children() []gms.Expression {
	return append(f.window.ToExpressions(), f.args...)
}

// WithChildren implements gms.Expression.
func (f *Function) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	n := 0
	if f.window != nil {
		n = f.window.ExpressionsLen()
	}
	if len(children) != n+len(f.args) {
		return nil, gms.ErrInvalidChildrenNumber.New(f, len(children), n+len(f.args))
	}
	w, err := f.window.FromExpressions(ctx, children[:n])
	if err != nil {
		return nil, err
	}
	other := *f
	other.window, other.args = w, children[n:]
	if f.aggregate != nil {
		a, err := f.aggregate.WithChildren(ctx, other.args...)
		if err != nil {
			return nil, err
		}
		other.aggregate = a.(gms.Aggregation)
	}
	return &other, nil
}
