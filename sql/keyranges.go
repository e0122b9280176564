package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/legacy"
)

// The bounds of what the engine makes ranges of; a condition beyond them is looked at
// for each row instead.
const (
	rangesMost   = 20_000 // of several lists: their product
	excludedMost = 1000   // values of NOT IN: it takes their square
	tuplesMost   = 4000   // pairs and more of IN: the same
)

// keyRanges is asked by the engine for each condition of which it may make ranges of an
// index, the whole first. It makes numbers of texts while it plans, and of two lists as
// many ranges as they have pairs.
type keyRanges struct{}

var _ gms.ExpressionTreeFilter = keyRanges{}

// Next implements gms.ExpressionTreeFilter.
func (keyRanges) Next(e gms.Expression) gms.Expression {
	e = nearRange(e)
	switch e.(type) {
	case *expression.And, *expression.Or, *expression.Not:
		return fewRanges(e)
	case *expression.Between, *expression.InTuple, *expression.HashInTuple, expression.Comparer:
	default:
		return e
	}
	children := e.Children()
	c := conversionOfKeys(children)
	if c == nil {
		return e
	}
	out, changed := c.all(nil, children, 0, all, func(e gms.Expression) bool { _, is := e.(*expression.Literal); return is })
	if !changed {
		return e
	}
	made, err := e.WithChildren(nil, out...)
	if err != nil {
		return e
	}
	return made
}

// conversionOfKeys is what is made of constants that are compared with a column.
func conversionOfKeys(list []gms.Expression) conversion {
	for _, e := range list {
		if f, ok := e.(*expression.GetField); ok {
			if t := f.Type(nil); types.IsNumber(t) {
				return legacy.Number
			} else if c := conversionTo(t); c != nil {
				return c
			}
		}
	}
	return nil
}

// fewRanges is a condition of which the engine makes no more ranges than it can in time.
func fewRanges(e gms.Expression) gms.Expression {
	if or, is := e.(*expression.Or); is { // a list of tuples has become one
		if len(expression.SplitDisjunction(or)) > tuplesMost {
			return &apart{e}
		}
		return e
	}
	if not, is := e.(*expression.Not); is {
		if n, _ := listed(not.Child); n > excludedMost {
			return &apart{e}
		}
		return e
	}
	parts := expression.SplitConjunction(nil, e)
	product, changed := 1, false
	for i, part := range parts {
		n, tuples := listed(part)
		switch {
		case n <= 1:
			continue
		case tuples && n > tuplesMost, product > 1 && n > rangesMost/product:
			parts[i], changed = &apart{part}, true
		default:
			product *= n
		}
	}
	if !changed {
		return e
	}
	return expression.JoinAnd(parts...)
}

// listed is how many values stand behind an IN, and whether they are tuples; 0: it is none.
func listed(e gms.Expression) (n int, tuples bool) {
	var left, right gms.Expression
	switch e := e.(type) {
	case *expression.InTuple:
		left, right = e.Left(), e.Right()
	case *expression.HashInTuple:
		left, right = e.Left(), e.Right()
	default:
		return 0, false
	}
	list, _ := right.(expression.Tuple)
	_, tuples = left.(expression.Tuple)
	return len(list), tuples
}

// apart is a condition of which no ranges are made.
type apart struct{ gms.Expression }

var _ gms.CollationCoercible = (*apart)(nil)

// CollationCoercibility implements gms.CollationCoercible.
func (a *apart) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, a.Expression)
}

// WithChildren implements gms.Expression.
func (a *apart) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	e, err := a.Expression.WithChildren(ctx, children...)
	return &apart{e}, err
}
