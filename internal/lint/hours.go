package lint

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
)

// testingPage is the page that names the tests that make test leaves out.
const testingPage = "docs/inside/testing.md"

// checkHours reports tests of the long run (package test/hours) that the page on testing does not
// name.
func checkHours(t *Tree) []Finding {
	page, err := os.ReadFile(filepath.Join(t.Root, testingPage))
	if err != nil {
		page = nil // then it names none
	}
	var out []Finding
	for _, f := range t.Files {
		if !f.Test {
			continue
		}
		for _, d := range f.AST.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && callsHours(fn) && !strings.Contains(string(page), "`"+fn.Name.Name+"`") {
				out = append(out, f.at(fn, "%s is longer in the long run; %s does not name it", fn.Name.Name, testingPage))
			}
		}
	}
	return out
}

func callsHours(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "hours" && (s.Sel.Name == "Only" || s.Sel.Name == "Long") {
				found = true
			}
		}
		return !found
	})
	return found
}
