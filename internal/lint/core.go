package lint

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// clockCalls are the functions that ask the real clock, by import path.
var clockCalls = map[string][]string{
	"time":    {"Now", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Since", "Until"},
	"context": {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"},
}

// checkCore finds what would let the world into a file of the core.
func checkCore(f *File) []Finding {
	var out []Finding
	for _, spec := range f.AST.Imports {
		path := importPath(spec)
		if slices.Contains(coreMayNotImport, path) && !slices.Contains(coreExceptions[f.Unit], path) {
			out = append(out, f.at(spec, "the core imports %s; let its driver supply it", path))
		}
	}
	imports := f.imports()
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out = append(out, f.at(n, "the core starts a goroutine; it is driven by one event loop"))
		case *ast.SelectStmt:
			out = append(out, f.at(n, "the core selects; it is driven by one event loop"))
		case *ast.ChanType, *ast.SendStmt:
			out = append(out, f.at(n, "the core uses a channel; it takes messages and returns messages"))
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				out = append(out, f.at(n, "the core waits on a channel; it takes messages and returns messages"))
			}
		case *ast.SelectorExpr:
			if rule := forbidden(imports, n); rule != "" {
				out = append(out, f.at(n, "%s", rule))
			}
		}
		return true
	})
	return out
}

// forbidden returns why a library's name must not be used, "" if it may.
func forbidden(imports map[string]string, sel *ast.SelectorExpr) string {
	x, ok := sel.X.(*ast.Ident)
	if !ok || x.Obj != nil {
		return ""
	}
	path, name := imports[x.Name], sel.Sel.Name
	if slices.Contains(clockCalls[path], name) {
		return "the core asks the clock (" + x.Name + "." + name + "); take the time as an argument"
	}
	if (path == "math/rand" || path == "math/rand/v2") && globalRandom(name) {
		return "the core uses the global random source (rand." + name + "); take a seeded one"
	}
	return ""
}

// globalRandom reports whether a name of math/rand draws from the unseeded global source:
// everything but the constructors and the types.
func globalRandom(name string) bool {
	types := []string{"Rand", "Source", "Source64", "Zipf", "PCG", "ChaCha8"}
	return !strings.HasPrefix(name, "New") && !slices.Contains(types, name)
}
