package expr

import (
	"testing"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Of two columns that are compared, that of a binary collation decides, and whether it pads.
func TestBinaryCollationDecides(t *testing.T) {
	collation := func(name string) collations.ID { return environment.CollationEnv().LookupByName(name) }
	c := &Context{Collation: generalCI}
	var types []Type
	for _, name := range []string{"utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_0900_ai_ci", "utf8mb4_0900_bin"} {
		types = append(types, evalengine.NewTypeEx(sqltypes.VarChar, collation(name), true, 10, 0, nil))
	}
	columns := Columns{Types: types, Find: func(n *sqlparser.ColName) (int, error) {
		return map[string]int{"ci": 0, "bin": 1, "ai": 2, "nopad": 3}[n.Name.String()], nil
	}}
	row := []Value{sqltypes.NewVarChar("a "), sqltypes.NewVarChar("A"), sqltypes.NewVarChar("a"), sqltypes.NewVarChar("a")}
	for condition, want := range map[string]bool{
		"bin = ci": false, "ci = bin": false, "ci <> bin": true, "bin <=> ai": false, "bin < ci": true, "bin IN (ci, 'A')": true, "bin IN (ci, 'a')": false,
		"ci BETWEEN bin AND 'b'": true, "ci BETWEEN 'b' AND bin": false, "nopad = ai": true, "nopad = ci": false, "bin = ci OR nopad = ai": true,
	} {
		e, err := environment.Parser().ParseExpr(condition)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(c, columns, e)
		if err != nil {
			t.Errorf("%s: %v", condition, err)
			continue
		}
		p.Begin(c)
		if got, err := p.True(row); err != nil || got != want {
			t.Errorf("%s: %v, %v", condition, got, err)
		}
	}
}
