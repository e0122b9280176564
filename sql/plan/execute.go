package plan

import (
	"io"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/table"
)

// Rows executes the read.
func (r *Read) Rows() gms.RowIter { return &readIter{r: r} }

type readIter struct {
	r    *Read
	rows []gms.Row
	read bool
}

// Next implements gms.RowIter.
func (i *readIter) Next(ctx *gms.Context) (gms.Row, error) {
	if !i.read {
		var err error
		if i.rows, err = i.r.fetch(ctx); err != nil {
			return nil, err
		}
		i.read = true
	}
	if len(i.rows) == 0 {
		return nil, io.EOF
	}
	row := i.rows[0]
	i.rows = i.rows[1:]
	if i.r.Project == nil {
		return row, nil
	}
	return project(ctx, i.r.Project, row)
}

// Close implements gms.Closer.
func (i *readIter) Close(*gms.Context) error { return nil }

func project(ctx *gms.Context, list []gms.Expression, row gms.Row) (gms.Row, error) {
	out := make(gms.Row, len(list))
	for i, e := range list {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// fetch reads, filters and cuts the rows.
func (r *Read) fetch(ctx *gms.Context) ([]gms.Row, error) {
	rows, err := r.pass(ctx, r.Access)
	if err != nil {
		return nil, err
	}
	if r.Limit >= 0 && r.Pushed && len(rows) < r.Limit+r.Offset && r.Filter != nil && r.cutShort {
		// The filter took rows that the ranges let through: read without a limit.
		whole := *r.Access
		whole.Limit = 0
		if rows, err = r.pass(ctx, &whole); err != nil {
			return nil, err
		}
	}
	rows = rows[min(r.Offset, len(rows)):]
	if r.Limit >= 0 && len(rows) > r.Limit {
		rows = rows[:r.Limit]
	}
	return rows, nil
}

func (r *Read) pass(ctx *gms.Context, a *table.Access) ([]gms.Row, error) {
	rows, err := r.Table.Read(ctx, a)
	if err != nil {
		return nil, err
	}
	r.cutShort = a.Limit > 0 && len(rows) >= a.Limit
	if r.Filter == nil {
		return rows, nil
	}
	out := rows[:0]
	for _, row := range rows {
		ok, err := gms.EvaluateCondition(ctx, r.Filter, row)
		if err != nil {
			return nil, err
		}
		if gms.IsTrue(ok) {
			out = append(out, row)
		}
	}
	return out, nil
}

// Rounds returns the number of rounds of the read, if it finds anything.
func (r *Read) Rounds(forWrite bool) int {
	m := r.Table.Mode()
	m.ForWrite = m.ForWrite || forWrite
	return r.Access.Rounds(m, r.Table.Columns())
}

// Prepare asks after all unique keys of the rows that the insertion has, and
// returns the insertion with its rows already evaluated.
func (i *Insert) Prepare(ctx *gms.Context, source gms.RowIter) (gms.Node, error) {
	rows, err := gms.RowIterToRows(ctx, source)
	if err != nil {
		return nil, err
	}
	if err := i.Table.Prefetch(ctx, rows, i.Owners); err != nil {
		return nil, err
	}
	n := *i.Node
	n.Source = &Rows{Node: i.Node.Source, iter: gms.RowsToRowIter(rows...)}
	return &n, nil
}

// Rows replaces a node whose rows come from elsewhere.
type Rows struct {
	gms.Node
	iter gms.RowIter
}

// NewRows replaces a node by an iterator's rows.
func NewRows(n gms.Node, iter gms.RowIter) *Rows { return &Rows{Node: n, iter: iter} }

// Iter yields the rows, once.
func (r *Rows) Iter() gms.RowIter { return r.iter }

// Children implements gms.Node: the replaced node remains visible.
func (r *Rows) Children() []gms.Node { return []gms.Node{r.Node} }
