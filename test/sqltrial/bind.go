package main

import (
	"fmt"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/vt/key"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"
	"vitess.io/vitess/go/vt/vtgate/semantics"
	"vitess.io/vitess/go/vt/vtgate/vindexes"
)

// schema is the yardstick's catalogue as the binder asks for it. Its keyspace is sharded: over an
// unsharded one the binder takes a short cut and binds nothing.
type schema struct {
	database string
	tables   map[string]*vindexes.BaseTable // by database.table
}

var keyspace = &vindexes.Keyspace{Name: "k", Sharded: true}

// dual is what the parser puts where a SELECT has no table.
var dual = &vindexes.BaseTable{Name: sqlparser.NewIdentifierCS("dual"), Keyspace: keyspace, Type: vindexes.TypeReference, ColumnListAuthoritative: true}

var _ semantics.SchemaInformation = (*schema)(nil)

func (s *schema) FindTableOrVindex(name sqlparser.TableName) (*vindexes.BaseTable, vindexes.Vindex, string, topodatapb.TabletType, key.ShardDestination, error) {
	if name.Name.String() == "dual" {
		return dual, nil, "", 0, nil, nil
	}
	database := name.Qualifier.String()
	if database == "" {
		database = s.database
	}
	if t := s.tables[database+"."+name.Name.String()]; t != nil {
		return t, nil, "", 0, nil, nil
	}
	return nil, nil, "", 0, nil, vindexes.NotFoundError{TableName: sqlparser.String(name)}
}

func (*schema) ConnCollation() collations.ID    { return connCollation }
func (*schema) Environment() *vtenv.Environment { return environment }
func (*schema) GetForeignKeyChecksState() *bool { return nil }
func (*schema) KeyspaceError(string) error      { return nil }
func (*schema) GetAggregateUDFs() []string      { return nil }
func (*schema) ForeignKeyMode(string) (vschemapb.Keyspace_ForeignKeyMode, error) {
	return vschemapb.Keyspace_unmanaged, nil
}
func (*schema) FindMirrorRule(sqlparser.TableName) (*vindexes.MirrorRule, error) { return nil, nil }

// connCollation is the connection's: general_ci, so that MariaDB compares as MySQL would.
var connCollation = environment.CollationEnv().LookupByName("utf8mb4_general_ci")

// catalogue reads the tables of all databases but the server's own.
func (y *yardstick) catalogue(database string) *schema {
	s := &schema{database: database, tables: map[string]*vindexes.BaseTable{}}
	a := y.query(fmt.Sprintf("SELECT table_schema, table_name, column_name, data_type, column_type, is_nullable, IFNULL(collation_name, ''), IFNULL(COALESCE(numeric_precision, character_maximum_length), 0), COALESCE(numeric_scale, datetime_precision, 0) FROM information_schema.columns WHERE table_schema IN ('%s', 'mysql') ORDER BY table_schema, table_name, ordinal_position", database))
	for _, r := range a.rows {
		id := string(r[0]) + "." + string(r[1])
		t := s.tables[id]
		if t == nil {
			t = &vindexes.BaseTable{Name: sqlparser.NewIdentifierCS(string(r[1])), Keyspace: keyspace, ColumnListAuthoritative: true}
			s.tables[id] = t
		}
		var size, scale int32
		fmt.Sscan(string(r[7]), &size)
		fmt.Sscan(string(r[8]), &scale)
		t.Columns = append(t.Columns, vindexes.Column{
			Name: sqlparser.NewIdentifierCI(string(r[2])), Type: sqlparser.SQLTypeToQueryType(string(r[3]), strings.Contains(string(r[4]), "unsigned")),
			CollationName: string(r[6]), Nullable: string(r[5]) == "YES", Size: size, Scale: scale,
		})
	}
	return s
}

// bound is what the binder made of a statement.
type bound struct {
	applies bool   // a statement that the binder is for, and that the parser took
	err     string // why it refused
	sharded string // why it would refuse to divide it over shards; no obstacle to another planner
	names   int    // columns of the answer, -1 if it is no query
	classes []string
}

// bind parses the text anew, since binding changes the tree.
func bind(text string, s *schema) (b bound) {
	defer func() {
		if r := recover(); r != nil {
			b.err = fmt.Sprint("panic: ", r)
		}
	}()
	stmt, err := environment.Parser().ParseStrictDDL(text)
	if err != nil {
		return bound{}
	}
	switch stmt.(type) {
	case *sqlparser.Select, *sqlparser.Union, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete, *sqlparser.ValuesStatement:
	default:
		return bound{}
	}
	b = bound{applies: true, names: -1}
	table, err := semantics.Analyze(stmt, s.database, s)
	if err != nil {
		b.err = err.Error()
		return b
	}
	for _, e := range []error{table.NotSingleRouteErr, table.NotUnshardedErr, table.NotSingleShardErr} {
		if e != nil {
			b.sharded = e.Error()
		}
	}
	if q, ok := stmt.(sqlparser.TableStatement); ok {
		exprs := q.GetColumns()
		b.names = len(exprs)
		for _, e := range exprs {
			a, ok := e.(*sqlparser.AliasedExpr)
			if !ok {
				b.names = -1
				b.classes = nil
				break
			}
			typ, found := table.TypeForExpr(a.Expr)
			switch {
			case !found || !typ.Valid():
				b.classes = append(b.classes, "")
			default:
				b.classes = append(b.classes, class(typ.Type().String()))
			}
		}
	}
	return b
}

// class is the coarse kind of a type, by the name that the driver or vitess.io gives it.
func class(name string) string {
	n := strings.ToUpper(name)
	switch {
	case n == "NULL_TYPE" || n == "NULL":
		return "null"
	case strings.Contains(n, "TIMESTAMP") || strings.HasPrefix(n, "DATETIME"):
		return "datetime"
	case n == "DATE", n == "TIME", n == "YEAR", n == "JSON", n == "BIT":
		return strings.ToLower(n)
	case strings.Contains(n, "INT"):
		return "int"
	case strings.HasPrefix(n, "FLOAT"), n == "DOUBLE":
		return "float"
	case n == "DECIMAL":
		return "decimal"
	}
	return "string"
}
