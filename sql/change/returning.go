package change

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/rounds"
)

// returned are the items of RETURNING, over a row as it is stored, or was before a DELETE.
type returned struct {
	items  *rounds.Value
	uses   []int // columns that they refer to
	fields []rounds.Field
}

// compileReturned compiles RETURNING.
func (p *Plan) compileReturned() (err error) {
	if p.Returned == nil {
		return nil
	}
	row, out := rounds.NewRow(), &returned{}
	for at, c := range p.columns {
		row.Add(bind.Ref{Row: bind.OfSources, At: at}, expr.ColumnType(c.Type, c.Nullable))
	}
	var list []sqlparser.Expr
	for _, item := range p.Returned.Items {
		list = append(list, item.Expr)
	}
	for _, e := range p.Returned.Expressions() {
		bind.Refs(e, func(r bind.Ref) {
			if r.Row == bind.OfSources && !slices.Contains(out.uses, r.At) {
				out.uses = append(out.uses, r.At)
			}
		})
	}
	if err := p.computes(out.uses); err != nil {
		return err
	}
	if out.items, err = p.statement.Value(p.Returned, row, list...); err != nil {
		return err
	}
	for i, item := range p.Returned.Items {
		f := rounds.Field{Name: item.Name, Type: out.items.Type(i), Column: -1}
		if item.Source != nil {
			f.Source, f.Column = item.Source, item.Column
		}
		out.fields = append(out.fields, f)
	}
	p.returned, p.pure = out, false
	return nil
}

// Fields are the columns of the answer; none: it has no rows.
func (p *Plan) Fields() []rounds.Field {
	if p.returned == nil {
		return nil
	}
	return p.returned.fields
}

// give computes what RETURNING has of a row.
func (r *run) give(row []any) error {
	if r.returned == nil {
		return nil
	}
	values, err := r.overStored(row, r.returned.uses)
	if err != nil {
		return err
	}
	if values == nil {
		values = make([]expr.Value, len(r.columns))
	}
	out, err := r.exec.All(r.returned.items, values)
	if first := r.checked(); first != nil {
		return first
	}
	if err == nil {
		err = r.Memory.Charge(exec.SizeOf(out))
	}
	r.out.Returned = append(r.out.Returned, out)
	return err
}
