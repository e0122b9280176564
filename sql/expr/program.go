package expr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Columns are the columns that expressions may name.
type Columns struct {
	// Types are those of the values of a row, in order.
	Types []Type
	// Find is the position of a column in a row; the error is the client's (1054, 1052).
	Find func(*sqlparser.ColName) (int, error)
	// Yields reports whether the text of a column takes the collation of what it is compared with, as a literal does; nil: none.
	Yields func(at int) bool
}

// Program is a list of expressions, compiled to be computed together for many rows.
type Program struct {
	columns []Type
	yields  func(at int) bool // of the columns
	steps   []step
	slots   []Type // of the steps' results
	values  []value
	guards  []condition
	unknown []int // scratch: guards to be computed
	engine  *evalengine.ExpressionEnv
	row     []Value // the columns, and the slots behind them
	args    []Value // scratch of the steps
	context *Context
	exact   bool // a slot may have more decimals than its type
	short   bool // decimals keep the digits that they were computed with, fewer than their types have
}

// step computes a slot.
type step struct {
	call   Call
	args   []value
	guard  int   // of the branch that it is in
	offset int   // of its first argument in the scratch
	first  int   // the steps of its arguments are those from first to at
	ends   []int // where those of each argument end
	owner  int   // the step whose argument it is a part of, which computes it when it needs the argument; noOwner: none
	column bool  // a text in the collation of a column that it is made of
	fixed  bool  // it is computed whether or not what it is a part of is
	at     int   // its own position
	once   bool  // its value is the same for all rows of a run
	done   bool  // and has been computed in this run
	late   bool  // it is in a branch, or refers to what is
}

// value is an expression of the program: a column or slot as it is, a constant, or an expression of the engine.
type value struct {
	at      int // position in the row; -1: it is an expression of the engine
	tree    evalengine.Expr
	typ     Type
	literal bool   // it depends on no column and no volatile function
	bits    bool   // it is a hexadecimal or bit literal
	text    string // of an arithmetic expression
	param   string // it is just this parameter, a whole number or text; "": it is not
}

// MaxDepth bounds the nesting of an expression.
const MaxDepth = 200

// Compile compiles expressions over the columns. *Unsupported: one of them cannot be computed here; other errors are the
// client's, with MySQL's numbers.
func Compile(c *Context, columns Columns, list ...sqlparser.Expr) (p *Program, err error) {
	defer rescue(&err)
	b := &compiler{p: &Program{columns: columns.Types, yields: columns.Yields, context: c}, columns: columns}
	return b.program(list...)
}

// program compiles expressions.
func (b *compiler) program(list ...sqlparser.Expr) (*Program, error) {
	for _, e := range list {
		v, err := b.compile(e)
		if err != nil {
			return nil, err
		}
		b.p.values = append(b.p.values, v)
	}
	b.p.row = make([]Value, len(b.columns.Types)+len(b.p.steps))
	b.p.args = make([]Value, b.args)
	return b.p, nil
}

// CompileBeside compiles constants that are compared with a column of a type: they are converted as in the comparison.
func CompileBeside(c *Context, t Type, list ...sqlparser.Expr) (p *Program, err error) {
	defer rescue(&err)
	columns := Columns{Types: []Type{t}, Find: func(*sqlparser.ColName) (int, error) { return 0, nil }}
	b := &compiler{p: &Program{columns: columns.Types, yields: columns.Yields, context: c}, columns: columns}
	for _, e := range list {
		converted, _, err := b.oneTyped(sqlparser.NewColName("column"), e)
		if err != nil {
			return nil, err
		}
		v, err := b.compile(converted)
		if err != nil {
			return nil, err
		}
		b.p.values = append(b.p.values, v)
	}
	b.p.row = make([]Value, len(columns.Types)+len(b.p.steps))
	b.p.args = make([]Value, b.args)
	return b.p, nil
}

// Type is the type of the i-th expression.
func (p *Program) Type(i int) Type { return p.values[i].typ }

// Implicit is the collation of the i-th expression if it is the text of a column, or made of one; false: it has none of its own.
func (p *Program) Implicit(i int) (collations.ID, bool) {
	v := p.values[i]
	if v.at < 0 || !hasNames(v.typ) {
		return 0, false
	}
	if at := v.at - len(p.columns); at >= 0 && !p.steps[at].column || at < 0 && p.yields != nil && p.yields(v.at) {
		return 0, false
	}
	return v.typ.Collation(), true
}

// Constant reports whether the i-th expression has one value for all rows.
func (p *Program) Constant(i int) bool { return p.values[i].literal }

// Moment reports whether the i-th expression is a text that is a date or time, and so a number where one is expected.
func (p *Program) Moment(i int) bool { return p.moment(p.values[i]) }

// Begin readies the program for the rows of a statement.
func (p *Program) Begin(c *Context) {
	p.context = c
	p.engine = nil
	for i := range p.steps {
		p.steps[i].done = false
		p.steps[i].call.Context = c
		p.steps[i].call.State = nil
	}
}

// Run computes all expressions for a row and appends their values to out. row is not kept.
func (p *Program) Run(row, out []Value) (_ []Value, err error) {
	defer rescue(&err)
	if err := p.load(row); err != nil {
		return nil, err
	}
	for i := range p.values {
		compute := p.compute
		if p.short {
			compute = p.shortest
		}
		v, err := compute(&p.values[i])
		if err != nil {
			return nil, converted(err)
		}
		if p.exact && !p.short && !p.isExactly(&p.values[i]) {
			v = rounded(v, p.values[i].typ)
		}
		out = append(out, v)
	}
	return out, nil
}

// isExactly reports whether an expression keeps all decimals.
func (p *Program) isExactly(v *value) bool {
	at := v.at - len(p.columns)
	return at >= 0 && p.steps[at].call.Function == exactly
}

// True reports whether the first expression is true for a row: neither false nor NULL.
func (p *Program) True(row []Value) (ok bool, err error) {
	defer rescue(&err)
	if err := p.load(row); err != nil {
		return false, err
	}
	v := &p.values[0]
	if v.at >= 0 {
		return Truth(p.row[v.at], p.context), nil
	}
	if t := v.typ.Type(); v.param != "" || !v.bits && sqltypes.IsText(t) || !v.bits && sqltypes.IsBinary(t) || t == sqltypes.Enum || t == sqltypes.Set {
		got, err := p.compute(v)
		return err == nil && Truth(got, p.context), err
	}
	got, err := p.engine.Evaluate(v.tree)
	if err != nil {
		return false, converted(err)
	}
	return got.ToBoolean(), nil
}

// load takes a row and computes the slots.
func (p *Program) load(row []Value) error {
	if p.engine == nil && p.uses() {
		p.engine = newEngine(p.context)
	}
	copy(p.row, row)
	if p.engine != nil {
		p.engine.Row = p.row
	}
	for i := range p.guards {
		p.guards[i].known = false
	}
	for i := range p.steps {
		if s := &p.steps[i]; s.owner == noOwner && (!s.once || !s.done) {
			if err := p.slot(s); err != nil {
				return converted(err)
			}
		}
	}
	return nil
}

// Constants computes what has one value for all rows, for its warnings: MySQL converts the constants of a filter whether or
// not there are rows. What fails is computed again, and fails, with a row.
func (p *Program) Constants() (err error) {
	defer rescue(&err)
	if p.engine == nil && p.uses() {
		p.engine = newEngine(p.context)
	}
	if p.engine != nil {
		p.engine.Row = p.row
	}
	for i := range p.steps {
		if s := &p.steps[i]; s.owner == noOwner && s.once && !s.done && !s.late {
			if err := p.slot(s); err != nil {
				return nil
			}
		}
	}
	return nil
}

// uses reports whether the program needs the engine.
func (p *Program) uses() bool {
	return len(p.steps) > 0 || slices.ContainsFunc(p.values, func(v value) bool { return v.at < 0 && v.param == "" })
}

// Shortest has decimals the digits that they were computed with, where their types have more: those of the branch that was chosen,
// and 0 without a fraction for a remainder of 0. It is what a column of texts stores.
func (p *Program) Shortest() { p.short = true }

// shortest computes an expression without the zeros that its type adds.
func (p *Program) shortest(v *value) (Value, error) {
	if !sqltypes.IsDecimal(v.typ.Type()) {
		return p.compute(v)
	}
	if v.at < 0 {
		plain := *v
		plain.typ = integerType(nil, nil)
		return p.compute(&plain)
	}
	out := p.row[v.at]
	if at := v.at - len(p.columns); at >= 0 && !out.IsNull() {
		if call := &p.steps[at].call; (call.Function.Name == remainder.Name || call.Function.Name == "MOD") && call.Decimal(0).IsZero() {
			return Int(0), nil
		}
	}
	return out, nil
}

// Identity reports whether the expressions are the columns, in their order.
func (p *Program) Identity() bool {
	if len(p.values) != len(p.columns) {
		return false
	}
	for i := range p.values {
		if p.values[i].at != i {
			return false
		}
	}
	return true
}

// slot computes the slot of a step; it is NULL in a branch that is not taken.
func (p *Program) slot(s *step) error {
	v := Null
	ok, err := p.holds(s.guard)
	if ok && err == nil {
		v, err = p.step(s)
		s.done = true
	}
	p.row[len(p.columns)+s.at] = v
	return err
}

// repeat computes the arguments of a step again.
func (p *Program) repeat(s *step) error {
	for i := s.first; i < s.at; i++ {
		if part := &p.steps[i]; part.owner < s.first || part.owner > s.at { // else another one of them computes it
			if err := p.slot(part); err != nil {
				return err
			}
		}
	}
	for i := range s.args {
		v, err := p.compute(&s.args[i])
		if err != nil {
			return err
		}
		s.call.Args[i] = v
	}
	return nil
}

// argument computes the i-th argument of a step, with the steps that are a part of it.
func (p *Program) argument(s *step, i int) (Value, error) {
	from := s.first
	if i > 0 {
		from = s.ends[i-1]
	}
	for at := from; at < s.ends[i]; at++ {
		if part := &p.steps[at]; part.owner == s.at && (!part.once || !part.done) {
			if err := p.slot(part); err != nil {
				return Null, err
			}
		}
	}
	return p.compute(&s.args[i])
}

// noOwner is the owner of steps that are computed with the row.
const noOwner = -1

// own makes the steps of the arguments parts of a step that computes arguments as it needs them.
func (p *Program) own(s *step) {
	if f := s.call.Function; f.Ask == nil && (f.Nulls || f.Convert != nil) {
		return // it needs all of them
	}
	if len(s.ends) == 0 {
		return
	}
	for i := s.first; i < s.ends[len(s.ends)-1]; i++ {
		if part := &p.steps[i]; part.owner == noOwner {
			part.owner = s.at
		}
	}
}

func (p *Program) step(s *step) (Value, error) {
	s.call.Args = p.args[s.offset : s.offset+len(s.args)]
	s.call.values = 0
	null := false
	if ask := s.call.Function.Ask; ask != nil {
		for i := range s.call.Args {
			s.call.Args[i] = Null
		}
		return ask(&s.call, func(i int) (err error) {
			s.call.Args[i], err = p.argument(s, i)
			return err
		})
	}
	for i := range s.args {
		if s.call.Function.Unread {
			s.call.Args[i] = Null
			continue
		}
		v, err := p.argument(s, i)
		if err != nil {
			return Null, err
		}
		if v.IsNull() && !s.call.Function.Nulls {
			if s.call.Function.Convert == nil {
				return Null, nil
			}
			null = true
		}
		s.call.Args[i] = v
	}
	if null {
		s.call.convertOthers()
		return Null, nil
	}
	if f := s.call.Function; f.Repeat != nil {
		return f.Repeat(&s.call, func() error { return p.repeat(s) })
	}
	return s.call.Function.Eval(&s.call)
}

// convertOthers converts the arguments that are not NULL.
func (c *Call) convertOthers() {
	for i := range c.Args {
		if !c.IsNull(i) {
			c.Function.Convert(c, i)
		}
	}
}

func (p *Program) compute(v *value) (Value, error) {
	if v.at >= 0 {
		return p.row[v.at], nil
	}
	if v.param != "" {
		if bv := p.context.Parameters[v.param]; bv != nil {
			return sqltypes.MakeTrusted(bv.Type, bv.Value), nil
		}
		return Null, newError(1210, "HY000", "Incorrect arguments to EXECUTE")
	}
	got, err := p.engine.Evaluate(v.tree)
	if err != nil {
		return Null, err
	}
	out := got.Value(p.context.Collation)
	if sqltypes.IsFloat(out.Type()) && bytes.HasSuffix(out.Raw(), []byte("Inf")) {
		return Null, newError(1690, "22003", "DOUBLE value is out of range in '%s'", shorten(v.text))
	}
	return scaled(out, v.typ), nil
}

func newEngine(c *Context) *evalengine.ExpressionEnv {
	e := evalengine.NewExpressionEnv(context.Background(), c.Parameters, cursor{c})
	if !c.Now.IsZero() {
		e.SetTime(c.Now)
	}
	return e
}

// Truth reports whether a value is true: a number other than 0.
func Truth(v Value, c *Context) bool {
	if v.IsNull() {
		return false
	}
	if t := v.Type(); t == sqltypes.Enum || t == sqltypes.Set {
		return len(v.Raw()) > 0
	}
	if v.Type() == sqltypes.Bit {
		return len(bytes.Trim(v.Raw(), "\x00")) > 0
	}
	if v.Type() == sqltypes.TypeJSON { // it is compared with the number 0
		n := jsonScalar(v)
		return !sqltypes.IsNumber(n.Type()) || bytes.ContainsAny(n.Raw(), "123456789")
	}
	if sqltypes.IsIntegral(v.Type()) {
		return bytes.ContainsAny(v.Raw(), "123456789") // a YEAR is 0000, and others may be filled with zeros
	}
	call := Call{Context: c, Args: []Value{v}}
	return call.Float(0) != 0
}

// rescue makes an error of a panic: the engine panics on some arguments.
func rescue(err *error) {
	if r := recover(); r != nil {
		*err = &Panic{fmt.Sprint(r), string(debug.Stack())}
	}
}

// unsupported tells the engine's "there is no such expression" from an error of the client's.
func unsupported(err error) bool {
	var e *Unsupported
	return errors.As(err, &e) || vterrors.Code(err) == vtrpc.Code_UNIMPLEMENTED
}
