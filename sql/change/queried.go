package change

import (
	"context"
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/rounds"
)

// compileQuery compiles the query of an insertion, and the row that its expressions refer to: the columns of the row that
// exists or is inserted, those of the one that was to be inserted, and Beyond.
func (p *Plan) compileQuery(c *expr.Context) (err error) {
	n := len(p.columns)
	p.row = rounds.NewRow()
	for at := range 2 * n {
		column := p.columns[at%n]
		p.row.Add(bind.Ref{Row: bind.OfSources, At: at}, expr.ColumnType(column.Type, column.Nullable))
	}
	if p.Query == nil {
		return nil
	}
	for i := range p.Query.Items {
		if item := &p.Query.Items[i]; !p.Query.Distinct {
			item.Expr = expr.Exactly(item.Expr) // stored with the digits of the column
		}
	}
	if p.query, err = p.statement.Query(p.Query); err != nil {
		return err
	}
	fields := p.query.Fields()
	if err := p.compileNumbers(c, fields); err != nil {
		return err
	}
	for i, item := range p.Beyond {
		p.beyond = append(p.beyond, fields[item].Type)
		p.row.Add(bind.Ref{Row: bind.OfSources, At: 2*n + i}, fields[item].Type)
	}
	return nil
}

// compileNumbers finds the values of which a column of numbers stores the number.
func (p *Plan) compileNumbers(c *expr.Context, fields []rounds.Field) (err error) {
	p.numbers, p.bits = make([]*expr.Program, len(p.Columns)), make([]*source, len(p.Columns))
	for i, pos := range p.Columns {
		if l, ok := p.Query.Items[i].Expr.(*sqlparser.Literal); ok && isBits(l) {
			s, err := p.source(c, expr.Columns{}, l, p.columns[pos])
			if err != nil {
				return err
			}
			p.bits[i] = &s
		}
		if !p.columns[pos].Number() || !listed(fields[i].Type) {
			continue
		}
		one := expr.Columns{Types: []expr.Type{fields[i].Type}, Find: func(*sqlparser.ColName) (int, error) { return 0, nil }}
		if p.numbers[i], err = expr.Compile(c, one, numberOf(bind.ColumnAt(0))); err != nil {
			return err
		}
	}
	return nil
}

// item is what an item of an insertion's query is to be stored as.
func (r *run) item(i int, v expr.Value) (expr.Value, error) {
	if r.numbers[i] == nil || v.IsNull() {
		return v, nil
	}
	out, err := r.numbers[i].Run([]expr.Value{v}, nil)
	if err != nil {
		return expr.Null, err
	}
	return out[0], nil
}

// use notes that an expression of an insertion refers to a column.
func (p *Plan) use(at int) {
	if at >= 2*len(p.columns) {
		return
	}
	if pos := at % len(p.columns); !slices.Contains(p.uses, pos) {
		p.uses = append(p.uses, pos)
	}
}

// hasSubquery reports whether an expression refers to a subquery that is no value of the row.
func (p *Plan) hasSubquery(e sqlparser.Expr) (found bool) {
	bind.Refs(e, func(r bind.Ref) { found = found || r.Row == bind.OfSubqueries && (p.row == nil || p.row.At(r) < 0) })
	return found
}

// besideRow is an expression with subqueries beside the row.
func (p *Plan) besideRow(e sqlparser.Expr) (source, error) {
	q := p.Row
	if !p.inserts() {
		q = p.Query
	}
	if p.inserts() {
		p.useAll(q, e)
	}
	v, err := p.statement.Value(q, p.row, e)
	return source{is: queried, beside: v}, err
}

// useAll notes the columns that an expression of an insertion and its subqueries refer to.
func (p *Plan) useAll(q *bind.Query, e sqlparser.Expr) {
	bind.Refs(e, func(r bind.Ref) {
		switch r.Row {
		case bind.OfSources:
			p.use(r.At)
		case bind.OfSubqueries:
			s := q.Subqueries[r.At]
			for _, list := range [][]sqlparser.Expr{s.Left, s.Query.Outer} {
				for _, inner := range list {
					p.useAll(q, inner)
				}
			}
		}
	})
}

// sees reports whether expressions of an insertion see the row.
func (p *Plan) sees() bool { return len(p.uses) > 0 || len(p.Row.Subqueries) > 0 }

// queriedRows computes the rows of an INSERT ... SELECT, up to the first that cannot be.
func (r *run) queriedRows() (list []fresh, failed error) {
	from, err := r.exec.Rows(r.query)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	given, number := make([]source, len(r.Columns)), 0
	for {
		rows, err := from.Next(r.ctx)
		if first := r.checked(); first != nil {
			return list, first
		}
		if err != nil || rows == nil {
			return list, err
		}
		for _, row := range rows {
			for i := range given {
				v, err := r.item(i, row[i])
				if err != nil {
					return list, err
				}
				given[i] = source{is: fixed, constant: v}
				if r.bits[i] != nil {
					given[i] = *r.bits[i]
				}
			}
			number++
			f, passes, err := r.freshRow(given, number)
			if err != nil {
				return list, err
			}
			if !passes {
				continue
			}
			for _, item := range r.Beyond {
				f.beyond = append(f.beyond, row[item])
			}
			list = append(list, f)
		}
	}
}

// gathered are all rows of the query, in their order.
func (r *run) gathered() (out [][]expr.Value, err error) {
	from, err := r.exec.Rows(r.query)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	for {
		rows, err := from.Next(r.ctx)
		if first := r.checked(); first != nil {
			return nil, first
		}
		if r.ctx.Err() != nil {
			return nil, context.Cause(r.ctx)
		}
		if err != nil || rows == nil {
			return out, err
		}
		bytes := int64(0)
		for _, row := range rows {
			bytes += exec.SizeOf(row)
		}
		if err := r.Memory.Charge(bytes); err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
}
