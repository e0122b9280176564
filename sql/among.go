package sql

import (
	"fmt"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// among is IN by MySQL's rules: each value of the list is compared as its type asks.
type among struct {
	left  gms.Expression
	list  expression.Tuple
	fixed bool // the list is of constants that stay
	known map[string]bool
	null  bool // the list has a NULL
}

var (
	_ gms.Expression         = (*among)(nil)
	_ gms.CollationCoercible = (*among)(nil)
)

// Eval implements gms.Expression.
func (a *among) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	left, err := valued(ctx, row, a.left)
	if err != nil || left == nil {
		return nil, err
	}
	if found, ok, err := a.lookup(ctx, left); ok || err != nil {
		return found, err
	}
	return anyAlike(ctx, a.left, left, len(a.list), func(i int) (gms.Expression, any, error) {
		e := a.list[i]
		right, err := valued(ctx, row, e)
		if lit, ok := e.(*expression.Literal); ok && err == nil && types.IsYear(a.left.Type(ctx)) {
			e = yearBeside(ctx, a.left, lit)
			right = e.(*expression.Literal).Val
		}
		return e, right, err
	})
}

// anyAlike reports whether the value left of an expression is alike one of n others: true, false,
// or nil if that is unknown. other is the i-th of them and its expression.
func anyAlike(ctx *gms.Context, of gms.Expression, left any, n int, other func(i int) (gms.Expression, any, error)) (any, error) {
	null := false
	for i := range n {
		e, right, err := other(i)
		if err != nil {
			return nil, err
		}
		equal, unknown, err := alike(ctx, of, e, left, right)
		if err != nil {
			return nil, err
		}
		if equal {
			return true, nil
		}
		null = null || unknown
	}
	if null {
		return nil, nil
	}
	return false, nil
}

// lookup finds a text in a list of constant texts.
func (a *among) lookup(ctx *gms.Context, left any) (found any, ok bool, err error) {
	const few = 4
	if !a.fixed || len(a.list) < few || !types.IsTextOnly(a.left.Type(ctx)) {
		return nil, false, nil
	}
	if a.known == nil {
		known := map[string]bool{}
		for _, e := range a.list {
			if e.Type(ctx) == types.Null {
				a.null = true
				continue
			}
			v, err := valued(ctx, nil, e)
			s, isText := v.(string)
			if err != nil || !isText || !types.IsTextOnly(e.Type(ctx)) {
				a.fixed = false
				return nil, false, err
			}
			known[weightsOf(s, collationOf(ctx, a.left, e))] = true
		}
		a.known = known
	}
	s, isText := left.(string)
	if !isText {
		return nil, false, nil
	}
	collation, _ := gms.GetCoercibility(ctx, a.left)
	if a.known[weightsOf(s, collation)] {
		return true, true, nil
	}
	if a.null {
		return nil, true, nil
	}
	return false, true, nil
}

// alike reports whether two values are equal; unknown, that this is not known because of a NULL.
func alike(ctx *gms.Context, left, right gms.Expression, l, r any) (equal, unknown bool, err error) {
	if l == nil || r == nil {
		return false, true, nil
	}
	lt, rt := left.Type(ctx), right.Type(ctx)
	lTuple, isTuple := lt.(types.TupleType)
	if rTuple, both := rt.(types.TupleType); isTuple && both {
		return alikeTuples(ctx, left, right, lTuple, rTuple, l, r)
	}
	if n, ok := compareValues(ctx, lt, rt, l, r, collationOf(ctx, left, right)); ok {
		return n == 0, false, nil
	}
	if s, ok := l.(string); ok && types.IsTextOnly(lt) && types.IsTextOnly(rt) {
		if t, ok := r.(string); ok {
			return compareTexts(s, t, collationOf(ctx, left, right)) == 0, false, nil
		}
	}
	n, err := expression.NewEquals(expression.NewLiteral(l, lt), expression.NewLiteral(r, rt)).Compare(ctx, nil)
	if expression.ErrNilOperand.Is(err) {
		return false, n == 0, nil
	}
	if err != nil {
		return false, false, nil // as the engine: a value that cannot be compared is another
	}
	return n == 0, false, nil
}

func alikeTuples(ctx *gms.Context, left, right gms.Expression, lt, rt types.TupleType, l, r any) (equal, unknown bool, err error) {
	ls, ok := l.([]any)
	rs, also := r.([]any)
	if !ok || !also || len(ls) != len(rs) || len(lt) != len(ls) || len(rt) != len(rs) {
		return false, false, gms.ErrInvalidOperandColumns.New(len(lt), len(rt))
	}
	part := func(e gms.Expression, i int, v any, t gms.Type) gms.Expression {
		if tuple, ok := e.(expression.Tuple); ok && i < len(tuple) {
			return tuple[i]
		}
		return expression.NewLiteral(v, t)
	}
	equal = true
	for i := range ls {
		same, not, err := alike(ctx, part(left, i, ls[i], lt[i]), part(right, i, rs[i], rt[i]), ls[i], rs[i])
		if err != nil {
			return false, false, err
		}
		if !same && !not {
			return false, false, nil
		}
		equal, unknown = equal && same, unknown || not
	}
	return equal && !unknown, unknown, nil
}

// Resolved implements gms.Expression.
func (a *among) Resolved() bool { return a.left.Resolved() && a.list.Resolved() }

// String implements fmt.Stringer.
func (a *among) String() string { return fmt.Sprintf("(%s IN %s)", a.left, a.list) }

// Type implements gms.Expression.
func (a *among) Type(*gms.Context) gms.Type { return types.Boolean }

// IsNullable implements gms.Expression.
func (a *among) IsNullable(*gms.Context) bool { return true }

// Children implements gms.Expression. Tuples are shown by their parts: the engine takes them for operands of nothing
// that it does not know.
func (a *among) Children() []gms.Expression {
	out := parts(a.left)
	for _, e := range a.list {
		out = append(out, parts(e)...)
	}
	return out
}

func parts(e gms.Expression) []gms.Expression {
	if t, ok := e.(expression.Tuple); ok {
		return append([]gms.Expression(nil), t...)
	}
	return []gms.Expression{e}
}

// WithChildren implements gms.Expression.
func (a *among) WithChildren(_ *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	if len(children) != len(a.Children()) {
		return nil, gms.ErrInvalidChildrenNumber.New(a, len(children), len(a.Children()))
	}
	next := func(like gms.Expression) gms.Expression {
		n := len(parts(like))
		taken := children[:n]
		children = children[n:]
		if _, ok := like.(expression.Tuple); ok {
			return expression.Tuple(taken)
		}
		return taken[0]
	}
	out := &among{left: next(a.left), fixed: a.fixed}
	for _, e := range a.list {
		out.list = append(out.list, next(e))
	}
	return out, nil
}

// CollationCoercibility implements gms.CollationCoercible.
func (a *among) CollationCoercibility(*gms.Context) (gms.CollationID, byte) {
	return gms.Collation_binary, 5
}

// amongRows is IN (SELECT ...) by MySQL's rules, of one column.
type amongRows struct{ *gmsplan.InSubquery }

// Eval implements gms.Expression.
func (a *amongRows) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	left, err := valued(ctx, row, a.Left())
	if err != nil {
		return nil, err
	}
	q := a.Right().(*gmsplan.Subquery)
	values, err := q.EvalMultiple(ctx, row)
	if err != nil {
		return nil, err
	}
	if left == nil && len(values) > 0 {
		return nil, nil
	}
	return anyAlike(ctx, a.Left(), left, len(values), func(i int) (gms.Expression, any, error) {
		v, err := gms.UnwrapAny(ctx, values[i])
		return q, v, err
	})
}

// WithChildren implements gms.Expression.
func (a *amongRows) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	e, err := a.InSubquery.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &amongRows{e.(*gmsplan.InSubquery)}, nil
}
