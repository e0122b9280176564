package legacy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/variables"

	"isochron/sql/legacy"
	"isochron/sql/sysvars"
	"isochron/test/pages"
)

// The table is sorted by name, every variable has a meaning, every integer a unit, and every default
// is a value that can be set.
func TestAll(t *testing.T) {
	if !slices.IsSortedFunc(sysvars.All, func(a, b sysvars.Variable) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("All is not sorted by name")
	}
	seen := map[string]bool{}
	for _, v := range sysvars.All {
		if seen[v.Name] || v.Meaning == "" || v.Max > 0 && v.Unit == "" {
			t.Errorf("%s is in the table twice, or has no meaning or no unit", v.Name)
		}
		seen[v.Name] = true
		if v.OfEngine {
			continue
		}
		if _, _, err := legacy.VariableType(v.Name).Convert(gms.NewEmptyContext(), v.Default); err != nil {
			t.Errorf("%s: its default cannot be set: %v", v.Name, err)
		}
	}
}

// The page of variables has the scope and the default with which the engine knows each variable.
func TestPageOfVariables(t *testing.T) {
	variables.InitSystemVariables()
	legacy.RegisterVariables()
	var b strings.Builder
	b.WriteString(`# System variables

The variables that Isochron adds to MySQL's, and those of MySQL that it defines itself or that have
an effect of their own here. ` + "`SET`" + ` changes a value for the session, ` + "`SET GLOBAL`" + ` for sessions that
begin later at this node, until it stops. [Settings](settings.md) of the node's file set some of
them when it starts. Other variables of MySQL exist as in the SQL engine (go-mysql-server).

| variable | scope | default | values | unit | meaning |
|---|---|---|---|---|---|
`)
	for _, v := range sysvars.All {
		defined, value, ok := gms.SystemVariables.GetGlobal(v.Name)
		if !ok {
			t.Errorf("the engine has no variable %s", v.Name)
			continue
		}
		m, ok := defined.(*gms.MysqlSystemVariable)
		if !ok {
			t.Fatalf("%s is a %T", v.Name, defined)
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%v` | %s | %s | %s |\n", v.Name, scopeOf(m), shown(value), valuesOf(v), v.Unit, pages.Cell(v.Meaning))
	}
	pages.Hold(t, "variables.md", b.String())
}

// scopeOf returns the scope in which a variable can be set.
func scopeOf(m *gms.MysqlSystemVariable) string {
	switch {
	case !m.Dynamic:
		return "read only"
	case m.Scope.IsGlobalOnly():
		return "global"
	}
	return "session, global"
}

// shown is a value as clients write it.
func shown(value any) any {
	switch value {
	case int8(1):
		return "ON"
	case int8(0):
		return "OFF"
	}
	return value
}

// valuesOf is the range of a variable that the engine does not define.
func valuesOf(v sysvars.Variable) string {
	switch {
	case v.Fixed || v.OfEngine:
		return ""
	case v.Max > 0:
		return fmt.Sprintf("%d to %d", v.Min, v.Max)
	}
	var all []string
	for _, value := range v.Values {
		if !strings.HasPrefix(value, sysvars.NextMark) {
			all = append(all, "`"+value+"`")
		}
	}
	return strings.Join(all, ", ")
}
