package legacy

import (
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// A column keeps the digits of its type that the engine's type lacks.
func TestDeclaredTypes(t *testing.T) {
	for typ, stored := range map[string]string{
		"TIME": "time", "TIME(3)": "time(3)", "INT(5) UNSIGNED ZEROFILL": "int(5) unsigned zerofill", "BIGINT ZEROFILL": "bigint(20) unsigned zerofill", "INT(5)": "int",
		"DOUBLE(8,2)": "double(8,2)", "FLOAT(7,1)": "float(7,1)", "DOUBLE": "double",
	} {
		stmt, err := sqlparser.Parse("CREATE TABLE t (c " + typ + " COMMENT 'words')")
		if err != nil {
			t.Fatal(err)
		}
		def := stmt.(*sqlparser.DDL).TableSpec.Columns[0].Type
		DeclareType(&def)
		DeclareType(&def) // a tree may be seen twice
		engine, err := types.ColumnTypeToType(&def)
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		c, err := ColumnOf(&gms.Column{Name: "c", Type: engine, Comment: string(def.Comment.Val)})
		if err != nil || c.Type != stored || c.Comment != "words" {
			t.Errorf("%s: stored as %q with comment %q (%v)", typ, c.Type, c.Comment, err)
		}
	}
}
