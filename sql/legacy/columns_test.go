package legacy

import (
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/coltype"
)

// A column of the engine becomes a definition, and that the same column.
func TestColumnsComeBack(t *testing.T) {
	for _, typ := range stored {
		engine := &gms.Column{
			Name: "c", Type: typ, Nullable: true, Comment: "words", Default: gms.NewUnresolvedColumnDefaultValue("1 + 1"), Extra: "x", PrimaryKey: true,
		}
		c, err := ColumnOf(engine)
		if err != nil {
			t.Fatal(err)
		}
		schema, own, err := NewSchema("d", "t", []Column{c}, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		back := schema.Schema[0]
		if !types.TypesEqual(back.Type, typ) || back.Name != "c" || !back.Nullable || back.Comment != "words" || back.Default == nil || *c.Default != engine.Default.String() ||
			back.OnUpdate != nil || back.Generated != nil || back.Extra != "x" || !back.PrimaryKey || back.Source != "t" || back.DatabaseSource != "d" {
			t.Errorf("%s comes back as %+v", typ, back)
		}
		of := TypeOf(typ)
		if !own[0].Equal(&of) || own[0].Name != c.Type {
			t.Errorf("%s is %+v, want %+v", typ, own[0], of)
		}
		if other := (&Column{Type: "geometry"}); c.SameType(other) || !c.SameType(&c) {
			t.Errorf("%s is of another type than itself, or a geometry", typ)
		}
	}
}

// The text of a type says what the engine's type lacks.
func TestTextsSayMore(t *testing.T) {
	for text, want := range map[string]coltype.Shown{
		"time": {Declared: true}, "time(3)": {Declared: true, Digits: 3}, "double(8,2)": {Declared: true, Digits: 2}, "int(5) unsigned zerofill": {Width: 5}, "varchar(3)": {},
	} {
		for _, declared := range []bool{true, false} {
			c := Column{Name: "c", Type: text, Declared: declared}
			got, err := c.CoreType()
			if !declared {
				want = coltype.Shown{}
			}
			if err != nil || got.Shown != want || text == "double(8,2)" && declared != (got.Precision == 8 && got.Scale == 2) {
				t.Errorf("%s, declared %t: %+v (%v)", text, declared, got, err)
			}
		}
	}
	c := Column{Name: "c", Type: "no type"}
	if _, err := c.CoreType(); err == nil {
		t.Error("a text that is no type is one")
	}
}

func TestIndexesThatAreRefused(t *testing.T) {
	one := []gms.IndexColumn{{Name: "a", Length: 3}}
	if x, err := IndexOf(gms.IndexDef{Name: "x", Constraint: gms.IndexConstraint_Unique, Columns: one, Comment: "c"}); err != nil || !x.Unique || x.Comment != "c" || x.Columns[0] != (IndexColumn{"a", 3}) {
		t.Errorf("%+v %v", x, err)
	}
	for want, def := range map[string]gms.IndexDef{
		"full-text":     {Name: "x", Constraint: gms.IndexConstraint_Fulltext, Columns: one},
		"spatial":       {Name: "x", Constraint: gms.IndexConstraint_Spatial, Columns: one},
		"an expression": {Name: "x", Columns: []gms.IndexColumn{{Expression: nil}, {Expression: gms.NewUnresolvedColumnDefaultValue("1")}}},
	} {
		if _, err := IndexOf(def); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Expressions are read and renamed without a change of what else they say.
func TestNamesInExpressions(t *testing.T) {
	columns, err := ColumnsIn("a + lower(`b c`) > 'a'")
	if err != nil || strings.Join(columns, ",") != "a,b c" {
		t.Errorf("%q %v", columns, err)
	}
	for _, c := range []struct{ text, want string }{{"A + a.b > 'a'", "z + a.b > 'a'"}, {"b > 1", "b > 1"}} {
		if got, err := RenameIn(c.text, "a", "z"); err != nil || got != c.want {
			t.Errorf("%s becomes %s, want %s (%v)", c.text, got, c.want, err)
		}
	}
}
