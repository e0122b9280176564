package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Where the engine compares values of different types otherwise than MySQL, a plan gets
// comparisons of ours in the place of its own, when all its keys have been found (probes.go).

// compared is a comparison by MySQL's rules.
type compared struct{ expression.Comparer }

var _ gms.CollationCoercible = (*compared)(nil)

// Compare implements expression.Comparer.
func (c *compared) Compare(ctx *gms.Context, row gms.Row) (int, error) {
	l, r, err := both(ctx, row, c.Left(), c.Right())
	if err != nil {
		return 0, err
	}
	if l == nil || r == nil {
		if _, same := c.Comparer.(*expression.NullSafeEquals); same {
			return ordered(l != nil, r != nil), nil
		}
		return 0, expression.ErrNilOperand.New()
	}
	left, right := yearBeside(ctx, c.Right(), c.Left()), yearBeside(ctx, c.Left(), c.Right())
	if lit, ok := left.(*expression.Literal); ok {
		l = lit.Val
	}
	if lit, ok := right.(*expression.Literal); ok {
		r = lit.Val
	}
	if n, ok := compareValues(ctx, left.Type(ctx), right.Type(ctx), l, r, collationOf(ctx, left, right)); ok {
		return n, nil
	}
	return c.Comparer.Compare(ctx, row)
}

func ordered(l, r bool) int {
	switch {
	case l == r:
		return 0
	case l:
		return 1
	}
	return -1
}

func both(ctx *gms.Context, row gms.Row, left, right gms.Expression) (l, r any, err error) {
	if l, err = valued(ctx, row, left); err == nil {
		r, err = valued(ctx, row, right)
	}
	return l, r, err
}

func valued(ctx *gms.Context, row gms.Row, e gms.Expression) (any, error) {
	v, err := e.Eval(ctx, row)
	if err == nil {
		v, err = gms.UnwrapAny(ctx, v)
	}
	return v, err
}

// collationOf is that by which two expressions are compared.
func collationOf(ctx *gms.Context, left, right gms.Expression) gms.CollationID {
	l, lc := gms.GetCoercibility(ctx, left)
	r, rc := gms.GetCoercibility(ctx, right)
	c, _ := gms.ResolveCoercibility(l, lc, r, rc)
	return c
}

// Eval implements gms.Expression.
func (c *compared) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	n, err := c.Compare(ctx, row)
	if expression.ErrNilOperand.Is(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch c.Comparer.(type) {
	case *expression.GreaterThan:
		return n > 0, nil
	case *expression.GreaterThanOrEqual:
		return n >= 0, nil
	case *expression.LessThan:
		return n < 0, nil
	case *expression.LessThanOrEqual:
		return n <= 0, nil
	}
	return n == 0, nil
}

// CollationCoercibility implements gms.CollationCoercible.
func (c *compared) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, c.Comparer)
}

// WithChildren implements gms.Expression.
func (c *compared) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	e, err := c.Comparer.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &compared{e.(expression.Comparer)}, nil
}

// mendedComparisons is a plan whose comparisons are MySQL's.
func mendedComparisons(ctx *gms.Context, n gms.Node) (gms.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(ctx, n, func(ctx *gms.Context, n gms.Node) (gms.Node, transform.TreeIdentity, error) {
		if h, ok := n.(*gmsplan.HashLookup); ok {
			made, same := exactHash(ctx, h)
			return made, same, nil
		}
		return transform.OneNodeExprsWithNode(ctx, n, func(ctx *gms.Context, _ gms.Node, e gms.Expression) (gms.Expression, transform.TreeIdentity, error) {
			made, same := mended(ctx, e)
			return made, same, nil
		})
	})
}

// beforeRule does something to a plan before a rule of the engine's.
func beforeRule(first func(*gms.Context, gms.Node) (gms.Node, transform.TreeIdentity, error), apply analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *gms.Context, a *analyzer.Analyzer, n gms.Node, scope *gmsplan.Scope, sel analyzer.RuleSelector, flags *gms.QueryFlags) (gms.Node, transform.TreeIdentity, error) {
		made, same, err := first(ctx, n)
		if err != nil {
			return n, same, err
		}
		out, as, err := apply(ctx, a, made, scope, sel, flags)
		return out, same && as, err
	}
}

// exactHash is a hash table by the collations of its texts: of several columns the engine takes their bytes.
func exactHash(ctx *gms.Context, h *gmsplan.HashLookup) (gms.Node, transform.TreeIdentity) {
	l, isTuple := h.LeftProbeKey.(expression.Tuple)
	r, both := h.RightEntryKey.(expression.Tuple)
	if !isTuple || !both || len(l) != len(r) {
		return h, transform.SameTree
	}
	left, right, same := append(expression.Tuple(nil), l...), append(expression.Tuple(nil), r...), transform.SameTree
	for i := range l {
		if _, done := l[i].(*canonical); !done && types.IsTextOnly(l[i].Type(ctx)) && types.IsTextOnly(r[i].Type(ctx)) {
			left[i], right[i], same = &canonical{l[i], r[i], false}, &canonical{r[i], l[i], true}, transform.NewTree
		}
	}
	if same {
		return h, same
	}
	return gmsplan.NewHashLookup(ctx, h.Child, right, left, h.JoinType), same
}

// yearBeside is an expression beside another, a constant of two digits beside a year as the year for which it stands.
func yearBeside(ctx *gms.Context, beside, e gms.Expression) gms.Expression {
	lit, ok := e.(*expression.Literal)
	if !ok || lit.Val == nil || !types.IsYear(beside.Type(ctx)) || types.IsYear(lit.Typ) {
		return e
	}
	if y, ok := shortYear(lit.Typ, lit.Val); ok {
		return expression.NewLiteral(y, types.Int64)
	}
	return e
}

// mended is an expression that compares as MySQL does, the same one if it does.
func mended(ctx *gms.Context, e gms.Expression) (gms.Expression, transform.TreeIdentity) {
	switch e := e.(type) {
	case *apart: // no more ranges are made
		made, _ := mended(ctx, e.Expression)
		return made, transform.NewTree
	case *gmsplan.Subquery:
		if inner, same, err := mendedComparisons(ctx, e.Query); err == nil && !bool(same) {
			return e.WithQuery(inner), transform.NewTree
		}
	case *expression.Equals, *expression.NullSafeEquals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
		c := e.(expression.Comparer)
		if _, same := e.(*expression.NullSafeEquals); !engineCompares(ctx, c.Left(), c.Right()) || same && types.IsTextOnly(c.Left().Type(ctx)) {
			return &compared{c}, transform.NewTree
		}
	case *expression.Between:
		if !engineCompares(ctx, e.Val, e.Lower) || !engineCompares(ctx, e.Val, e.Upper) {
			low, _ := mended(ctx, expression.NewGreaterThanOrEqual(e.Val, e.Lower))
			high, _ := mended(ctx, expression.NewLessThanOrEqual(e.Val, e.Upper))
			return expression.NewAnd(low, high), transform.NewTree
		}
	case *expression.HashInTuple:
		if list, ok := e.Right().(expression.Tuple); ok && !hashes(ctx, e.Left(), list) {
			return &among{left: e.Left(), list: list, fixed: true}, transform.NewTree
		}
	case *expression.InTuple:
		if list, ok := e.Right().(expression.Tuple); ok && !hashes(ctx, e.Left(), list) {
			return &among{left: e.Left(), list: list}, transform.NewTree
		}
	case *gmsplan.InSubquery:
		if q, ok := e.Right().(*gmsplan.Subquery); ok && types.NumColumns(q.Type(ctx)) == 1 && !engineFinds(ctx, e.Left(), q) {
			return &amongRows{e}, transform.NewTree
		}
	}
	return e, transform.SameTree
}

// engineCompares reports whether the engine compares two expressions as MySQL does.
func engineCompares(ctx *gms.Context, l, r gms.Expression) bool {
	lt, rt := l.Type(ctx), r.Type(ctx)
	if types.IsTextOnly(lt) && types.IsTextOnly(rt) && collationOf(ctx, l, r).PadAttribute() == "PAD SPACE" {
		return false // the engine never pads
	}
	return engineKnows(lt, rt) || isInteger(lt) && isInteger(rt) && (exactAsFloat(l) || exactAsFloat(r))
}

// exactAsFloat reports whether an expression is a constant that a float holds exactly.
func exactAsFloat(e gms.Expression) bool {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return false
	}
	switch v := lit.Val.(type) {
	case int64:
		return v > -1<<53 && v < 1<<53
	case uint64:
		return v < 1<<53
	case int8, int16, int32, uint8, uint16, uint32, bool:
		return true
	}
	return false
}

// hashes reports whether the engine finds a whole number among others as MySQL does.
func hashes(ctx *gms.Context, left gms.Expression, list expression.Tuple) bool {
	if _, tuple := left.(expression.Tuple); tuple || !isInteger(left.Type(ctx)) {
		return false
	}
	for _, e := range list {
		if t := e.Type(ctx); !isInteger(t) && t != types.Null || !engineCompares(ctx, left, e) {
			return false
		}
	}
	return true
}

// engineFinds reports whether the engine finds a value among rows as MySQL does: it goes by the type of the rows.
func engineFinds(ctx *gms.Context, left gms.Expression, q *gmsplan.Subquery) bool {
	lt, rt := left.Type(ctx), q.Type(ctx)
	if types.IsEnum(lt) || types.IsSet(lt) {
		return false
	}
	return types.TypesEqual(lt, rt) || types.IsSigned(lt) && types.IsSigned(rt) && lt.Promote() == rt.Promote()
}
