package sql

import (
	"bytes"
	"encoding/hex"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// The engine takes texts for the same by their bytes in DISTINCT, COUNT(DISTINCT) and UNION. Here
// they are the same if their collation says so: rows are distinguished by the weights of
// their texts.

// weighedNode is a part of a plan that leaves out rows that are the same; n itself if it does not
// compare texts whose collation takes two for one.
func weighedNode(ctx *gms.Context, n gms.Node) (gms.Node, transform.TreeIdentity) {
	switch n := n.(type) {
	case *gmsplan.Distinct:
		if on := weighedRow(ctx, n.Child); on != nil && len(n.DistinctOn()) == 0 {
			return gmsplan.NewDistinct(n.Child, on...), transform.NewTree
		}
	case *gmsplan.SetOp:
		if n.SetOpType != gmsplan.UnionType || !n.Distinct || len(n.SortConditions) > 0 || n.Limit != nil || n.Offset != nil {
			break // the order and the limit are of what is left
		}
		if on := weighedRow(ctx, n); on != nil {
			all := *n
			all.Distinct = false
			return gmsplan.NewDistinct(&all, on...), transform.NewTree
		}
	}
	return n, transform.SameTree
}

// weighedRow is what distinguishes rows of a node; nil: their bytes do.
func weighedRow(ctx *gms.Context, n gms.Node) []gms.Expression {
	var on []gms.Expression
	changed := false
	for i, c := range n.Schema(ctx) {
		e := weighed(ctx, expression.NewGetField(i, c.Type, c.Name, c.Nullable))
		_, is := e.(*weight)
		on, changed = append(on, e), changed || is
	}
	if !changed {
		return nil
	}
	return on
}

// weighedCount is a COUNT(DISTINCT) that counts texts by their collation.
func weighedCount(ctx *gms.Context, e *aggregation.CountDistinct) (gms.Expression, transform.TreeIdentity, error) {
	children, changed := e.Children(), false
	out := make([]gms.Expression, len(children))
	for i, c := range children {
		out[i] = weighed(ctx, c)
		if types.IsBinaryType(c.Type(ctx)) {
			out[i] = &weight{c, gms.Collation_binary} // the engine takes them for texts
		}
		changed = changed || out[i] != c
	}
	if !changed {
		return e, transform.SameTree, nil
	}
	made, err := e.WithChildren(ctx, out...)
	return made, transform.NewTree, err
}

// weighed is the weight of an expression's text; the expression itself if its bytes tell it apart.
func weighed(ctx *gms.Context, e gms.Expression) gms.Expression {
	t, ok := e.Type(ctx).(gms.StringType)
	if !ok || !types.IsText(t) || types.IsBinaryType(t) {
		return e
	}
	if _, done := e.(*weight); done {
		return e
	}
	if c := t.Collation(); c.Sorter() != nil && !strings.HasSuffix(c.Name(), "bin") && !strings.HasSuffix(c.Name(), "binary") {
		return &weight{e, c}
	}
	return e
}

// weight is what a collation compares of a text.
type weight struct {
	gms.Expression
	of gms.CollationID
}

var _ gms.CollationCoercible = (*weight)(nil)

// Eval implements gms.Expression.
func (w *weight) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	v, err := w.Expression.Eval(ctx, row)
	if err == nil {
		v, err = gms.UnwrapAny(ctx, v)
	}
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	text, ok := v.(string)
	if err != nil || !ok {
		return v, err
	}
	if w.of.Collation().PadAttribute == "PAD SPACE" {
		text = strings.TrimRight(text, " ")
	}
	var b bytes.Buffer
	err = w.of.WriteWeightString(&b, text)
	return hex.EncodeToString(b.Bytes()), err
}

// Type implements gms.Expression.
func (*weight) Type(*gms.Context) gms.Type { return types.LongText }

// CollationCoercibility implements gms.CollationCoercible.
func (*weight) CollationCoercibility(*gms.Context) (gms.CollationID, byte) {
	return gms.Collation_utf8mb4_bin, 2
}

// WithChildren implements gms.Expression.
func (w *weight) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	e, err := w.Expression.WithChildren(ctx, children...)
	return &weight{e, w.of}, err
}
