package plan

import (
	"cmp"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"isochron/sql/catalog"
	"isochron/sql/rowcodec"
	"isochron/sql/table"
	"isochron/txn"
)

// heldRows are the rows that a filter identifies: for each it fixes all columns of the primary key to one value and has no
// other condition. Then the keys are the filter.
type heldRows struct {
	desc *catalog.Descriptor
	rows [][]*expression.Literal // the values of each row, in the order of the key's columns
}

// heldRowsMax bounds the rows that a filter may name so.
const heldRowsMax = 64

// heldRow is such a row.
type heldRow struct {
	key   txn.Key
	texts []heldText
}

// heldText is the text to which the filter fixes a column. Equal keys mean only that the row's text is equal under its
// collation: a row with a different text is left to the engine, which compares.
type heldText struct {
	pos  int
	text string
}

// hasTexts reports whether a row has just these texts.
func hasTexts(row gms.Row, texts []heldText) bool {
	return !slices.ContainsFunc(texts, func(t heldText) bool {
		s, ok := row[t.pos].(string)
		return !ok || s != t.text
	})
}

// heldOf are the rows that an UPDATE or DELETE is held to; nil: it reads otherwise, or not rows of its
// own alone.
func heldOf(p *Prepared) *heldRows {
	switch p.Root.(type) {
	case *gmsplan.Update, *gmsplan.DeleteFrom:
	default:
		return nil
	}
	r := p.Plan.Read
	if p.whole || r.Project != nil || r.Limit >= 0 || r.Offset > 0 || r.Table.Mode() != (table.Mode{}) {
		return nil
	}
	return rowsHeld(r)
}

// rowsHeld reads the filter of a read by primary key; nil if it names no rows so.
func rowsHeld(r *Read) *heldRows {
	h := &heldRows{desc: r.Table.Descriptor()}
	d := h.desc
	if r.Filter == nil || !r.Access.Index.Primary || d.Keyless() || slices.ContainsFunc(d.Divides(), func(pos int) bool { return !slices.Contains(d.Primary.Columns, pos) }) {
		return nil
	}
	for _, pos := range d.Primary.Columns {
		if !isKind(d, pos, rowcodec.KindInt, rowcodec.KindUint, rowcodec.KindText) {
			return nil
		}
	}
	for _, one := range splitOr(r.Filter) {
		if !h.take(r, splitAnd(one)) {
			return nil
		}
	}
	return h
}

// take takes in the conditions on one row, or on one for each value of an IN.
func (h *heldRows) take(r *Read, parts []gms.Expression) bool {
	columns := h.desc.Primary.Columns
	held := make([][]*expression.Literal, len(columns))
	several := 0
	for _, part := range parts {
		left, values := comparedTo(part)
		i := -1
		if left != nil {
			i = slices.Index(columns, r.position(left.Name()))
		}
		if i < 0 || held[i] != nil || len(values) == 0 {
			return false
		}
		if held[i] = values; len(values) > 1 {
			several++
		}
	}
	if several > 1 {
		return false
	}
	n := 1
	for _, values := range held {
		if len(values) == 0 {
			return false
		}
		n = max(n, len(values))
	}
	if len(h.rows)+n > heldRowsMax {
		return false
	}
	for i := range n {
		row := make([]*expression.Literal, len(columns))
		for c, values := range held {
			row[c] = values[min(i, len(values)-1)]
		}
		h.rows = append(h.rows, row)
	}
	return true
}

// lister is an IN by rules that are not the engine's.
type lister interface {
	// Listed is it as the engine has it.
	Listed() *expression.InTuple
	// Unhashed is it with nothing kept between executions.
	Unhashed() gms.Expression
}

// comparedTo reads column = value and column IN (values); else it gives nil.
func comparedTo(e gms.Expression) (column *expression.GetField, values []*expression.Literal) {
	if in, ok := e.(lister); ok {
		e = in.Listed()
	}
	switch e := e.(type) {
	case *expression.Equals:
		column, _ = e.Left().(*expression.GetField)
		if lit, ok := e.Right().(*expression.Literal); ok {
			values = append(values, lit)
		}
	case *expression.InTuple:
		column, _ = e.Left().(*expression.GetField)
		list, _ := e.Right().(expression.Tuple)
		for _, v := range list {
			lit, ok := v.(*expression.Literal)
			if !ok {
				return nil, nil
			}
			values = append(values, lit)
		}
	}
	return column, values
}

// splitAnd lists what a filter asks for.
func splitAnd(e gms.Expression) []gms.Expression {
	if and, ok := e.(*expression.And); ok {
		return append(splitAnd(and.LeftChild), splitAnd(and.RightChild)...)
	}
	return []gms.Expression{e}
}

// splitOr lists what a filter is content with.
func splitOr(e gms.Expression) []gms.Expression {
	if or, ok := e.(*expression.Or); ok {
		return append(splitOr(or.LeftChild), splitOr(or.RightChild)...)
	}
	return []gms.Expression{e}
}

// numbers reports whether one row is named, by whole numbers alone.
func (h *heldRows) numbers() bool {
	return len(h.rows) == 1 && !slices.ContainsFunc(h.desc.Primary.Columns, func(pos int) bool { return !isNumber(h.desc, pos) })
}

// named are the rows by the values that the literals have now, in the order of their keys and each
// once; ok is false if the values are for the engine.
func (h *heldRows) named(ctx *gms.Context) (out []heldRow, ok bool) {
	for _, values := range h.rows {
		row, one := make(gms.Row, len(h.desc.Schema.Schema)), heldRow{}
		for i, pos := range h.desc.Primary.Columns {
			v, err := comparable(ctx, h.desc.Schema.Schema[pos].Type, values[i])
			if err != nil {
				return nil, false
			}
			if text, isText := values[i].Val.(string); isText {
				one.texts = append(one.texts, heldText{pos, text})
			}
			row[pos] = v
		}
		var err error
		if one.key, err = h.desc.RowKey(row, nil); err != nil {
			return nil, false
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b heldRow) int { return cmp.Compare(a.key, b.key) })
	for i := 1; i < len(out); i++ {
		if out[i].key == out[i-1].key && !slices.Equal(out[i].texts, out[i-1].texts) {
			return nil, false // texts that are alike: a row may be either
		}
	}
	return slices.CompactFunc(out, func(a, b heldRow) bool { return a.key == b.key }), true
}

// unhashed puts IN by comparison in the place of IN by hash, which has the values of one execution
// baked in, in the filters of an UPDATE or DELETE.
func unhashed(ctx *gms.Context, root gms.Node) {
	switch root.(type) {
	case *gmsplan.Update, *gmsplan.DeleteFrom:
	default:
		return
	}
	transform.Inspect(root, func(n gms.Node) bool {
		f, ok := n.(*gmsplan.Filter)
		if !ok {
			return true
		}
		plainIn := func(_ *gms.Context, e gms.Expression) (gms.Expression, transform.TreeIdentity, error) {
			if in, ok := e.(lister); ok {
				return in.Unhashed(), transform.NewTree, nil
			}
			if in, ok := e.(*expression.HashInTuple); ok {
				return expression.NewInTuple(in.Left(), in.Right()), transform.NewTree, nil
			}
			return e, transform.SameTree, nil
		}
		if e, same, err := transform.Expr(ctx, f.Expression, plainIn); err == nil && !bool(same) {
			f.Expression = e
		}
		return true
	})
}

func isKind(d *catalog.Descriptor, pos int, kinds ...rowcodec.Kind) bool {
	k, err := rowcodec.KindOf(d.Schema.Schema[pos].Type)
	return err == nil && slices.Contains(kinds, k)
}
