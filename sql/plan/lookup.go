package plan

import (
	"errors"
	"io"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"

	"isochron/sql/legacy/enginetable"
	"isochron/sql/table"
)

// LookupBatch is the number of rows of its left side that a lookup join looks up in one round.
const LookupBatch = 512

// LookupJoin is a join whose right side is looked up by the rows of its left.
// The engine does it row by row; here the rows of the left side are drawn in
// batches, and what all of a batch will look up is read in one round, or two,
// before the engine sees the first. Its own lookups then find everything read.
type LookupJoin struct {
	Node  *gmsplan.JoinNode
	Table *enginetable.Table
	right *gmsplan.IndexedTableAccess
}

// FindLookupJoin recognises one, or gives nil.
func FindLookupJoin(n *gmsplan.JoinNode) *LookupJoin {
	if _, ready := n.Left().(*Rows); ready || !n.Op.IsLookup() {
		return nil
	}
	for right := n.Right(); ; {
		switch r := right.(type) {
		case *gmsplan.Filter:
			right = r.Child
		case *gmsplan.TableAlias:
			right = r.Child
		case *gmsplan.Project:
			right = r.Child
		case *gmsplan.IndexedTableAccess:
			t, ok := gms.GetUnderlyingTable(r.UnderlyingTable()).(*enginetable.Table)
			if !ok || r.IsStatic() {
				return nil
			}
			return &LookupJoin{Node: n, Table: t, right: r}
		default:
			return nil
		}
	}
}

// Right is the table access that is looked up.
func (j *LookupJoin) Right() gms.Node { return j.right }

// Prepare returns the join with its left side read in batches; outer is the row of the nodes around the join.
func (j *LookupJoin) Prepare(ctx *gms.Context, left gms.RowIter, outer gms.Row) (gms.Node, error) {
	rows := &batches{from: left, before: func(ctx *gms.Context, batch []gms.Row) error { return j.ask(ctx, batch, outer) }}
	return j.Node.WithChildren(ctx, &Rows{Node: j.Node.Left(), iter: rows}, j.Node.Right())
}

// ask reads all that the rows of a batch will look up.
func (j *LookupJoin) ask(ctx *gms.Context, batch []gms.Row, outer gms.Row) error {
	width := len(j.Node.Left().Schema(ctx))
	var all *table.Access
	for _, row := range batch {
		full := append(outer[:len(outer):len(outer)], row[len(row)-width:]...)
		lookup, inRange, err := j.right.GetLookup(ctx, full)
		if err != nil {
			return err
		}
		if !inRange {
			continue
		}
		a, err := enginetable.ForLookup(ctx, j.Table.Descriptor(), lookup)
		if err != nil {
			return err
		}
		if all == nil {
			all = a
		} else {
			all.Add(a)
		}
	}
	if all == nil {
		return nil
	}
	_, err := j.Table.Read(ctx, all)
	return err
}

// batches draws rows some at a time.
type batches struct {
	from   gms.RowIter
	before func(*gms.Context, []gms.Row) error
	rows   []gms.Row
	end    bool
}

// Next implements gms.RowIter.
func (b *batches) Next(ctx *gms.Context) (gms.Row, error) {
	if len(b.rows) == 0 && !b.end {
		if err := b.draw(ctx); err != nil {
			return nil, err
		}
	}
	if len(b.rows) == 0 {
		return nil, io.EOF
	}
	row := b.rows[0]
	b.rows = b.rows[1:]
	return row, nil
}

func (b *batches) draw(ctx *gms.Context) error {
	b.rows = nil
	for len(b.rows) < LookupBatch {
		row, err := b.from.Next(ctx)
		if errors.Is(err, io.EOF) {
			b.end = true
			break
		}
		if err != nil {
			return err
		}
		b.rows = append(b.rows, row)
	}
	if len(b.rows) == 0 {
		return nil
	}
	return b.before(ctx, b.rows)
}

// Close implements gms.Closer.
func (b *batches) Close(ctx *gms.Context) error { return b.from.Close(ctx) }
