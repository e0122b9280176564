package accounts

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each type of statement that the parser can make has a row, or is one that it never
// makes. A new type has none, and is refused.
func TestEveryStatementHasARight(t *testing.T) {
	never := []string{"Stream", "OtherRead", "OtherAdmin", "SrsAttribute"}
	never = append(never, "CreateUser", "DropUser", "CreateRole", "DropRole", "GrantPrivilege", "GrantRole", "RevokePrivilege", "RevokeRole", "RenameUser", "GrantProxy", "RevokeProxy", "ShowGrants") // account.Read reads them
	named := map[string]bool{}
	for _, f := range parseFiles(t, ".") {
		if strings.HasSuffix(f.name, "kind.go") {
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
