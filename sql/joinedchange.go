package sql

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"isochron/sql/plan"
)

// An UPDATE or DELETE of joined tables that changes a row while it still joins finds, for the next match, the row as
// it has become, or none. So all rows are joined before one is changed.

// withoutPlan is a node of a statement without a round plan, if we carry it out; nil: the engine does.
func (b *builder) withoutPlan(ctx *gms.Context, n gms.Node, row gms.Row) (gms.RowIter, error) {
	if iter, err := b.top(ctx, n, row); iter != nil || err != nil {
		return iter, err
	}
	return b.joinedChange(ctx, n, row)
}

// joinedChange is such a node with its joined rows drawn at once; nil: it is another node.
func (b *builder) joinedChange(ctx *gms.Context, n gms.Node, row gms.Row) (gms.RowIter, error) {
	var child gms.Node
	var cut func([]gms.Row) []gms.Row
	switch n := n.(type) {
	case *gmsplan.UpdateSource:
		child = n.Child
	case *gmsplan.DeleteFrom:
		if child = n.Child; len(n.Returning) == 0 {
			targets := placesOf(ctx, n)
			cut = func(rows []gms.Row) []gms.Row { return eachTarget(rows, targets, len(child.Schema(ctx))) }
		}
	}
	if _, drawn := child.(*plan.Rows); child == nil || drawn || !joins(ctx, child) {
		return nil, nil
	}
	iter, err := b.g.engine.Analyzer.ExecBuilder.Build(ctx, child, row)
	if err != nil {
		return nil, err
	}
	made, err := n.WithChildren(ctx, plan.NewRows(child, &drawnFirst{from: iter, cut: cut}))
	if err != nil {
		return nil, errors.Join(err, iter.Close(ctx))
	}
	return b.g.engine.Analyzer.ExecBuilder.Build(ctx, made, row)
}

func joins(ctx *gms.Context, n gms.Node) (is bool) {
	transform.InspectWithOpaque(ctx, n, func(_ *gms.Context, n gms.Node) bool {
		_, join := n.(*gmsplan.JoinNode)
		is = is || join
		return !is
	})
	return is
}

// placed is where the columns of a table stand in a joined row.
type placed struct{ from, to int }

// placesOf are those of the tables that a DELETE deletes from.
func placesOf(ctx *gms.Context, n *gmsplan.DeleteFrom) (out []placed) {
	schema := n.Child.Schema(ctx)
	for _, target := range n.GetDeleteTargets() {
		name := ""
		transform.InspectWithOpaque(ctx, target, func(_ *gms.Context, n gms.Node) bool {
			if named, ok := n.(gms.Nameable); ok && name == "" {
				name = named.Name()
			}
			return name == ""
		})
		is := func(c *gms.Column) bool { return strings.EqualFold(c.Source, name) }
		from := slices.IndexFunc(schema, is)
		to := from
		for to >= 0 && to < len(schema) && is(schema[to]) {
			to++
		}
		if from >= 0 {
			out = append(out, placed{from, to})
		}
	}
	return out
}

// eachTarget makes, of joined rows, one for each row that is to be deleted, with NULL for all others; width is that
// of a joined row, behind what stands around it.
func eachTarget(rows []gms.Row, targets []placed, width int) (out []gms.Row) {
	taken := map[string]bool{}
	for _, row := range rows {
		for i, p := range targets {
			before := len(row) - width
			part := row[before+p.from : before+p.to]
			if allNull(part) { // of an outer join
				continue
			}
			key := rowText(i, part)
			if taken[key] {
				continue
			}
			taken[key] = true
			alone := make(gms.Row, len(row))
			copy(alone[before+p.from:], part)
			out = append(out, alone)
		}
	}
	return out
}

// rowText distinguishes the rows of a table.
func rowText(table int, row gms.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", table)
	for _, v := range row {
		if d, ok := v.(fmt.Stringer); ok {
			fmt.Fprintf(&b, "|%s", d)
		} else {
			fmt.Fprintf(&b, "|%#v", v)
		}
	}
	return b.String()
}

func allNull(row gms.Row) bool {
	return !slices.ContainsFunc(row, func(v any) bool { return v != nil })
}

// drawnFirst draws all rows before it yields one.
type drawnFirst struct {
	from  gms.RowIter
	cut   func([]gms.Row) []gms.Row
	rows  []gms.Row
	drawn bool
}

// Next implements gms.RowIter.
func (d *drawnFirst) Next(ctx *gms.Context) (gms.Row, error) {
	for !d.drawn {
		row, err := d.from.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			d.drawn = true
			if d.cut != nil {
				d.rows = d.cut(d.rows)
			}
		case err != nil:
			return nil, err
		default:
			d.rows = append(d.rows, row.Copy())
		}
	}
	if len(d.rows) == 0 {
		return nil, io.EOF
	}
	row := d.rows[0]
	d.rows = d.rows[1:]
	return row, nil
}

// Close implements gms.Closer.
func (d *drawnFirst) Close(ctx *gms.Context) error { return d.from.Close(ctx) }
