package expr

import (
	"testing"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// A slot that refers to one of a branch is computed again when the branch is taken.
func TestSlotsOfBranches(t *testing.T) {
	types := []Type{evalengine.NewTypeEx(sqltypes.VarChar, 46, true, 20, 0, nil), evalengine.NewTypeEx(sqltypes.Text, 45, true, 20, 0, nil)}
	c := &Context{Collation: collations.ID(45)}
	cols := Columns{Types: types, Find: func(n *sqlparser.ColName) (int, error) {
		if n.Name.String() == "vb" {
			return 0, nil
		}
		return 1, nil
	}}
	c.Parameters = map[string]*querypb.BindVariable{"v1": {Type: sqltypes.VarChar, Value: []byte("some text")}}
	for _, text := range []string{"vb is null and t = :v1", "t = :v1 and vb is null"} {
		e, err := Environment().Parser().ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			if a, ok := n.(*sqlparser.Argument); ok {
				a.Type = sqltypes.VarChar
			}
			return true, nil
		}, e)
		p, err := Compile(c, cols, e)
		if err != nil {
			t.Fatal(err)
		}
		p.Begin(c)
		if err := p.Constants(); err != nil {
			t.Fatal(err)
		}
		for _, row := range [][]Value{{sqltypes.NewVarChar("x"), sqltypes.NewVarChar("Some text ")}, {sqltypes.NULL, sqltypes.NewVarChar("Some text ")}} {
			if ok, err := p.True(row); err != nil || ok != row[0].IsNull() {
				t.Errorf("%s of %v: %v %v", text, row, ok, err)
			}
		}
	}
}

// What has one value for all rows is computed before there is one, from other such values too.
func TestConstantsOfConstants(t *testing.T) {
	for text, want := range map[string]bool{"'a' in (12)": false, "'12' in (12, 'b')": true, "'a' not in (12)": true} {
		e, err := Environment().Parser().ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		c := &Context{Collation: collations.ID(45)}
		p, err := Compile(c, Columns{}, e)
		if err != nil {
			t.Fatal(err)
		}
		p.Begin(c)
		if err := p.Constants(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := p.True(nil); err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
}
