package sql

import (
	"context"
	"errors"
	"regexp"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	vtsqltypes "vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/refused"
)

// refusedModes are the modes under which values are computed otherwise than the core does, and the forms that are refused
// under them.
var refusedModes = map[string]string{"PAD_CHAR_TO_FULL_LENGTH": "padded"}

// refuses is the error of a query or change that the settings do not allow, or whose form is refused.
func (c *coreSettings) refuses(s *Session, tree sqlparser.SQLNode) (err error) {
	if c.unknown != "" {
		return refused.Error("collation", c.unknown)
	}
	if c.results.unknown != "" {
		return refused.Error("charset", c.results.unknown)
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.MatchExpr:
			err = refused.Error("fulltext", "")
		case *sqlparser.JSONTableExpr:
			err = refused.Error("json-table", "")
		case *sqlparser.SelectInto:
			if n != nil && n.Type != sqlparser.IntoVariables {
				h := s.holder()
				if err = h.Holds([]string{"FILE"}); err == nil {
					err = refused.Error("file", "")
				}
			}
		case *sqlparser.Nextval:
			err = expr.NewError(1064, "42000", "You have an error in your SQL syntax: NEXT VALUE FOR is not MySQL's")
		}
		return err == nil, nil
	}, tree)
	return err
}

// refusesColumns is the error of a query that reads columns whose values the settings have otherwise.
func (c *coreSettings) refusesColumns(q *bind.Query) error {
	if !slices.Contains(c.refused, "padded") {
		return nil
	}
	for _, s := range q.Sources {
		if s.Table != nil && slices.ContainsFunc(s.Table.Schema.Schema, func(col *gms.Column) bool { return col.Type.Type() == sqltypes.Char }) {
			return refused.Error("padded", "")
		}
	}
	return nil
}

// intoVariables takes the user variables that take the query's row out of its tree; nil: it has none.
func intoVariables(tree sqlparser.TableStatement) (sqlparser.TableStatement, []string, error) {
	var into *sqlparser.SelectInto
	switch s := tree.(type) {
	case *sqlparser.Select:
		if into = s.Into; into == nil {
			return tree, nil, nil
		}
		s.Into = nil
	case *sqlparser.Union:
		if into = s.Into; into == nil {
			return tree, nil, nil
		}
		s.Into = nil
	default:
		return tree, nil, nil
	}
	names := []string{}
	for _, v := range into.VarList {
		if v.Scope != sqlparser.VariableScope {
			return nil, nil, expr.NewError(1327, "42000", "Undeclared variable: %s", v.Name.String())
		}
		names = append(names, v.Name.String())
	}
	return tree, names, nil
}

// assign gives the variables the values of the query's only row.
func (p *corePlan) assign(ctx context.Context, x *execution, c *expr.Context, from exec.Source) error {
	s, count := x.s, int64(0)
	for {
		rows, err := from.Next(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return coreError(err)
		}
		if rows == nil {
			break
		}
		for _, row := range rows {
			if count++; count > 1 {
				return mysql.NewSQLError(1172, "42000", "Result consisted of more than one row")
			}
			for i, name := range p.into {
				if err := s.setVariable(name, expr.Display(row[i], p.of[i].Type), p.of[i].Type); err != nil {
					return err
				}
			}
		}
	}
	showCoreWarnings(s, c)
	if count == 0 {
		s.Warn(&gms.Warning{Level: "Warning", Code: 1329, Message: "No data - zero rows fetched, selected, or processed"})
	}
	if p.sets {
		count = 0
	}
	s.GetLastQueryInfo().RowCount.Store(count)
	r := &sqltypes.Result{RowsAffected: uint64(count)}
	if x.below != nil {
		x.result = *r
		return nil
	}
	return x.yield(r, x.rest != "")
}

// setVariable sets a user variable.
func (s *Session) setVariable(name string, v expr.Value, t expr.Type) error {
	value, of := any(nil), gms.Type(gmstypes.Null)
	switch k := t.Type(); {
	case v.IsNull():
	case vtsqltypes.IsSigned(k):
		if n, err := v.ToInt64(); err == nil {
			value, of = n, gmstypes.Int64
		}
	case vtsqltypes.IsUnsigned(k):
		if n, err := v.ToUint64(); err == nil {
			value, of = n, gmstypes.Uint64
		}
	case vtsqltypes.IsFloat(k):
		if n, err := v.ToFloat64(); err == nil {
			value, of = n, gmstypes.Float64
		}
	case vtsqltypes.IsDecimal(k):
		d := gmstypes.MustCreateDecimalType(65, uint8(min(max(t.Scale(), 0), 30)))
		n, _, err := d.Convert(s.quiet, v.ToString())
		if err != nil {
			return err
		}
		value, of = n, d
	case vtsqltypes.IsBinary(k):
		value, of = slices.Clone(v.Raw()), gmstypes.LongBlob
	}
	if value == nil && !v.IsNull() {
		value, of = v.ToString(), gmstypes.LongText
	}
	return s.SetUserVariable(s.quiet, name, value, of)
}

// missing is the error of a name that is no table which the session's user may read.
func missing(s *Session, snap *catalog.Snapshot) func(database, name string) error {
	return func(database, name string) error {
		if database == "" {
			database = s.GetCurrentDatabase()
		}
		if database == "" {
			return expr.NewError(codeNoDatabase, "3D000", "No database selected")
		}
		h := s.holder()
		if !equalFold(database, serverDatabases[0]) && !h.HasOnTable("SELECT", database, name) {
			return h.DeniedTable("SELECT", name)
		}
		if _, ok := snap.Database(database); !ok && !isServers(database) {
			return expr.NewError(codeUnknownDatabase, "42000", "Unknown database '%s'", database)
		}
		if _, ok := snap.View(database, name); ok {
			return expr.NewError(1356, "HY000", "View '%s.%s' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them", database, name)
		}
		if _, ok := snap.ForeignTable(database, name); ok {
			return &expr.Unsupported{What: "the types of columns of " + name}
		}
		return expr.NewError(codeNoTable, "42S02", "Table '%s.%s' doesn't exist", database, name)
	}
}

// mayBeStale reports whether an error may be one of a catalogue that is behind.
func mayBeStale(err error) bool {
	var e *expr.Error
	if errors.As(err, &e) {
		switch e.Code {
		case 1054, 1049, 1146, 1176, 1356:
			return true
		}
		return false
	}
	var u *expr.Unsupported
	return errors.As(err, &u)
}

// called matches the name of a function that is called.
var called = regexp.MustCompile("(?i)`?([a-z_][a-z0-9_]*)`?\\(")

// spatialName matches names of spatial functions, and of what the parser makes of them.
var spatialName = regexp.MustCompile(`(?i)^(st_.*|mbr.*|point|linestring|polygon|multipoint|multilinestring|multipolygon|geomcollection|geometrycollection|geom.*fromtext)$`)

// queryError is the error of a query that cannot be compiled.
func queryError(s *Session, err error) error {
	var u *expr.Unsupported
	if !errors.As(err, &u) {
		return coreError(err)
	}
	for _, f := range called.FindAllStringSubmatch(u.What, -1) {
		if spatialName.MatchString(f[1]) {
			return coreError(refused.Error("spatial", f[1]))
		}
	}
	if e, err := expr.Environment().Parser().ParseExpr(u.What); err == nil {
		f, ok := e.(*sqlparser.FuncExpr)
		if !ok || expr.Knows(f.Name.String()) {
			return coreError(refused.Error("part", u.What))
		}
		name := f.Name.String()
		if db := s.GetCurrentDatabase(); db != "" {
			name = db + "." + name
		}
		return coreError(refused.Error("function", name))
	}
	return coreError(refused.Error("part", u.What))
}
