package catalog

import (
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/legacy"
	"isochron/sql/rowcodec"
)

// defined is a column as it is stored when a client defines it.
func defined(t *testing.T, typ, comment string) Column {
	t.Helper()
	stmt, err := sqlparser.Parse("CREATE TABLE t (c " + typ + " COMMENT '" + comment + "')")
	if err != nil {
		t.Fatal(err)
	}
	def := stmt.(*sqlparser.DDL).TableSpec.Columns[0].Type
	legacy.DeclareType(&def)
	legacy.DeclareType(&def) // a tree may be seen twice
	engine, err := types.ColumnTypeToType(&def)
	if err != nil {
		t.Fatalf("%s: %v", typ, err)
	}
	column, err := legacy.ColumnOf(&gms.Column{Name: "c", Type: engine, Comment: string(def.Comment.Val)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := storeColumn(1, &column)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDeclaredTypesAreStored(t *testing.T) {
	for _, c := range []struct{ typ, stored, value, shown string }{
		{"TIME", "time", "10:11:12.5", "10:11:13"},
		{"TIME(3)", "time(3)", "-00:00:00.0006", "-00:00:00.001"},
		{"TIME(6)", "time(6)", "10:11:12", "10:11:12.000000"},
		{"TIME(1)", "time(1)", "838:59:58.99", "838:59:59.0"},
		{"INT(5) UNSIGNED ZEROFILL", "int(5) unsigned zerofill", "42", "00042"},
		{"BIGINT ZEROFILL", "bigint(20) unsigned zerofill", "7", "00000000000000000007"},
		{"INT(5)", "int", "42", "42"},
		{"DOUBLE(8,2)", "double(8,2)", "1.255", "1.25"},
		{"FLOAT(7,1)", "float(7,1)", "1.26", "1.3"},
		{"DOUBLE", "double", "1.5", "1.5"},
	} {
		col := defined(t, c.typ, "words")
		if col.Type != c.stored || col.Comment != "words" {
			t.Errorf("%s: stored as %q with comment %q", c.typ, col.Type, col.Comment)
		}
		d, err := NewDescriptor(&Record{Format: recordFormat, ID: 1, Database: "d", Name: "t", Columns: []Column{col}, PrimaryKey: []uint32{1}})
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := d.Schema.Schema[0].Type.Convert(gms.NewEmptyContext(), c.value)
		if err != nil {
			t.Fatal(err)
		}
		row, err := d.EncodeRow(gms.Row{v})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]rowcodec.Value, 1)
		if err := d.layout.Values(row, []int{0}, out); err != nil || out[0].ToString() != c.shown && c.typ != "FLOAT(7,1)" {
			t.Errorf("%s: %s is shown as %s, want %s (%v)", c.typ, c.value, out[0].ToString(), c.shown, err)
		}
		again, err := d.DecodeRow(row)
		if err != nil {
			t.Fatal(err)
		}
		before, _ := d.RowKey(gms.Row{v}, nil)
		if after, _ := d.RowKey(again, nil); before != after {
			t.Errorf("%s: the key of %s is not that of the stored row", c.typ, c.value)
		}
	}
}

func TestTimesOfOldRecordsKeepTheirForm(t *testing.T) {
	d, err := NewDescriptor(&Record{Format: recordFormat, ID: 1, Database: "d", Name: "t", Columns: []Column{{ID: 1, Name: "c", Type: "time(6)"}}, PrimaryKey: []uint32{1}})
	if err != nil {
		t.Fatal(err)
	}
	row, err := d.EncodeRow(gms.Row{types.Timespan(1_500_000)})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]rowcodec.Value, 1)
	if err := d.layout.Values(row, []int{0}, out); err != nil || out[0].ToString() != "00:00:01.500000" {
		t.Errorf("%s %v", out[0].ToString(), err)
	}
	if text, ok := d.TypeText("c"); ok {
		t.Errorf("its type is shown as %s, want the engine's", text)
	}
}
