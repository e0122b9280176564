package sql

import (
	"regexp/syntax"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/legacy"
)

// One evaluation of an expression cannot be cut short. Where the engine's takes time
// that grows faster than what it is given, a plan gets another in its place before it is
// executed: LIKE (like.go), REGEXP, and whatever makes decimal numbers or moments of texts.

// withinBounds is a plan with such expressions replaced, the same plan if it has none.
func withinBounds(ctx *gms.Context, n gms.Node) (gms.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(ctx, n, func(ctx *gms.Context, n gms.Node) (gms.Node, transform.TreeIdentity, error) {
		return transform.OneNodeExprsWithNode(ctx, n, func(ctx *gms.Context, _ gms.Node, e gms.Expression) (gms.Expression, transform.TreeIdentity, error) {
			return boundExpression(ctx, e)
		})
	})
}

func boundExpression(ctx *gms.Context, e gms.Expression) (gms.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.Like:
		return &like{Like: e}, transform.NewTree, nil
	case *function.RegexpLike:
		return &growing{Expression: e, name: "regexp_like", check: checkRegexp}, transform.NewTree, nil
	case *gmsplan.Subquery:
		inner, same, err := withinBounds(ctx, e.Query)
		if err != nil || same == transform.SameTree {
			return e, transform.SameTree, err
		}
		return e.WithQuery(inner), transform.NewTree, nil
	}
	c, from, to := conversionBy(ctx, e)
	if c == nil {
		return e, transform.SameTree, nil
	}
	out, changed := c.all(ctx, e.Children(), from, to, func(gms.Expression) bool { return true })
	if !changed {
		return e, transform.SameTree, nil
	}
	made, err := e.WithChildren(ctx, out...)
	return made, transform.NewTree, err
}

// conversion cuts a value of which something else is to be made: legacy.Number or
// legacy.Moment.
type conversion func(any) any

// Functions that make numbers or moments of texts, or may; the last of their first
// argument alone.
var (
	numberFunctions = setOfWords(`abs avg bin ceil ceiling conv field floor format from_unixtime greatest least mod nullif oct pow power round
sec_to_time sign std stddev stddev_pop stddev_samp sum truncate var_pop var_samp variance`)
	momentFunctions = setOfWords(`adddate addtime convert_tz date date_add date_sub datediff datetime day dayname dayofmonth dayofweek
dayofyear extract hour last_day microsecond minute month monthname quarter second subdate subtime time time_to_sec timediff
timestamp timestampadd timestampdiff to_days to_seconds unix_timestamp week weekday weekofyear year yearweek`)
	momentFirst = setOfWords(`date_format time_format`)
)

func setOfWords(list string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields(list) {
		out[word] = true
	}
	return out
}

// all is as far as an expression has children.
const all = 1 << 30

// conversionBy is what an expression may make of texts that it is given, and of which of
// its children; nil: nothing that is costly.
func conversionBy(ctx *gms.Context, e gms.Expression) (c conversion, from, to int) {
	switch e := e.(type) {
	case *expression.Arithmetic:
		for _, child := range e.Children() {
			if _, is := child.(*expression.Interval); is {
				return legacy.Moment, 0, all
			}
		}
		return legacy.Number, 0, all
	case *expression.Div, *expression.IntDiv, *expression.Mod, *expression.UnaryMinus, *expression.BitOp:
		return legacy.Number, 0, all
	case *expression.Convert:
		return conversionTo(e.Type(ctx)), 0, all
	case *expression.SetField:
		return conversionTo(e.Type(ctx)), 1, all // behind the column
	case *expression.Between, *expression.InTuple, *expression.HashInTuple, *expression.Case, expression.Comparer:
		return conversionAmong(ctx, e.Children()), 0, all
	case gms.FunctionExpression:
		switch name := strings.ToLower(e.FunctionName()); {
		case numberFunctions[name]:
			return legacy.Number, 0, all
		case momentFunctions[name]:
			return legacy.Moment, 0, all
		case momentFirst[name]:
			return legacy.Moment, 0, 1
		}
	}
	return nil, 0, 0
}

// conversionTo is that to a type.
func conversionTo(t gms.Type) conversion {
	switch {
	case types.IsDecimal(t):
		return legacy.Number
	case types.IsTime(t) || types.IsTimespan(t):
		return legacy.Moment
	}
	return nil
}

// conversionAmong is that of what is compared with each other.
func conversionAmong(ctx *gms.Context, list []gms.Expression) (c conversion) {
	for _, e := range list {
		var one conversion
		if t, ok := e.(expression.Tuple); ok {
			one = conversionAmong(ctx, t)
		} else if e != nil {
			one = conversionTo(e.Type(ctx))
		}
		if one != nil {
			c = one
		}
	}
	return c
}

// all are expressions with those cut that are wanted, from a place on and up to another,
// and those of tuples.
func (c conversion) all(ctx *gms.Context, list []gms.Expression, from, to int, wanted func(gms.Expression) bool) (out []gms.Expression, changed bool) {
	out = append(out, list...)
	for i := from; i < min(to, len(out)); i++ {
		if t, ok := out[i].(expression.Tuple); ok {
			inner, other := c.all(ctx, t, 0, all, wanted)
			out[i], changed = expression.Tuple(inner), changed || other
			continue
		}
		if wanted(out[i]) {
			one := c.of(ctx, out[i])
			changed = changed || one != out[i]
			out[i] = one
		}
	}
	return out, changed
}

// of is an expression that gives what is cut, the same one if that needs no cut.
func (c conversion) of(ctx *gms.Context, e gms.Expression) gms.Expression {
	switch e := e.(type) {
	case nil, *cutText, *gmsplan.Subquery:
		return e
	case *expression.Literal:
		s, ok := e.Val.(string)
		if !ok {
			return e
		}
		if v := c(s); v != s {
			return expression.NewLiteral(v, e.Typ)
		}
		return e
	case *gms.ColumnDefaultValue, *expression.Wrapper, *expression.Interval, *expression.Star:
		return e
	}
	if t := e.Type(ctx); types.IsText(t) || types.IsJSON(t) || types.IsDeferredType(t) {
		return &cutText{e, c}
	}
	return e
}

// cutText is a text of which something else is made.
type cutText struct {
	gms.Expression
	to conversion
}

var _ gms.CollationCoercible = (*cutText)(nil)

// Eval implements gms.Expression.
func (d *cutText) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	v, err := d.Expression.Eval(ctx, row)
	if err == nil {
		v, err = gms.UnwrapAny(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	return d.to(v), nil
}

// CollationCoercibility implements gms.CollationCoercible.
func (d *cutText) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, d.Expression)
}

// WithChildren implements gms.Expression.
func (d *cutText) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	e, err := d.Expression.WithChildren(ctx, children...)
	return &cutText{e, d.to}, err
}

// codeRegexpTime is MySQL's number for a match that takes too long.
const codeRegexpTime = 3699

// regexpMost bounds a text's length times the size of the program that a pattern is.
const regexpMost = 500_000_000

// checkRegexp refuses a match that could take long; each character of the text may be
// looked at once for each part of the pattern.
func checkRegexp(_ string, args []any) error {
	text, pattern := sizeAt(args, 0), textAt(args, 1)
	size := int64(len(pattern))
	if product(text, size) > regexpMost/1000 && strings.Contains(pattern, "{") { // which repeats a part up to a thousand times
		if p, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			if made, err := syntax.Compile(p.Simplify()); err == nil {
				size = max(size, int64(len(made.Inst)))
			}
		}
	}
	if product(text, size) > regexpMost {
		return mysql.NewSQLError(codeRegexpTime, "HY000", "Timeout exceeded in regular expression match: a text of %d bytes is too long for a pattern of this size. Match less of it, or with a shorter pattern", text)
	}
	return nil
}

// newSpace is SPACE(n), which the engine makes blank by blank, each time anew.
func newSpace() gms.Function {
	return bounded(gms.Function1{Name: "space", Fn: func(ctx *gms.Context, e gms.Expression) gms.Expression {
		return function.NewRepeat(ctx, expression.NewLiteral(" ", types.LongText), e)
	}})
}
