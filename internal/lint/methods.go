package lint

import (
	"go/ast"
	"slices"
)

// checkMethods keeps the types of the core small enough to have one job. Methods that tests
// add do not count.
func checkMethods(t *Tree) []Finding {
	type owner struct{ unit, name string }
	count := map[owner]int{}
	var out []Finding
	for _, f := range t.Files {
		if f.Test || !slices.Contains(core, f.Unit) {
			continue
		}
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || len(fn.Recv.List) == 0 {
				continue
			}
			o := owner{f.Dir, receiver(fn.Recv.List[0].Type)}
			if count[o]++; count[o] == methodsMax+1 {
				out = append(out, f.at(fn, "%s.%s has more than %d methods: give a part of it a type of its own", o.unit, o.name, methodsMax))
			}
		}
	}
	return out
}

// receiver is the name of a receiver's type, without its star and its parameters.
func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
