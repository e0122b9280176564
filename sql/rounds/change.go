package rounds

import (
	"context"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/bind"
	"isochron/sql/comparing"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// hiddenType is that of a row's key and of its stored bytes.
var hiddenType = evalengine.NewTypeEx(sqltypes.VarBinary, collations.CollationBinaryID, true, 0, 0, nil)

// Statement compiles the query and the expressions of a change. They share its common table expressions.
type Statement struct{ k *compiler }

// NewStatement is one without a query.
func NewStatement(c *expr.Context) *Statement { return &Statement{&compiler{c: c}} }

// Query compiles a query.
func (s *Statement) Query(q *bind.Query) (*Plan, error) {
	b, err := s.k.block(q, nil)
	if err != nil {
		return nil, err
	}
	return &Plan{q, b}, nil
}

// Row are the values that expressions of a change refer to.
type Row struct{ layout *layout }

// NewRow is a row without values.
func NewRow() *Row { return &Row{newLayout()} }

// Add puts a value at the end of the row.
func (r *Row) Add(of bind.Ref, t expr.Type) { r.layout.add(of, t) }

// At is the place of a value; -1: it is not there.
func (r *Row) At(of bind.Ref) int {
	if at, ok := r.layout.places[of]; ok {
		return at
	}
	return -1
}

// Columns are the values as expressions see them.
func (r *Row) Columns() expr.Columns { return r.layout.columns() }

// Items is a row of the items of a query, which expressions refer to as the query does.
func (p *Plan) Items() *Row {
	out := NewRow()
	for i, item := range p.Query.Items {
		if r, ok := bind.RefOf(item.Expr); ok {
			out.layout.places[r] = i
		}
		out.layout.hide(p.block.list.program.Type(i))
	}
	hideRest(out.layout, p.block)
	return out
}

// Value are expressions over a row that has subqueries beside it: they are executed for each row.
type Value struct{ step *step }

// Type is the type of one of the expressions.
func (v *Value) Type(i int) expr.Type { return v.step.program.Type(i) }

// Value compiles expressions over a row. q has the subqueries that they refer to.
func (s *Statement) Value(q *bind.Query, row *Row, list ...sqlparser.Expr) (*Value, error) {
	st, err := s.k.step(q, row.layout.clone(), list...)
	if err != nil {
		return nil, err
	}
	return &Value{st}, nil
}

// Steps are the reads of the subqueries for a row, with the present values.
func (v *Value) Steps(now comparing.Clock, c *expr.Context) ([]Step, error) {
	x := &explainer{run: &run{now: now, c: c}, common: map[*shared]bool{}}
	x.step(v.step)
	return x.steps, x.err
}

// Execution is an execution of a statement.
type Execution struct{ run *run }

// Execute begins an execution; now is the time of the statement. It is to be closed.
func Execute(ctx context.Context, now comparing.Clock, c *expr.Context, reader Reader, m exec.Memory) *Execution {
	return &Execution{&run{ctx: ctx, now: now, c: c, reader: reader, memory: m}}
}

// Rows yields the rows of a query.
func (x *Execution) Rows(p *Plan) (exec.Source, error) {
	if len(p.Query.Marks) > 0 {
		return p.locked(x.run)
	}
	return p.block.open(x.run, nil)
}

// Of is the value of the only expression for a row.
func (x *Execution) Of(v *Value, row []expr.Value) (expr.Value, error) {
	out, err := x.All(v, row)
	if err != nil {
		return expr.Null, err
	}
	return out[0], nil
}

// All are the values of the expressions for a row.
func (x *Execution) All(v *Value, row []expr.Value) ([]expr.Value, error) {
	v.step.begin(x.run.c)
	for _, a := range v.step.subqueries {
		values, err := a.values(x.run, [][]expr.Value{row})
		if err != nil {
			return nil, err
		}
		row = append(row[:len(row):len(row)], values[0])
	}
	return v.step.program.Run(row, nil)
}

// Close ends the execution.
func (x *Execution) Close() { x.run.close() }
