package sql

import (
	"strconv"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/plan"
)

// direct is a plan into which values of these kinds can go without being made
// expressions first.
type direct struct {
	plan  *plan.Direct
	of    *variant
	texts []bool // which parameters are texts; the others are whole numbers
}

// newDirect makes one of the values for which a variant was compiled; nil if that
// cannot be.
func newDirect(v *variant, r *request) *direct {
	d := &direct{plan: v.plan.Direct(), of: v}
	given := r.given([]any{})
	if d.plan == nil || given == nil {
		return nil
	}
	for _, v := range given {
		_, isText := v.(string)
		d.texts = append(d.texts, isText)
	}
	return d
}

// directly is the execution of a request that goes directly; nil if it must not.
func (t *text) directly(ctx *gms.Context, r *request) (*variant, *plan.PointUpdate) {
	d := t.direct
	if d == nil {
		return nil, nil
	}
	var room [8]any
	given := r.given(room[:0])
	if given == nil || len(given) != len(d.texts) {
		return nil, nil
	}
	for i, v := range given {
		if _, isText := v.(string); isText != d.texts[i] {
			return nil, nil
		}
	}
	return d.of, d.plan.Update(ctx, given)
}

// appendGiven appends values of a text; nil if one is neither a whole number nor a
// string.
func appendGiven(into []any, values []sqlparser.Expr) []any {
	for _, e := range values {
		v, ok := e.(*sqlparser.SQLVal)
		switch {
		case ok && v.Type == sqlparser.IntVal:
			into = appendInteger(into, v.Val)
		case ok && v.Type == sqlparser.StrVal:
			into = append(into, string(v.Val))
		default:
			return nil
		}
		if into == nil {
			return nil
		}
	}
	return into
}

// appendInteger appends a whole number; nil if it is beyond those of int64.
func appendInteger(into []any, digits []byte) []any {
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return nil
	}
	return append(into, n)
}

// paramNames are those of the first parameters: each execution asks for them.
var paramNames = func() (names [64]string) {
	for i := range names {
		names[i] = plan.ParamName(i)
	}
	return names
}()

// paramName is what the wire library calls a parameter.
func paramName(i int) string {
	if i < len(paramNames) {
		return paramNames[i]
	}
	return plan.ParamName(i)
}
