package rounds

import (
	"context"
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/access"
	"isochron/sql/bind"
	"isochron/sql/comparing"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/table"
	"isochron/txn"
)

// Rows are the rows that an UPDATE or DELETE changes.
type Rows struct {
	uncounted bool // see Uncounted
	leaf      *leaf
	order     []exec.Key
	plain     []access.Order // the order, if it is as long and of columns alone
	keys      *expr.Program  // of the order
	count     *expr.Program  // nil: all
}

// CompileRows compiles which rows are changed; also are columns that the change needs of them besides.
func CompileRows(c *expr.Context, q *bind.Query, also []int) (r *Rows, err error) {
	q.Sources[0].Lock = txn.LockExclusive // whole rows are read
	columns := append(columnsOf(q.Sources[0], q.Expressions()), also...)
	slices.Sort(columns)
	r = &Rows{leaf: newLeaf(q.Sources[0], slices.Compact(columns))}
	if err := r.leaf.compile(c, q.Where); err != nil {
		return nil, err
	}
	if len(q.Order) > 0 {
		var list []sqlparser.Expr
		for _, o := range q.Order {
			list = append(list, o.Expr)
		}
		if r.keys, err = expr.Compile(c, r.Scope(), list...); err != nil {
			return nil, err
		}
		for i, o := range q.Order {
			r.order = append(r.order, exec.Key{At: i, Descending: o.Descending, Type: r.keys.Type(i)})
			if at, ok := r.leaf.column(o.Expr); ok && len(r.plain) == i {
				r.plain = append(r.plain, access.Order{Column: at, Descending: o.Descending})
			}
		}
	}
	if q.Count != nil {
		r.count, err = expr.Compile(c, expr.Columns{}, q.Count)
	}
	return r, err
}

// Columns are the positions of the columns that are read, in the order of the values of a row.
func (r *Rows) Columns() []int { return r.leaf.columns }

// Scope are these columns, as expressions see them.
func (r *Rows) Scope() expr.Columns { return r.leaf.layout().columns() }

// Where is the filter; nil: all rows.
func (r *Rows) Where() *expr.Program { return r.leaf.where }

// Uncounted has Pick return rows beyond the statement's LIMIT, for a statement that leaves some out: Count is for the caller.
func (r *Rows) Uncounted() { r.uncounted = true }

// Count is the LIMIT of a statement whose rows are Uncounted; false: it has none. Begin must have been called.
func (r *Rows) Count() (count uint64, limited bool, err error) {
	if r == nil || r.count == nil || !r.uncounted {
		return 0, false, nil
	}
	count, err = number(r.count)
	return count, true, err
}

// Begin readies the programs for an execution. Choose does it too.
func (r *Rows) Begin(c *expr.Context) error {
	r.leaf.begin(c)
	for _, p := range []*expr.Program{r.keys, r.count} {
		if p != nil {
			p.Begin(c)
		}
	}
	if r.leaf.where != nil {
		return r.leaf.where.Constants()
	}
	return nil
}

// Choose is the access to the rows, for the present values; nil: there are none. ordered: it has the statement's order;
// decided: it yields just the rows of the filter.
func (r *Rows) Choose(now comparing.Clock, c *expr.Context) (a *table.Access, ordered, decided bool, err error) {
	choice, err := r.choose(now, c)
	if err != nil || choice == nil {
		return nil, false, false, err
	}
	return choice.Access, choice.Ordered, choice.Decided, nil
}

// Step is the read of the rows for the present values.
func (r *Rows) Step(now comparing.Clock, c *expr.Context) (Step, error) {
	choice, err := r.choose(now, c)
	return Step{Source: r.leaf.source, Columns: r.leaf.columns, Changed: true, Choice: choice, leaf: r.leaf}, err
}

func (r *Rows) choose(now comparing.Clock, c *expr.Context) (*access.Choice, error) {
	if r.count != nil {
		r.count.Begin(c)
	}
	count, err := number(r.count)
	if err != nil || r.count != nil && count == 0 {
		return nil, err
	}
	if err := r.Begin(c); err != nil {
		return nil, err
	}
	w, err := r.leaf.wanted(&run{now: now, c: c})
	if err != nil || r.leaf.closed {
		return nil, err
	}
	if len(r.plain) == len(r.order) {
		w.Order = r.plain
		if r.count != nil && count <= maxTop && !r.uncounted {
			w.Limit = int(count)
		}
	}
	return access.Choose(now, r.leaf.source.Table, w)
}

// Pick returns the numbers of the rows of an access that the statement changes, in its order.
func (r *Rows) Pick(ctx context.Context, rows [][]expr.Value, ordered, decided bool, m exec.Memory) ([]int, error) {
	picked := make([]int, 0, len(rows))
	for i, row := range rows {
		if i%exec.BatchMax == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if r.leaf.where != nil && !decided {
			ok, err := r.leaf.where.True(row)
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
	if r.count != nil && !r.uncounted {
		count, err := number(r.count)
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
		row, err := r.keys.Run(rows[i], make([]expr.Value, 0, len(r.order)+1))
		if err != nil {
			return nil, err
		}
		keyed[at] = append(row, expr.Int(int64(i)))
	}
	from := exec.Sort(exec.Rows(keyed), r.order, 0, m)
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
