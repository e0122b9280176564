package rounds

import (
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// Plan is a compiled SELECT.
type Plan struct {
	Query      *bind.Query
	Columns    []int // positions of the table's columns that are read
	where      *expr.Program
	conditions []condition
	gates      []*expr.Program // parts of the filter with one value for all rows
	whole      bool            // the conditions are the whole filter
	closed     bool            // no row can match, in the present execution
	having     *expr.Program
	input      *expr.Program // of groups: keys, then arguments of aggregates
	keys       []exec.Key
	aggregates []exec.Aggregate
	list       *expr.Program // items, then keys of the order that are no items
	order      []exec.Key
	offset     *expr.Program // nil: 0
	count      *expr.Program // nil: all
}

// Field describes a column of the result.
type Field struct {
	Name   string
	Type   expr.Type
	Column int // of the table, if it is just that; else -1
}

// Fields are the columns of the result.
func (p *Plan) Fields() []Field {
	out := make([]Field, len(p.Query.Items))
	for i, item := range p.Query.Items {
		out[i] = Field{item.Name, p.list.Type(i), item.Column}
	}
	return out
}

// Compile compiles a query.
func Compile(c *expr.Context, q *bind.Query) (p *Plan, err error) {
	p = &Plan{Query: q}
	p.columns()
	rows := p.rows()
	if q.Where != nil {
		if p.where, err = expr.Compile(c, rows, q.Where); err != nil {
			return nil, err
		}
		if err := p.split(c); err != nil {
			return nil, err
		}
	}
	p.whole = p.whole || q.Where == nil
	if q.Grouped {
		if rows, err = p.group(c, rows); err != nil {
			return nil, err
		}
	}
	if q.Having != nil {
		if p.having, err = expr.Compile(c, rows, q.Having); err != nil {
			return nil, err
		}
	}
	if err := p.compileList(c, rows); err != nil {
		return nil, err
	}
	return p, p.limits(c)
}

// compileList compiles the items and the keys of the order.
func (p *Plan) compileList(c *expr.Context, rows expr.Columns) (err error) {
	var list []sqlparser.Expr
	for _, item := range p.Query.Items {
		list = append(list, item.Expr)
	}
	for _, o := range p.Query.Order {
		if o.Item < 0 && fixed(c, o.Expr) {
			continue
		}
		at := o.Item
		if at < 0 {
			at = len(list)
			list = append(list, o.Expr)
		}
		p.order = append(p.order, exec.Key{At: at, Descending: o.Descending})
	}
	if p.list, err = expr.Compile(c, rows, list...); err != nil {
		return err
	}
	for i := range p.order {
		p.order[i].Type = p.list.Type(p.order[i].At)
	}
	return nil
}

func (p *Plan) limits(c *expr.Context) (err error) {
	if p.Query.Count == nil {
		return nil
	}
	if p.count, err = expr.Compile(c, expr.Columns{}, p.Query.Count); err != nil {
		return err
	}
	if p.Query.Offset != nil {
		p.offset, err = expr.Compile(c, expr.Columns{}, p.Query.Offset)
	}
	return err
}

// columns finds the columns of the table that the statement needs.
func (p *Plan) columns() {
	p.Columns = []int{} // none, as for COUNT(*), is not all
	add := func(e sqlparser.SQLNode) {
		if e == nil {
			return
		}
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			if n, ok := n.(*sqlparser.ColName); ok {
				if at, ok := bind.Column(n); ok && !slices.Contains(p.Columns, at) {
					p.Columns = append(p.Columns, at)
				}
			}
			return true, nil
		}, e)
	}
	q := p.Query
	if q.Where != nil {
		add(q.Where)
	}
	for _, k := range q.Keys {
		add(k)
	}
	for _, a := range q.Aggregates {
		add(a)
	}
	if !q.Grouped {
		for _, item := range q.Items {
			add(item.Expr)
		}
		for _, o := range q.Order {
			add(o.Expr)
		}
		if q.Having != nil {
			add(q.Having)
		}
	}
	slices.Sort(p.Columns)
}

// rows are the columns that are read, as expressions see them.
func (p *Plan) rows() expr.Columns {
	c := expr.Columns{Find: func(n *sqlparser.ColName) (int, error) {
		at, ok := bind.Column(n)
		if i := slices.Index(p.Columns, at); ok && i >= 0 {
			return i, nil
		}
		return 0, &expr.Unsupported{What: sqlparser.String(n)}
	}}
	for _, pos := range p.Columns {
		c.Types = append(c.Types, TypeOf(p.column(pos), p.Query.Table.Shown(pos)))
	}
	return c
}

// fixed reports whether a key of the order has one value for all rows: it orders nothing, and is not computed.
func fixed(c *expr.Context, e sqlparser.Expr) bool {
	if !constant(e) {
		return false
	}
	program, err := expr.Compile(c, expr.Columns{}, e)
	return err == nil && program.Constant(0)
}

// column is the definition of a column of the table.
func (p *Plan) column(pos int) *gms.Column { return p.Query.Table.Schema.Schema[pos] }
