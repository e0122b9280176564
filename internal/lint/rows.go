package lint

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// checkRows finds code that asks which protocol it runs instead of asking for the protocol's
// choice: comparisons with a protocol's name, outside the table itself.
func checkRows(t *Tree) []Finding {
	names := rowNames(t)
	var out []Finding
	for _, f := range t.Files {
		if f.Test || slices.Contains(rowNamers, f.Unit) || slices.Contains(besides, f.Unit) {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			var sides []ast.Expr
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if (n.Op == token.EQL || n.Op == token.NEQ) && !sameQuestion(n, names) {
					sides = []ast.Expr{n.X, n.Y}
				}
			case *ast.CaseClause:
				sides = n.List
			case *ast.SwitchStmt:
				sides = []ast.Expr{n.Tag}
			case *ast.CallExpr:
				if fromStrings(n) {
					sides = n.Args
				}
			}
			for _, e := range sides {
				if namesRow(e, names) {
					out = append(out, f.at(n, "compares a protocol's name; ask the row for its choice instead"))
					break
				}
			}
			return true
		})
	}
	return out
}

// sameQuestion reports whether two names are compared with each other: whether
// two clusters run the same row may be asked by anyone.
func sameQuestion(n *ast.BinaryExpr, names []string) bool {
	_, x := stringOf(n.X)
	_, y := stringOf(n.Y)
	return !x && !y && namesRow(n.X, names) && namesRow(n.Y, names)
}

// rowNames are the names that the table of protocols gives.
func rowNames(t *Tree) []string {
	var names []string
	for _, f := range t.Files {
		if f.Unit != "protocol" || f.Test {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Name" {
				if s, ok := stringOf(kv.Value); ok {
					names = append(names, s)
				}
			}
			return true
		})
	}
	return names
}

// fromStrings reports whether the call is of package strings: HasPrefix and its kin.
func fromStrings(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == "strings" && x.Obj == nil
}

// namesRow reports whether the expression is a row's name: a literal of the
// table, row.Name, cfg.Row.Name, or a variable called protocol.
func namesRow(e ast.Expr, names []string) bool {
	if s, ok := stringOf(e); ok {
		return slices.Contains(names, s)
	}
	switch e := e.(type) {
	case *ast.Ident:
		return strings.EqualFold(e.Name, "protocol")
	case *ast.SelectorExpr:
		if strings.EqualFold(e.Sel.Name, "protocol") {
			return true
		}
		return e.Sel.Name == "Name" && strings.EqualFold(lastName(e.X), "row")
	}
	return false
}

func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func stringOf(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
