package define

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/coltype"
	"isochron/sql/expr"
	"isochron/sql/store"
)

// values takes in the defaults and the generated columns.
func (b *builder) values() (err error) {
	if b.draft, err = catalog.Draft(b.def); err != nil {
		return err
	}
	for i := range b.s.Columns {
		if err := b.env.valueOf(&b.s.Columns[i], b.draft, i, &b.def.Columns[i], b.follows(i)); err != nil {
			return err
		}
	}
	return nil
}

// follows reports whether a column that the one at a position may not refer to is computed behind it.
func (b *builder) follows(pos int) func(at int) bool {
	return func(at int) bool {
		c := &b.s.Columns[at]
		return at >= pos && (c.Generated != nil || c.Default != nil && c.Default.Kind == Computed)
	}
}

// valueOf takes in a column's default and what computes it; behind reports whether a column that it may not refer to is computed behind.
func (env *Env) valueOf(c *Column, d *catalog.Descriptor, pos int, out *catalog.ColumnDefinition, behind func(at int) bool) error {
	if c.OnUpdate != nil {
		if !takesNow(d.Type(pos), c.OnUpdate.Digits) {
			return expr.NewError(1294, "HY000", "Invalid ON UPDATE clause for '%s' column", c.Name)
		}
		out.OnUpdate = nowText(c.OnUpdate.Digits)
	}
	if c.Generated != nil {
		text, err := env.computed(generatedColumn, c.Name, c.Generated.Tree, d, behind)
		if err != nil {
			return err
		}
		out.Generated = &text
		return nil
	}
	if c.Default == nil {
		return nil
	}
	switch c.Default.Kind {
	case Now:
		if !takesNow(d.Type(pos), c.Default.Digits) {
			return invalidDefault(c.Name)
		}
		out.Default = nowText(c.Default.Digits)
	case Computed:
		text, err := env.computed(defaultValue, c.Name, c.Default.Value.Tree, d, behind)
		if err != nil {
			return err
		}
		out.Default = &text
	default:
		text, err := env.constant(c, d, pos)
		if err != nil {
			return err
		}
		out.Default = text
	}
	return nil
}

func invalidDefault(column string) error {
	return expr.NewError(1067, "42000", "Invalid default value for '%s'", column)
}

// takesNow reports whether a column's type is one of CURRENT_TIMESTAMP with so many digits.
func takesNow(t *coltype.Type, digits int) bool {
	return (t.SQL == sqltypes.Datetime || t.SQL == sqltypes.Timestamp) && t.Fraction == digits
}

func nowText(digits int) *string {
	text := "CURRENT_TIMESTAMP"
	if digits > 0 {
		text = fmt.Sprintf("CURRENT_TIMESTAMP(%d)", digits)
	}
	return &text
}

// constant is the text of a constant default as the column holds it; nil: it is NULL.
func (env *Env) constant(c *Column, d *catalog.Descriptor, pos int) (*string, error) {
	e := c.Default.Value.Tree
	if _, null := e.(*sqlparser.NullVal); null {
		if c.Null == NotNull || c.Primary {
			return nil, invalidDefault(c.Name)
		}
		return nil, nil
	}
	t := d.Type(pos)
	if large := t.SQL == sqltypes.Text || t.SQL == sqltypes.Blob || t.Kind == coltype.KindJSON; large {
		return nil, expr.NewError(1101, "42000", "BLOB, TEXT, GEOMETRY or JSON column '%s' can't have a default value", c.Name)
	}
	column, ok := store.NewColumn(d, pos)
	if !ok { // of a character set that the core does not store in
		text := sqlparser.String(e)
		return &text, nil
	}
	program, err := expr.Compile(env.Context, expr.Columns{}, e)
	if err != nil {
		return nil, invalidDefault(c.Name)
	}
	program.Begin(env.Context)
	out, err := program.Run(nil, nil)
	if err != nil || len(out) == 0 {
		return nil, invalidDefault(c.Name)
	}
	v := out[0]
	if l, ok := e.(*sqlparser.Literal); ok && (l.Type == sqlparser.HexVal || l.Type == sqlparser.HexNum || l.Type == sqlparser.BitNum) {
		v = sqltypes.MakeTrusted(sqltypes.HexVal, v.Raw())
	}
	target := store.Target{Context: env.Context, Strict: true, Row: 1}
	value, err := target.Store(column, v)
	if err != nil {
		return nil, invalidDefault(c.Name)
	}
	return textOf(d, pos, value)
}

// textOf is a value of a column as a constant.
func textOf(d *catalog.Descriptor, pos int, value any) (*string, error) {
	v, err := d.TextOf(pos, value)
	if err != nil {
		return nil, err
	}
	text := v.ToString()
	switch d.Type(pos).Kind {
	case coltype.KindInt, coltype.KindUint, coltype.KindFloat32, coltype.KindFloat64, coltype.KindDecimal, coltype.KindYear:
	case coltype.KindBit:
		n, _ := value.(uint64)
		text = fmt.Sprint(n)
	case coltype.KindBytes:
		if text = "0x" + hex.EncodeToString(v.Raw()); len(v.Raw()) == 0 {
			text = "''"
		}
	default:
		text = Quoted(text)
	}
	return &text, nil
}

// purpose is what an expression is for.
type purpose uint8

const (
	generatedColumn purpose = iota
	defaultValue
	checkCondition
)

// computed is the stored text of an expression over a table's columns, which is refused with MySQL's errors.
func (env *Env) computed(p purpose, name string, e sqlparser.Expr, d *catalog.Descriptor, behind func(at int) bool) (string, error) {
	if err := p.allows(name, e); err != nil {
		return "", err
	}
	for _, c := range columnsOf(e) {
		at := slices.IndexFunc(d.Record.Columns, func(of catalog.Column) bool { return strings.EqualFold(of.Name, c.Name.String()) })
		if at < 0 || !c.Qualifier.IsEmpty() && !strings.EqualFold(c.Qualifier.Name.String(), d.Record.Name) {
			return "", p.unknown(name, sqlparser.String(c))
		}
		if behind != nil && behind(at) {
			return "", p.early()
		}
		if d.Record.Columns[at].AutoInc {
			if err := p.counts(name); err != nil {
				return "", err
			}
		}
	}
	if err := env.compiles(e, d); err != nil {
		return "", err
	}
	if p == checkCondition {
		return Text(e), nil
	}
	return "(" + Text(e) + ")", nil
}

// compiles reports an expression that cannot be computed over the columns of a table.
func (env *Env) compiles(e sqlparser.Expr, d *catalog.Descriptor) error {
	columns := expr.Columns{Find: func(name *sqlparser.ColName) (int, error) {
		return slices.IndexFunc(d.Record.Columns, func(of catalog.Column) bool { return strings.EqualFold(of.Name, name.Name.String()) }), nil
	}}
	for pos, c := range d.Record.Columns {
		columns.Types = append(columns.Types, expr.ColumnType(d.Type(pos), c.Nullable))
	}
	_, err := expr.Compile(env.Context, columns, e)
	var u *expr.Unsupported
	if errors.As(err, &u) {
		if f, ok := e.(*sqlparser.FuncExpr); ok && !expr.Knows(f.Name.String()) {
			return expr.NewError(1305, "42000", "FUNCTION %s does not exist", f.Name.String())
		}
		return expr.NewError(1235, "42000", "This version of Isochron doesn't yet support '%s in a definition'", u.What)
	}
	return err
}

// varying are functions whose value is another each time, or depends on the session.
var varying = map[string]bool{
	"rand": true, "uuid": true, "uuid_short": true, "random_bytes": true, "connection_id": true, "current_user": true, "database": true, "schema": true, "user": true,
	"session_user": true, "system_user": true, "version": true, "last_insert_id": true, "found_rows": true, "row_count": true, "sleep": true, "get_lock": true, "release_lock": true,
	"release_all_locks": true, "is_free_lock": true, "is_used_lock": true, "benchmark": true, "load_file": true, "sysdate": true, "unix_timestamp": true, "now": true,
	"curdate": true, "curtime": true, "current_role": true, "ps_current_thread_id": true,
}

// forever are functions that not even a default may call.
var forever = map[string]bool{"sleep": true, "get_lock": true, "release_lock": true, "release_all_locks": true, "benchmark": true, "load_file": true, "last_insert_id": true, "found_rows": true, "row_count": true}

// allows is the error of an expression with a part that is not allowed.
func (p purpose) allows(name string, e sqlparser.Expr) (err error) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		function := ""
		switch n := n.(type) {
		case *sqlparser.Subquery, *sqlparser.ExistsExpr:
			err = p.function(name, "")
		case sqlparser.AggrFunc:
			err = expr.NewError(1111, "HY000", "Invalid use of group function")
		case *sqlparser.Variable:
			err = p.variable(name)
		case *sqlparser.Default, *sqlparser.ValuesFuncExpr:
			err = p.function(name, "")
		case *sqlparser.FuncExpr:
			function = n.Name.Lowered()
		case *sqlparser.CurTimeFuncExpr:
			function = n.Name.Lowered()
			if p != defaultValue {
				err = p.function(name, function)
			}
		case *sqlparser.LockingFunc:
			err = p.function(name, "get_lock")
		}
		if function != "" && (p != defaultValue && varying[function] && !(function == "unix_timestamp" && hasArguments(n)) || forever[function]) {
			err = p.function(name, function)
		}
		return err == nil, nil
	}, e)
	return err
}

func hasArguments(n sqlparser.SQLNode) bool {
	f, ok := n.(*sqlparser.FuncExpr)
	return ok && len(f.Exprs) > 0
}

func (p purpose) function(name, function string) error {
	switch {
	case p == generatedColumn && function != "":
		return expr.NewError(3763, "HY000", "Expression of generated column '%s' contains a disallowed function: %s.", name, function)
	case p == generatedColumn:
		return expr.NewError(3102, "HY000", "Expression of generated column '%s' contains a disallowed function.", name)
	case p == defaultValue && function != "":
		return expr.NewError(3770, "HY000", "Default value expression of column '%s' contains a disallowed function: %s.", name, function)
	case p == defaultValue:
		return expr.NewError(3769, "HY000", "Default value expression of column '%s' contains a disallowed function.", name)
	case function != "":
		return expr.NewError(3814, "HY000", "An expression of a check constraint '%s' contains disallowed function: %s.", name, function)
	}
	return expr.NewError(3815, "HY000", "An expression of a check constraint '%s' contains disallowed function.", name)
}

func (p purpose) variable(name string) error {
	switch p {
	case generatedColumn:
		return expr.NewError(3772, "HY000", "Expression of generated column '%s' cannot refer user or system variables.", name)
	case defaultValue:
		return expr.NewError(3772, "HY000", "Default value expression of column '%s' cannot refer user or system variables.", name)
	}
	return expr.NewError(3816, "HY000", "An expression of a check constraint '%s' cannot refer to a user or system variable.", name)
}

func (p purpose) unknown(name, column string) error {
	switch p {
	case generatedColumn:
		return expr.NewError(1054, "42S22", "Unknown column '%s' in 'generated column function'", column)
	case defaultValue:
		return expr.NewError(1054, "42S22", "Unknown column '%s' in 'default value expression'", column)
	}
	return expr.NewError(3820, "HY000", "Check constraint '%s' refers to non-existing column '%s'.", name, column)
}

// early is the error of a column that is computed from one behind it.
func (p purpose) early() error {
	if p == generatedColumn {
		return expr.NewError(3107, "HY000", "Generated column can refer only to generated columns defined prior to it.")
	}
	return expr.NewError(3767, "HY000", "Default value expression of a column cannot refer to a column defined after it if that column is a generated column or has an expression as default value.")
}

// counts is the error of an expression that refers to a column that counts by itself.
func (p purpose) counts(name string) error {
	switch p {
	case generatedColumn:
		return expr.NewError(3109, "HY000", "Generated column '%s' cannot refer to auto-increment column.", name)
	case defaultValue:
		return expr.NewError(3774, "HY000", "Default value expression of column '%s' cannot refer to an auto-increment column.", name)
	}
	return expr.NewError(3818, "HY000", "Check constraint '%s' cannot refer to an auto-increment column.", name)
}
