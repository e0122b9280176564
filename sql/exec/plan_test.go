package exec

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/expr"
)

// A planner of tests: SELECT over one table of literals, as far as testdata/select.txt goes.

// testTable is a table of a file of cases.
type testTable struct {
	names []string
	types []expr.Type
	rows  [][]expr.Value
}

func (t *testTable) columns() expr.Columns {
	return expr.Columns{Types: t.types, Find: func(c *sqlparser.ColName) (int, error) {
		if i := slices.Index(t.names, c.Name.Lowered()); i >= 0 {
			return i, nil
		}
		return 0, fmt.Errorf("no column %s", c.Name)
	}}
}

// create makes the columns of CREATE TABLE.
func (t *testTable) create(ddl *sqlparser.CreateTable) {
	*t = testTable{}
	for _, c := range ddl.TableSpec.Columns {
		t.names = append(t.names, c.Name.Lowered())
		t.types = append(t.types, typeOfColumn(c.Type))
	}
}

func typeOfColumn(c *sqlparser.ColumnType) expr.Type {
	t, collation, size, scale := c.SQLType(), collations.ID(collations.CollationBinaryID), int32(0), int32(0)
	if c.Length != nil {
		size = int32(*c.Length)
	}
	if c.Scale != nil {
		scale = int32(*c.Scale)
	}
	var values *evalengine.EnumSetValues
	if len(c.EnumValues) > 0 {
		list := evalengine.EnumSetValues(c.EnumValues)
		values = &list
	}
	if sqltypes.IsText(t) || values != nil {
		collation = generalCI
		if c.Options != nil && c.Options.Collate != "" {
			collation = collations.MySQL8().LookupByName(c.Options.Collate)
		}
	}
	return evalengine.NewTypeEx(t, collation, true, size, scale, values)
}

// insert adds the rows of INSERT. Literals are written as the column's values are stored.
func (t *testTable) insert(in *sqlparser.Insert) error {
	for _, tuple := range in.Rows.(sqlparser.Values) {
		var r []expr.Value
		for i, e := range tuple {
			v, err := literal(e, t.types[i].Type())
			if err != nil {
				return err
			}
			r = append(r, stored(v, t.types[i]))
		}
		t.rows = append(t.rows, r)
	}
	return nil
}

func literal(e sqlparser.Expr, t sqltypes.Type) (expr.Value, error) {
	switch e := e.(type) {
	case *sqlparser.NullVal:
		return expr.Null, nil
	case *sqlparser.UnaryExpr:
		return sqltypes.MakeTrusted(t, []byte(sqlparser.String(e))), nil
	case *sqlparser.Literal:
		switch e.Type {
		case sqlparser.HexVal:
			b, err := hex.DecodeString(e.Val)
			return sqltypes.MakeTrusted(t, b), err
		case sqlparser.BitNum:
			n, err := strconv.ParseUint(strings.TrimPrefix(e.Val, "0b"), 2, 16)
			return sqltypes.MakeTrusted(t, []byte{byte(n >> 8), byte(n)}), err
		}
		return sqltypes.MakeTrusted(t, []byte(e.Val)), nil
	}
	return expr.Null, fmt.Errorf("no literal: %s", sqlparser.String(e))
}

// stored is a value as a column of the type has it.
func stored(v expr.Value, t expr.Type) expr.Value {
	switch {
	case v.IsNull():
	case t.Type() == sqltypes.Decimal:
		return sqltypes.MakeTrusted(t.Type(), parseDecimal(v.Raw()).FormatMySQL(t.Scale()))
	case t.Type() == sqltypes.Float64:
		f, _ := strconv.ParseFloat(v.ToString(), 64)
		return expr.Double(f)
	}
	return v
}

// testPlan is a SELECT being planned: first the expressions that groups and aggregates need are computed as one list.
type testPlan struct {
	context *expr.Context
	table   *testTable
	concat  int // group_concat_max_len
	list    []sqlparser.Expr
	program *expr.Program
}

func (p *testPlan) at(e sqlparser.Expr) int {
	for i, old := range p.list {
		if sqlparser.String(old) == sqlparser.String(e) {
			return i
		}
	}
	p.list = append(p.list, e)
	return len(p.list) - 1
}

// plan makes the operators of a SELECT.
func (p *testPlan) plan(s *sqlparser.Select, m Memory) (Source, error) {
	from := Rows(p.table.rows)
	if s.Where != nil {
		where, err := expr.Compile(p.context, p.table.columns(), s.Where.Expr)
		if err != nil {
			return nil, err
		}
		where.Begin(p.context)
		from = Filter(from, where)
	}
	var outputs []sqlparser.Expr
	var aggregates []sqlparser.AggrFunc
	for _, e := range s.SelectExprs.Exprs {
		outputs = append(outputs, e.(*sqlparser.AliasedExpr).Expr)
	}
	for _, o := range s.OrderBy {
		if !slices.ContainsFunc(outputs, func(e sqlparser.Expr) bool { return sqlparser.String(e) == sqlparser.String(o.Expr) }) {
			outputs = append(outputs, o.Expr) // to sort by it; tests ask for it in the list
		}
	}
	for _, e := range outputs {
		if a, ok := e.(sqlparser.AggrFunc); ok {
			aggregates = append(aggregates, a)
			for _, arg := range a.GetArgs() {
				p.at(arg)
			}
			if g, ok := a.(*sqlparser.GroupConcatExpr); ok {
				for _, o := range g.OrderBy {
					p.at(o.Expr)
				}
			}
		}
	}
	if len(aggregates) == 0 && s.GroupBy == nil {
		return p.planPlain(s, from, outputs, m)
	}
	return p.planGroups(s, from, outputs, aggregates, m)
}

func (p *testPlan) compile() (err error) {
	if p.program, err = expr.Compile(p.context, p.table.columns(), p.list...); err == nil {
		p.program.Begin(p.context)
	}
	return err
}

func (p *testPlan) planPlain(s *sqlparser.Select, from Source, outputs []sqlparser.Expr, m Memory) (Source, error) {
	for _, e := range outputs {
		p.at(e)
	}
	if err := p.compile(); err != nil {
		return nil, err
	}
	from = Project(from, p.program)
	var types []expr.Type
	for i := range p.list {
		types = append(types, p.program.Type(i))
	}
	if s.Distinct {
		from = Distinct(from, types, m)
	}
	return p.finish(s, from, p.list, types, m)
}

func (p *testPlan) planGroups(s *sqlparser.Select, from Source, outputs []sqlparser.Expr, list []sqlparser.AggrFunc, m Memory) (Source, error) {
	var by []sqlparser.Expr
	rollup := false
	if s.GroupBy != nil {
		by, rollup = s.GroupBy.Exprs, s.GroupBy.WithRollup
	}
	for _, e := range by {
		p.at(e)
	}
	if err := p.compile(); err != nil {
		return nil, err
	}
	var keys []Key
	var types []expr.Type
	columns := slices.Clone(by)
	for _, e := range by {
		at := p.at(e)
		keys = append(keys, Key{At: at, Type: p.program.Type(at)})
		types = append(types, p.program.Type(at))
	}
	var aggregates []Aggregate
	for _, a := range list {
		one, err := p.aggregate(a)
		if err != nil {
			return nil, err
		}
		aggregates = append(aggregates, one)
		columns = append(columns, a)
		types = append(types, one.Type(p.context))
	}
	from = Group(p.context, Project(from, p.program), keys, aggregates, rollup, m)
	sorted, err := p.finish(s, from, columns, types, m)
	return pick(sorted, columns, outputs), err
}

// finish sorts and limits.
func (p *testPlan) finish(s *sqlparser.Select, from Source, columns []sqlparser.Expr, types []expr.Type, m Memory) (Source, error) {
	var keys []Key
	for _, o := range s.OrderBy {
		at := slices.IndexFunc(columns, func(e sqlparser.Expr) bool { return sqlparser.String(e) == sqlparser.String(o.Expr) })
		keys = append(keys, Key{at, types[at], o.Direction == sqlparser.DescOrder})
	}
	count, offset := uint64(1<<62), uint64(0)
	if s.Limit != nil {
		fmt.Sscan(sqlparser.String(s.Limit.Rowcount), &count)
		if s.Limit.Offset != nil {
			fmt.Sscan(sqlparser.String(s.Limit.Offset), &offset)
		}
	}
	if len(keys) > 0 {
		top := uint64(0)
		if s.Limit != nil {
			top = count + offset
		}
		from = Sort(from, keys, top, m)
	}
	return Limit(from, offset, count), nil
}

var kinds = map[string]Kind{
	"count": Count, "sum": Sum, "avg": Avg, "min": Min, "max": Max, "group_concat": GroupConcat, "bit_and": BitAnd, "bit_or": BitOr,
	"bit_xor": BitXor, "std": StdPop, "stddev": StdPop, "stddev_pop": StdPop, "stddev_samp": StdSamp, "variance": VarPop,
	"var_pop": VarPop, "var_samp": VarSamp, "json_arrayagg": JSONArray, "json_objectagg": JSONObject, "any_value": AnyValue,
}

func (p *testPlan) aggregate(f sqlparser.AggrFunc) (a Aggregate, err error) {
	kind, ok := kinds[f.AggrName()]
	if a.Kind = kind; !ok {
		return a, fmt.Errorf("no aggregate %s", f.AggrName())
	}
	if _, ok := f.(*sqlparser.CountStar); ok {
		a.Kind = CountRows
		return a, nil
	}
	if d, ok := f.(sqlparser.DistinctableAggr); ok {
		a.Distinct = d.IsDistinct()
	}
	for _, arg := range f.GetArgs() {
		at := p.at(arg)
		a.Args = append(a.Args, at)
		a.Types = append(a.Types, p.program.Type(at))
	}
	if g, ok := f.(*sqlparser.GroupConcatExpr); ok {
		a.Separator, a.MaxLength = ",", p.concat
		if g.Separator != "" {
			if a.Separator, err = sqltypes.DecodeStringSQL(g.Separator); err != nil {
				return a, err
			}
		}
		for _, o := range g.OrderBy {
			at := p.at(o.Expr)
			a.Order = append(a.Order, Key{at, p.program.Type(at), o.Direction == sqlparser.DescOrder})
		}
	}
	return a, nil
}

// pick puts the columns of a group's row in the order of the select list.
func pick(from Source, columns, outputs []sqlparser.Expr) Source {
	var at []int
	for _, o := range outputs {
		at = append(at, slices.IndexFunc(columns, func(e sqlparser.Expr) bool { return sqlparser.String(e) == sqlparser.String(o) }))
	}
	return &picked{from, at}
}

type picked struct {
	Source
	at []int
}

func (p *picked) Next(ctx context.Context) ([][]expr.Value, error) {
	rows, err := p.Source.Next(ctx)
	var out [][]expr.Value
	for _, r := range rows {
		var o []expr.Value
		for _, at := range p.at {
			o = append(o, r[at])
		}
		out = append(out, o)
	}
	return out, err
}
