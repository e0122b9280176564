package expr

import (
	"testing"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
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
		"ci BETWEEN bin AND 'b'": true, "ci BETWEEN 'b' AND bin": false, "COALESCE(bin, 'x') BETWEEN 'B' AND 'x'": false, "COALESCE(ci, 'x') BETWEEN 'A' AND 'x'": true, "nopad = ai": true, "nopad = ci": false, "bin = ci OR nopad = ai": true,
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

// Texts of parameters are compared by the collation of the column beside them, also where a condition has columns of several.
func TestParametersBesideColumnsOfSeveralCollations(t *testing.T) {
	collation := func(name string) collations.ID { return environment.CollationEnv().LookupByName(name) }
	c := &Context{Collation: generalCI, Parameters: map[string]*querypb.BindVariable{
		"n": {Type: querypb.Type_DECIMAL, Value: []byte("99999999999999999999.5")}, "v": {Type: querypb.Type_VARCHAR, Value: []byte("b ")}, "w": {Type: querypb.Type_VARCHAR, Value: []byte("B")},
	}}
	var types []Type
	for _, name := range []string{"utf8mb4_unicode_ci", "utf8mb4_bin"} {
		types = append(types, evalengine.NewTypeEx(sqltypes.VarChar, collation(name), true, 10, 0, nil))
	}
	columns := Columns{Types: types, Find: func(n *sqlparser.ColName) (int, error) {
		return map[string]int{"ci": 0, "cs": 1}[n.Name.String()], nil
	}}
	row := []Value{sqltypes.NewVarChar("b"), sqltypes.NewVarChar("b")}
	for condition, want := range map[string]bool{
		"cs = :v AND ci = :w": true, "cs = :w OR ci > :w": false, ":v = cs AND (ci > :n AND ci <= :w)": false, "cs = 'b' AND (ci <> 'q' AND ci <= :w)": true,
		"ci >= :w AND (cs = 'b' AND ci <= :v)": true, "cs IN (:w, 'x') OR NOT (ci = :w)": false,
	} {
		e, err := environment.Parser().ParseExpr(condition)
		if err != nil {
			t.Fatal(err)
		}
		e = sqlparser.CopyOnRewrite(e, nil, func(cursor *sqlparser.CopyOnWriteCursor) {
			if a, ok := cursor.Node().(*sqlparser.Argument); ok {
				typed := *a
				typed.Type = sqltypes.Type(c.Parameters[a.Name].Type)
				cursor.Replace(&typed)
			}
		}, nil).(sqlparser.Expr)
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
