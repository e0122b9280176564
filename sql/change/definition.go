package change

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/expr"
	"isochron/sql/store"
)

// A table's definition has expressions over the row that is stored: defaults, the values of generated columns and checks.

// generated is a column that is computed from others.
type generated struct {
	column int
	from   source
}

// check is an enforced CHECK constraint.
type check struct {
	name      string
	condition *expr.Program // the check is not false
	uses      []int         // columns that it refers to
}

// compileDefinition compiles the generated columns and the checks.
func (p *Plan) compileDefinition(c *expr.Context) error {
	p.computed = make([]bool, len(p.columns))
	for pos, r := range p.Table.Record.Columns {
		if r.Generated == nil {
			continue
		}
		from, err := p.ofDefinition(c, r.Generated.Text, p.columns[pos])
		if err != nil {
			return err
		}
		p.generated, p.computed[pos] = append(p.generated, generated{pos, from}), true
	}
	for _, k := range p.Table.Record.Checks {
		if !k.Enforced {
			continue
		}
		e, err := p.parsed(k.Text)
		if err != nil {
			return err
		}
		one := check{name: k.Name}
		if one.condition, err = expr.Compile(c, p.overRow(&one.uses), &sqlparser.IsExpr{Left: e, Right: sqlparser.IsNotFalseOp}); err != nil {
			return err
		}
		if err := p.computes(one.uses); err != nil {
			return err
		}
		p.checks = append(p.checks, one)
	}
	return p.refuseGiven()
}

// refuseGiven is the error 3105 of a statement that gives a generated column a value; DEFAULT is none.
func (p *Plan) refuseGiven() error {
	given := func(pos int) error {
		return expr.NewError(3105, "HY000", "The value specified for generated column '%s' in table '%s' is not allowed.", p.columns[pos].Name, p.Table.Name())
	}
	if p.inserts() && p.Query != nil {
		for _, pos := range p.Columns {
			if p.computed[pos] {
				return given(pos)
			}
		}
	}
	for _, row := range p.Values {
		for i, e := range row {
			if pos := p.Columns[i]; e != nil && p.computed[pos] {
				return given(pos)
			}
		}
	}
	for _, list := range [][]bind.Set{p.Sets, p.Duplicate} {
		for _, s := range list {
			if s.Expr != nil && p.computed[s.Column] {
				return given(s.Column)
			}
		}
	}
	return nil
}

// parsed is an expression of the definition, bound over the columns of the table.
func (p *Plan) parsed(text string) (sqlparser.Expr, error) {
	e, err := expr.Environment().Parser().ParseExpr(text)
	if err != nil {
		return nil, unsupported("expression " + text)
	}
	if e, err = bind.DefaultOf(p.Table, e); err != nil {
		return nil, unsupported("expression " + text)
	}
	p.pure = p.pure && IsPure(e)
	return e, nil
}

// ofDefinition is the source of a column's value by an expression of the definition.
func (p *Plan) ofDefinition(c *expr.Context, text string, column *store.Column) (s source, err error) {
	e, err := p.parsed(text)
	if err != nil {
		return s, err
	}
	var uses []int
	if s, err = p.source(c, p.overRow(&uses), e, column); err != nil {
		return s, err
	}
	s.uses = uses
	return s, p.computes(uses)
}

// computes refuses columns that expressions cannot compute with.
func (p *Plan) computes(columns []int) error {
	for _, pos := range columns {
		if !expr.Computes(p.Table.Type(pos)) {
			return unsupported("computing with this column")
		}
	}
	return nil
}

// overRow are the columns of the table as an expression sees them, which notes those that it refers to.
func (p *Plan) overRow(uses *[]int) expr.Columns { return p.scope(len(p.columns), uses) }

// derives reports whether a generated column may change when an UPDATE changes what it assigns. It refers to no generated
// column behind it.
func (p *Plan) derives(pos int) bool {
	for _, g := range p.generated {
		if g.column != pos {
			continue
		}
		for _, of := range g.from.uses {
			if (!p.computed[of] || of < pos) && p.assigned(of) {
				return true
			}
		}
	}
	return false
}

// beginDefinition readies the programs.
func (p *Plan) beginDefinition(c *expr.Context) {
	for i := range p.generated {
		if program := p.generated[i].from.program; program != nil {
			program.Begin(c)
		}
	}
	for i := range p.checks {
		p.checks[i].condition.Begin(c)
	}
}

// overStored are the values of columns of a row as expressions see them. They are valid until the next call.
func (r *run) overStored(row []any, columns []int) (_ []expr.Value, err error) {
	if len(columns) == 0 {
		return nil, nil
	}
	if r.scratch == nil {
		r.scratch = make([]expr.Value, len(r.columns))
	}
	for _, pos := range columns {
		if r.scratch[pos], err = r.Table.TextOf(pos, row[pos]); err != nil {
			return nil, err
		}
	}
	return r.scratch, nil
}

// complete computes the generated columns of a row.
func (r *run) complete(row []any) error {
	for i := range r.generated {
		g := &r.generated[i]
		values, err := r.overStored(row, g.from.uses)
		if err != nil {
			return err
		}
		if row[g.column], err = r.stored(g.column, &g.from, values, row); err != nil {
			return err
		}
	}
	return nil
}

// passes reports whether a row passes the checks; under IGNORE one that does not has a warning, else an error.
func (r *run) passes(row []any) (bool, error) {
	for i := range r.checks {
		k := &r.checks[i]
		values, err := r.overStored(row, k.uses)
		if err != nil {
			return false, err
		}
		ok, err := k.condition.True(values)
		if first := r.checked(); first != nil {
			return false, first
		}
		if err != nil {
			return false, err
		}
		if ok {
			continue
		}
		violated := expr.NewError(3819, "HY000", "Check constraint '%s' is violated.", k.name)
		if !r.Ignore {
			return false, violated
		}
		r.Context.Warn(violated.Code, violated.Message)
		return false, nil
	}
	return true, nil
}
