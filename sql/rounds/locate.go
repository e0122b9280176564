package rounds

import (
	"context"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/table"
	"isochron/txn"
)

// Rows are the rows that an UPDATE or DELETE changes.
type Rows struct {
	plan *Plan
	keys *expr.Program // of the order
}

// CompileRows compiles which rows are changed; also are columns that the change needs of them besides.
func CompileRows(c *expr.Context, q *bind.Query, also []int) (r *Rows, err error) {
	q.Lock = txn.LockExclusive // whole rows are read
	p := &Plan{Query: q}
	p.columns()
	p.Columns = append(p.Columns, also...)
	slices.Sort(p.Columns)
	p.Columns = slices.Compact(p.Columns)
	rows := p.rows()
	p.whole = true
	if q.Where != nil {
		if p.where, err = expr.Compile(c, rows, q.Where); err != nil {
			return nil, err
		}
		if err := p.split(c); err != nil {
			return nil, err
		}
	}
	r = &Rows{plan: p}
	if len(q.Order) > 0 {
		var list []sqlparser.Expr
		for _, o := range q.Order {
			list = append(list, o.Expr)
		}
		if r.keys, err = expr.Compile(c, rows, list...); err != nil {
			return nil, err
		}
		for i, o := range q.Order {
			p.order = append(p.order, exec.Key{At: i, Descending: o.Descending, Type: r.keys.Type(i)})
		}
	}
	return r, p.limits(c)
}

// Columns are the positions of the columns that are read, in the order of the values of a row.
func (r *Rows) Columns() []int { return r.plan.Columns }

// Scope are these columns, as expressions see them.
func (r *Rows) Scope() expr.Columns { return r.plan.rows() }

// Where is the filter; nil: all rows.
func (r *Rows) Where() *expr.Program { return r.plan.where }

// Begin readies the programs for an execution. Choose does it too.
func (r *Rows) Begin(c *expr.Context) error {
	r.plan.begin(c)
	if r.keys != nil {
		r.keys.Begin(c)
	}
	if r.plan.where != nil {
		return r.plan.where.Constants()
	}
	return nil
}

// Choose is the access to the rows, for the present values; nil: there are none. ordered: it has the statement's order;
// decided: it yields just the rows of the filter.
func (r *Rows) Choose(gctx *gms.Context, c *expr.Context) (a *table.Access, ordered, decided bool, err error) {
	p := r.plan
	if p.count != nil {
		p.count.Begin(c)
	}
	_, count, err := p.window()
	if err != nil || p.count != nil && count == 0 {
		return nil, false, false, err
	}
	if err := r.Begin(c); err != nil {
		return nil, false, false, err
	}
	choice, err := p.choose(gctx, 0, count)
	if err != nil || choice == nil {
		return nil, false, false, err
	}
	return choice.Access, choice.Ordered, choice.Decided, nil
}

// Pick returns the numbers of the rows of an access that the statement changes, in its order.
func (r *Rows) Pick(ctx context.Context, rows [][]expr.Value, ordered, decided bool, m exec.Memory) ([]int, error) {
	p := r.plan
	picked := make([]int, 0, len(rows))
	for i, row := range rows {
		if i%exec.BatchMax == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if p.where != nil && !decided {
			ok, err := p.where.True(row)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		picked = append(picked, i)
	}
	if r.keys != nil && !ordered {
		var err error
		if picked, err = r.sort(ctx, rows, picked, m); err != nil {
			return nil, err
		}
	}
	if p.count != nil {
		_, count, err := p.window()
		if err != nil {
			return nil, err
		}
		if count < uint64(len(picked)) {
			picked = picked[:count]
		}
	}
	return picked, nil
}

// sort sorts the numbers of rows by the keys of the order.
func (r *Rows) sort(ctx context.Context, rows [][]expr.Value, picked []int, m exec.Memory) ([]int, error) {
	keyed := make([][]expr.Value, len(picked))
	for at, i := range picked {
		row, err := r.keys.Run(rows[i], make([]expr.Value, 0, len(r.plan.order)+1))
		if err != nil {
			return nil, err
		}
		keyed[at] = append(row, expr.Int(int64(i)))
	}
	from := exec.Sort(exec.Rows(keyed), r.plan.order, 0, m)
	defer from.Close()
	out := make([]int, 0, len(picked))
	for {
		batch, err := from.Next(ctx)
		if err != nil || batch == nil {
			return out, err
		}
		for _, row := range batch {
			n, err := row[len(row)-1].ToInt64()
			if err != nil {
				return nil, err
			}
			out = append(out, int(n))
		}
	}
}
