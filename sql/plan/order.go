package plan

import (
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

var int64Type = types.Int64

// inOrder reports whether the index yields rows in the order asked for, from the
// end if falling. Columns that have one value only take no part in the order.
func (r *Read) inOrder(ctx *gms.Context, conditions gms.SortConditions) (falling, ok bool) {
	if r.Access.Index.HasPrefixes() || len(conditions) == 0 {
		return false, false
	}
	fixed := r.fixed(ctx)
	falling = conditions[0].Order == gms.Descending
	next := 0
	for _, c := range conditions {
		field, isField := c.Expr.(*expression.GetField)
		if !isField {
			return false, false
		}
		pos := r.position(field.Name())
		if slices.Contains(fixed, pos) {
			continue
		}
		for next < len(r.Access.Index.Columns) && slices.Contains(fixed, r.Access.Index.Columns[next]) {
			next++
		}
		if next == len(r.Access.Index.Columns) || r.Access.Index.Columns[next] != pos {
			return false, false
		}
		if (c.Order == gms.Descending) != falling {
			return false, false
		}
		next++
	}
	return falling, true
}

func (r *Read) position(column string) int {
	return slices.IndexFunc(r.Table.Descriptor().Schema.Schema, func(c *gms.Column) bool { return strings.EqualFold(c.Name, column) })
}

// fixed are the positions of columns that the filter holds to one value.
func (r *Read) fixed(ctx *gms.Context) []int {
	if r.Filter == nil {
		return nil
	}
	var out []int
	for _, part := range expression.SplitConjunction(ctx, r.Filter) {
		eq, ok := part.(*expression.Equals)
		if !ok {
			continue
		}
		field, isField := eq.Left().(*expression.GetField)
		_, literal := eq.Right().(*expression.Literal)
		if isField && literal {
			out = append(out, r.position(field.Name()))
		}
	}
	return out
}

// plain reports whether expressions only look at their row, so that they may be
// evaluated by a read.
func plain(ctx *gms.Context, list []gms.Expression) bool {
	for _, e := range list {
		bad := false
		transform.InspectExpr(ctx, e, func(_ *gms.Context, e gms.Expression) bool {
			switch e.(type) {
			case gms.Aggregation, gms.WindowAggregation, *gmsplan.Subquery, gms.RowIterExpression:
				bad = true
			}
			return bad
		})
		if bad {
			return false
		}
	}
	return true
}
