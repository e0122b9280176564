package legacy

import (
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/coltype"
)

// A definition becomes a column of the engine.
func TestColumnsOfTheEngine(t *testing.T) {
	for _, typ := range stored {
		one := "1 + 1"
		c := Column{Name: "c", Type: typ.String(), Nullable: true, Comment: "words", Default: &one, Extra: "x", PrimaryKey: true}
		if of, ok := typ.(gms.TypeWithCollation); ok {
			c.Collation = uint16(of.Collation())
		}
		schema, own, err := NewSchema("d", "t", []Column{c}, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		back := schema.Schema[0]
		if !types.TypesEqual(back.Type, typ) || back.Name != "c" || !back.Nullable || back.Comment != "words" || back.Default == nil || back.Default.String() != gms.NewUnresolvedColumnDefaultValue(one).String() ||
			back.OnUpdate != nil || back.Generated != nil || back.Extra != "x" || !back.PrimaryKey || back.Source != "t" || back.DatabaseSource != "d" {
			t.Errorf("%s becomes %+v", typ, back)
		}
		if of := TypeOf(typ); !own[0].Equal(&of) || own[0].Name != c.Type {
			t.Errorf("%s is %+v, want %+v", typ, own[0], of)
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

// Expressions are read for the columns that they name.
func TestNamesInExpressions(t *testing.T) {
	columns, err := ColumnsIn("a + lower(`b c`) > 'a'")
	if err != nil || strings.Join(columns, ",") != "a,b c" {
		t.Errorf("%q %v", columns, err)
	}
}
