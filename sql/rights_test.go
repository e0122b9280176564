package sql

import (
	"database/sql"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// isDenied reports whether an error says that somebody may not.
func isDenied(err error) bool {
	n, _, _ := codeOf(err)
	return slices.Contains([]uint16{1044, 1045, 1142, 1227, 1370}, n)
}

// rightsWorld is a server with objects that the examples are about.
type rightsWorld struct {
	t     *testing.T
	g     *guarded
	root  *sql.DB
	users int
}

func newRightsWorld(t *testing.T) *rightsWorld {
	g := startGuarded(t, nil)
	w := &rightsWorld{t: t, g: g, root: g.open(t, "va", "root", rootPassword, true)}
	must(t, w.root, "CREATE DATABASE other")
	return w
}

func (w *rightsWorld) reset() {
	must(w.t, w.root, "DROP DATABASE IF EXISTS d", "DROP DATABASE IF EXISTS d8", "DROP DATABASE IF EXISTS d9", "DROP USER IF EXISTS plain", "DROP USER IF EXISTS u9", "DROP ROLE IF EXISTS r", "DROP ROLE IF EXISTS r9",
		"CREATE DATABASE d", "CREATE DATABASE d8", "CREATE TABLE d.t (id INT PRIMARY KEY, n INT, KEY i8 (n))", "INSERT INTO d.t VALUES (1, 1)",
		"USE d", "CREATE VIEW v AS SELECT id FROM t", "CREATE USER plain", "CREATE ROLE r")
}

// do is what a new user gets who was granted something.
func (w *rightsWorld) do(example string, grants ...string) error {
	w.t.Helper()
	w.reset()
	w.users++
	name := fmt.Sprintf("user%d", w.users)
	must(w.t, w.root, "CREATE USER "+name+" IDENTIFIED BY 'p'")
	for _, grant := range grants {
		must(w.t, w.root, fmt.Sprintf(grant, name))
	}
	db := w.g.open(w.t, "va", name, "p", true)
	defer db.Close()
	db.SetMaxOpenConns(1)
	if example == "EXECUTE p" {
		must(w.t, db, "PREPARE p FROM 'SELECT 1'")
	}
	_, _ = db.Exec("USE d") // if the user may
	_, err := db.Exec(example)
	return err
}

// grantOf is how root grants a need, at *.*.
func grantOf(needs ...string) []string {
	var out []string
	for _, need := range needs {
		if need == anyPrivilege {
			need = "SELECT"
		}
		first, _, _ := strings.Cut(need, " or ")
		out = append(out, "GRANT "+first+" ON *.* TO %s")
	}
	return out
}

// allBut grants everything but one need and what stands for it.
func allBut(need string) []string {
	if need == anyPrivilege {
		return []string{"GRANT ALL ON other.* TO %s"}
	}
	out := []string{"GRANT ALL ON *.* TO %s WITH GRANT OPTION", "REVOKE SUPER ON *.* FROM %s"}
	var dynamic []string
	for name := range dynamicPrivileges {
		dynamic = append(dynamic, name)
	}
	sort.Strings(dynamic)
	out = append(out, "GRANT "+strings.Join(dynamic, ", ")+" ON *.* TO %s")
	for _, p := range strings.Split(need, " or ") {
		out = append(out, "REVOKE "+p+" ON *.* FROM %s")
	}
	return out
}

// Each row of the table, by users who have nothing, all but a need, and just the needs.
func TestRights(t *testing.T) {
	w := newRightsWorld(t)
	for _, r := range Rights() {
		stmt, err := sqlparser.Parse(r.Example)
		if err == nil && kindOf(stmt) != r.Statement {
			t.Errorf("%s: its example %q is %q", r.Statement, r.Example, kindOf(stmt))
		}
		if err != nil && r.Statement != "block of a routine" {
			t.Errorf("%s: %q: %v", r.Statement, r.Example, err)
			continue
		}
		nothing := w.do(r.Example)
		if denied := isDenied(nothing); denied != (len(r.Needs) > 0) {
			t.Errorf("%s, with nothing: %v", r.Statement, nothing)
		}
		for _, need := range r.Needs {
			if err := w.do(r.Example, allBut(need)...); !isDenied(err) {
				t.Errorf("%s, with all but %s: %v", r.Statement, need, err)
			}
		}
		if err := w.do(r.Example, grantOf(r.Needs...)...); len(r.Needs) > 0 && isDenied(err) {
			t.Errorf("%s, with just %v: %v", r.Statement, r.Needs, err)
		}
	}
}

// Each type of statement that the parser can make has a row, or is one that it never
// makes. A new type has none, and is refused.
func TestEveryStatementHasARight(t *testing.T) {
	never := []string{"Stream", "OtherRead", "OtherAdmin", "SrsAttribute", "InjectedStatement"}
	named := map[string]bool{}
	for _, f := range parseFiles(t, ".") {
		if strings.HasSuffix(f.name, "rights_kind.go") {
			ast.Inspect(f.file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					named[s.Sel.Name] = true
				}
				return true
			})
		}
	}
	for _, name := range []string{"Select", "SetOp", "ParenSelect"} {
		named[name] = named["SelectStatement"]
	}
	dir, err := build.Import("github.com/dolthub/vitess/go/vt/sqlparser", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	types := 0
	for _, f := range parseFiles(t, dir.Dir) {
		for _, d := range f.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != "iStatement" || fn.Recv == nil {
				continue
			}
			types++
			name := ""
			ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					name = id.Name
				}
				return true
			})
			if !named[name] && !slices.Contains(never, name) {
				t.Errorf("statements of the type %s have no right: name its kind in kindOf, and what it needs in rights", name)
			}
		}
	}
	if types < 60 {
		t.Errorf("%d types of statements were found", types)
	}
}

type sourceFile struct {
	name string
	file *ast.File
}

func parseFiles(t *testing.T, dir string) []sourceFile {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []sourceFile
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sourceFile{name, f})
	}
	return out
}

// A statement of a kind without a row is refused, whoever sends it.
func TestKindWithoutARow(t *testing.T) {
	if err := permit(t.Context(), &sqlparser.OtherAdmin{}); err == nil {
		t.Error("a statement without a row was let through")
	}
	seen := map[string]bool{}
	for _, r := range Rights() {
		if seen[r.Statement] {
			t.Errorf("%s has two rows", r.Statement)
		}
		seen[r.Statement] = true
	}
}
