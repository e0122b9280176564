package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"isochron/sql/comparing"
)

// nearRange is a condition of which ranges of a key may be made, by values of the key's own type: it holds for
// each row for which the one that is given holds, which is asked again of each row.
func nearRange(e gms.Expression) gms.Expression {
	switch e := e.(type) {
	case *expression.Not:
		if e.Child != nearRange(e.Child) {
			return &apart{e}
		}
	case *expression.Between:
		low, high := expression.NewGreaterThanOrEqual(e.Val, e.Lower), expression.NewLessThanOrEqual(e.Val, e.Upper)
		l, h := nearRange(low), nearRange(high)
		if l != low || h != high {
			return expression.NewAnd(l, h)
		}
	case *expression.InTuple:
		return nearList(e, e.Left(), e.Right())
	case *expression.HashInTuple:
		return nearList(e, e.Left(), e.Right())
	case *expression.Equals, *expression.NullSafeEquals, *expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan, *expression.GreaterThanOrEqual:
		c := e.(expression.Comparer)
		if field, ok := c.Left().(*expression.GetField); ok {
			return nearComparison(c, field, c.Right(), false)
		}
		if field, ok := c.Right().(*expression.GetField); ok {
			return nearComparison(c, field, c.Left(), true)
		}
	}
	return e
}

// constantOf is the value of a literal.
func constantOf(e gms.Expression) any {
	if lit, ok := e.(*expression.Literal); ok {
		return lit.Val
	}
	return nil
}

func isConstant(e gms.Expression) bool { return !hasColumn(nil, e) }

// nearComparison is that of one comparison; turned says that the column stands at its right.
func nearComparison(e expression.Comparer, field *expression.GetField, by gms.Expression, turned bool) gms.Expression {
	t := field.Type(nil)
	if !isConstant(by) {
		return e
	}
	by = yearBeside(nil, field, by)
	use := useOfConstant(t, by.Type(nil), constantOf(by))
	ordered := keysOrdered(t, by.Type(nil))
	_, equal := e.(*expression.Equals)
	if use == comparing.AsIs && (equal || ordered) {
		return e
	}
	lit, ok := by.(*expression.Literal)
	if !ok || use != comparing.Nearest || !equal && !ordered {
		return &apart{e}
	}
	near, exact, found := nearestOf(emptyContext, t, lit.Typ, lit.Val)
	value := expression.NewLiteral(near, t)
	switch e.(type) {
	case *expression.Equals:
		if !found || !exact {
			return expression.NewEquals(field, expression.NewLiteral(nil, t))
		}
		return expression.NewEquals(field, value)
	case *expression.NullSafeEquals:
		return &apart{e}
	}
	if !found {
		return &apart{e}
	}
	_, less := e.(*expression.LessThan)
	_, lessOrEqual := e.(*expression.LessThanOrEqual)
	if (less || lessOrEqual) != turned {
		return expression.NewLessThanOrEqual(field, value)
	}
	return expression.NewGreaterThanOrEqual(field, value)
}

// nearList is that of IN.
func nearList(e, left, right gms.Expression) gms.Expression {
	field, ok := left.(*expression.GetField)
	list, isList := right.(expression.Tuple)
	if !ok || !isList {
		return e
	}
	t, changed := field.Type(nil), false
	var out expression.Tuple
	for _, by := range list {
		if !isConstant(by) {
			return &apart{e}
		}
		by = yearBeside(nil, field, by)
		switch use := useOfConstant(t, by.Type(nil), constantOf(by)); use {
		case comparing.AsIs:
			out = append(out, by)
		case comparing.Nearest:
			lit, ok := by.(*expression.Literal)
			if !ok {
				return &apart{e}
			}
			changed = true
			if near, exact, found := nearestOf(emptyContext, t, lit.Typ, lit.Val); found && exact {
				out = append(out, expression.NewLiteral(near, t))
			}
		default:
			return &apart{e}
		}
	}
	switch {
	case !changed:
		return e
	case len(out) == 0:
		return expression.NewEquals(field, expression.NewLiteral(nil, t))
	}
	return expression.NewInTuple(field, out)
}

// emptyContext is for what needs nothing of a session.
var emptyContext = gms.NewEmptyContext()
