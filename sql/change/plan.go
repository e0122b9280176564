package change

import (
	"slices"
	"strconv"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/rounds"
	"isochron/sql/store"
)

// Plan is a compiled change.
type Plan struct {
	*bind.Change
	columns   []*store.Column // of the table
	rows      *rounds.Rows    // of an UPDATE or DELETE of one table without subqueries
	query     *rounds.Plan    // of its rows, in the place of rows, or of the rows of an insertion
	parts     []*Plan         // of an UPDATE or DELETE by query: what is done to each target
	statement *rounds.Statement
	returned  *returned
	row       *rounds.Row     // what expressions of an insertion refer to
	beyond    []expr.Type     // of Beyond
	bits      []*source       // by the items of an insertion's query: the literal of bits that it is, which is a number where one is stored
	numbers   []*expr.Program // by the items of an insertion's query: what is stored is the number of its value; nil: the value
	sets      []assignment    // of an UPDATE, over the columns of rows
	values    [][]source      // of an insertion
	defaults  []source        // of the table's columns
	onUpdate  []source        // likewise: what an UPDATE sets by itself; none: it keeps its value
	duplicate []assignment
	uses      []int // columns that expressions of an insertion refer to
	generated []generated
	computed  []bool // columns that are generated
	checks    []check
	snapshot  *catalog.Snapshot
	related   *related // the foreign keys that it has to heed; nil: none
	referred  bool     // foreign keys refer to the table
	counter   int      // position of the AUTO_INCREMENT column, -1: there is none
	moves     bool     // an UPDATE may change a unique key
	stamps    []bool   // columns that onUpdate has a value for
	pure      bool     // see IsPure
}

// source is where a column's value comes from: a program, a parameter, a constant, or the column's default.
type source struct {
	program   *expr.Program
	beside    *rounds.Value // of queried
	parameter string
	constant  expr.Value
	is        sourceKind
	uses      []int // of the definition's: columns that it refers to
}

type sourceKind uint8

const (
	none sourceKind = iota
	computed
	queried // computed, with subqueries beside the row
	given
	fixed
	byDefault
	itself // the column: it keeps its value
)

// assignment gives a column a value.
type assignment struct {
	column int
	from   source
	kept   int // position of the column among the values that expressions see, -1: it is not there
}

func unsupported(what string) error { return &expr.Unsupported{What: what} }

// Compile compiles a change of tables of a catalogue.
func Compile(c *expr.Context, snap *catalog.Snapshot, b *bind.Change) (p *Plan, err error) {
	p = &Plan{Change: b, snapshot: snap, counter: b.Table.AutoIncrement(), statement: rounds.NewStatement(c), pure: true}
	if err := p.tableColumns(); err != nil {
		return nil, err
	}
	if b.Kind != bind.Deletes && len(b.Targets) == 0 {
		if err := p.compileDefinition(c); err != nil {
			return nil, err
		}
	}
	if err := p.compileReturned(); err != nil {
		return nil, err
	}
	switch {
	case p.inserts():
		err = p.compileInsert(c)
	case b.Query != nil:
		return p, p.compileParts(c)
	default:
		err = p.compileRows(c)
	}
	if err != nil {
		return nil, err
	}
	return p, p.relate(c)
}

// inserts reports whether the change inserts rows.
func (p *Plan) inserts() bool { return p.Kind == bind.Inserts || p.Kind == bind.Replaces }

func (p *Plan) tableColumns() error {
	for pos, c := range p.Table.Record.Columns {
		column, ok := store.NewColumn(p.Table, pos)
		if !ok {
			return unsupported("storing in column " + c.Name)
		}
		p.columns = append(p.columns, column)
	}
	return nil
}

// compileRows compiles an UPDATE or DELETE.
func (p *Plan) compileRows(c *expr.Context) (err error) {
	if p.rows, err = rounds.CompileRows(c, p.Rows, columnsOf(setExprs(p.Sets))); err != nil {
		return err
	}
	if err := p.computes(p.rows.Columns()); err != nil {
		return err
	}
	p.pure = p.pure && IsPure(append(setExprs(p.Sets), p.Rows.Where, p.Rows.Count)...)
	for _, o := range p.Rows.Order {
		p.pure = p.pure && IsPure(o.Expr)
	}
	if p.Kind == bind.Deletes {
		return nil
	}
	if err := p.compileDefaults(c); err != nil {
		return err
	}
	at := func(column int) int { return slices.Index(p.rows.Columns(), column) }
	if p.sets, err = p.assignments(c, p.rows.Scope(), p.Sets, at); err != nil {
		return err
	}
	p.moves = p.movesKeys()
	return nil
}

// assigned reports whether an UPDATE may change a column.
func (p *Plan) assigned(pos int) bool { return p.stamps[pos] || assigns(p.sets, pos) || p.derives(pos) }

// movesKeys reports whether an UPDATE assigns a column of a unique key, or one that the row's place depends on.
func (p *Plan) movesKeys() bool {
	if slices.ContainsFunc(p.Table.Primary.Columns, p.assigned) || slices.ContainsFunc(p.Table.Divides(), p.assigned) {
		return true
	}
	for _, x := range p.Table.Indexes {
		if x.Unique && slices.ContainsFunc(x.Columns, p.assigned) {
			return true
		}
	}
	return false
}

// compileInsert compiles an INSERT or REPLACE.
func (p *Plan) compileInsert(c *expr.Context) (err error) {
	n := len(p.columns)
	if err := p.compileQuery(c); err != nil {
		return err
	}
	both := p.scope(2*n+len(p.Beyond), &p.uses)
	p.pure = p.pure && p.query == nil && len(p.Row.Subqueries) == 0 && IsPure(setExprs(p.Duplicate)...)
	for _, row := range p.Values {
		list := make([]source, len(row))
		p.pure = p.pure && IsPure(row...)
		for i, e := range row {
			if list[i], err = p.source(c, p.scope(n, &p.uses), e, p.columns[p.Columns[i]]); err != nil {
				return err
			}
		}
		p.values = append(p.values, list)
	}
	if err := p.compileDefaults(c); err != nil {
		return err
	}
	if p.duplicate, err = p.assignments(c, both, p.Duplicate, func(column int) int { return column }); err != nil {
		return err
	}
	return p.computes(p.uses)
}

// scope are the first n of: the columns of the table, as expressions see them, twice, of two rows, and Beyond. uses receives those
// of the table that they refer to.
func (p *Plan) scope(n int, uses *[]int) expr.Columns {
	columns := expr.Columns{Find: func(name *sqlparser.ColName) (int, error) {
		at, ok := bind.Column(name)
		if !ok || at >= n {
			return 0, unsupported(sqlparser.String(name))
		}
		if n := len(p.columns); at < 2*n && !slices.Contains(*uses, at%n) {
			*uses = append(*uses, at%n)
		}
		return at, nil
	}}
	for at := range min(n, 2*len(p.columns)) {
		c := p.columns[at%len(p.columns)]
		columns.Types = append(columns.Types, expr.ColumnType(c.Type, c.Nullable))
	}
	if n > 2*len(p.columns) {
		columns.Types = append(columns.Types, p.beyond...)
	}
	return columns
}

// compileDefaults compiles the defaults of all columns, and what an update sets by itself.
func (p *Plan) compileDefaults(c *expr.Context) (err error) {
	p.defaults, p.onUpdate = make([]source, len(p.columns)), make([]source, len(p.columns))
	p.stamps = make([]bool, len(p.columns))
	for i, r := range p.Table.Record.Columns {
		if r.Default != nil {
			if p.defaults[i], err = p.ofDefinition(c, r.Default.Text, p.columns[i]); err != nil {
				return err
			}
		}
		if r.OnUpdate != nil {
			if p.onUpdate[i], err = p.ofDefinition(c, r.OnUpdate.Text, p.columns[i]); err != nil {
				return err
			}
			p.stamps[i] = true
		}
	}
	return nil
}

// source compiles a value for a column; a nil expression is the default.
func (p *Plan) source(c *expr.Context, scope expr.Columns, e sqlparser.Expr, column *store.Column) (source, error) {
	return p.sourceFrom(c, scope, e, column, 0)
}

// sourceFrom is source where expressions refer to the table's columns by positions from first on.
func (p *Plan) sourceFrom(c *expr.Context, scope expr.Columns, e sqlparser.Expr, column *store.Column, first int) (source, error) {
	switch e := e.(type) {
	case nil:
		return source{is: byDefault}, nil
	case *sqlparser.NullVal:
		return source{is: fixed, constant: expr.Null}, nil
	case *sqlparser.Argument:
		return source{is: given, parameter: e.Name}, nil
	case *sqlparser.Literal:
		if v, ok := literal(e); ok {
			return source{is: fixed, constant: v}, nil
		}
	case *sqlparser.ColName:
		at, ok := bind.Column(e)
		if at -= first; ok && at >= 0 && at < len(p.columns) && p.columns[at] == column {
			return source{is: itself}, nil
		}
		if ok && column.Number() {
			if at, err := scope.Find(e); err == nil && listed(scope.Types[at]) {
				program, err := expr.Compile(c, scope, numberOf(e))
				return source{is: computed, program: program}, err
			}
		}
	}
	if p.hasSubquery(e) {
		return p.besideRow(e)
	}
	program, err := expr.Compile(c, scope, expr.Exactly(e))
	if err != nil {
		return source{}, err
	}
	if !column.Number() {
		program.Shortest()
	}
	s := source{is: computed, program: program}
	if l, ok := e.(*sqlparser.Literal); ok && isBits(l) {
		out, err := program.Run(nil, nil)
		if err != nil {
			return source{}, err
		}
		return source{is: fixed, constant: sqltypes.MakeTrusted(sqltypes.HexVal, out[0].Raw())}, nil
	}
	return s, nil
}

// listed reports whether a type lists its values, which then have numbers. A column of numbers stores these.
func listed(t expr.Type) bool { return t.Type() == sqltypes.Enum || t.Type() == sqltypes.Set }

// numberOf is the number of such a value.
func numberOf(e sqlparser.Expr) sqlparser.Expr {
	return &sqlparser.BinaryExpr{Operator: sqlparser.PlusOp, Left: e, Right: sqlparser.NewIntLiteral("0")}
}

func isBits(l *sqlparser.Literal) bool {
	return l.Type == sqlparser.HexNum || l.Type == sqlparser.HexVal || l.Type == sqlparser.BitNum
}

// literal is the value of a number or text in a statement.
func literal(l *sqlparser.Literal) (expr.Value, bool) {
	switch l.Type {
	case sqlparser.IntVal:
		if _, err := strconv.ParseInt(l.Val, 10, 64); err == nil {
			return sqltypes.MakeTrusted(sqltypes.Int64, []byte(l.Val)), true
		}
		if _, err := strconv.ParseUint(l.Val, 10, 64); err == nil {
			return sqltypes.MakeTrusted(sqltypes.Uint64, []byte(l.Val)), true
		}
		return sqltypes.MakeTrusted(sqltypes.Decimal, []byte(l.Val)), true
	case sqlparser.DecimalVal:
		return sqltypes.MakeTrusted(sqltypes.Decimal, []byte(l.Val)), true
	case sqlparser.StrVal:
		return sqltypes.MakeTrusted(sqltypes.VarChar, []byte(l.Val)), true
	}
	return expr.Null, false
}

// assignments compiles assignments; at is where a column is among the values that expressions see.
func (p *Plan) assignments(c *expr.Context, scope expr.Columns, list []bind.Set, at func(column int) int) ([]assignment, error) {
	return p.assignmentsFrom(c, scope, list, 0, at)
}

// assignmentsFrom is assignments where expressions refer to the table's columns by positions from first on.
func (p *Plan) assignmentsFrom(c *expr.Context, scope expr.Columns, list []bind.Set, first int, at func(column int) int) ([]assignment, error) {
	var out []assignment
	for _, s := range list {
		if p.computed[s.Column] {
			continue // DEFAULT
		}
		from, err := p.sourceFrom(c, scope, s.Expr, p.columns[s.Column], first)
		if err != nil {
			return nil, err
		}
		out = append(out, assignment{s.Column, from, at(s.Column)})
	}
	return out, nil
}

func setExprs(list []bind.Set) (out []sqlparser.Expr) {
	for _, s := range list {
		if s.Expr != nil {
			out = append(out, s.Expr)
		}
	}
	return out
}

// columnsOf are the columns that expressions refer to.
func columnsOf(list []sqlparser.Expr) (out []int) {
	for _, e := range list {
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			if n, ok := n.(*sqlparser.ColName); ok {
				if at, ok := bind.Column(n); ok && !slices.Contains(out, at) {
					out = append(out, at)
				}
			}
			return true, nil
		}, e)
	}
	return out
}
