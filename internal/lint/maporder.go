package lint

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// orderMark begins a comment with the reason why a map's order cannot show.
const orderMark = "order:"

// checkMapOrder finds walks over maps in the core: their order differs from run to run, and one
// seed must give one run. A walk whose order cannot show has a comment "// order: why" on its line
// or just above.
func checkMapOrder(t *Tree) ([]Finding, error) {
	var patterns []string
	for _, dir := range t.Dirs() {
		if slices.Contains(core, unitOf(dir)) && !strings.HasSuffix(dir, "test") {
			patterns = append(patterns, "./"+dir)
		}
	}
	if len(patterns) == 0 {
		return nil, nil
	}
	loaded, err := packages.Load(&packages.Config{
		Dir:  t.Root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("the types of the core cannot be read: %w", err)
	}
	var out []Finding
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			dir := strings.TrimPrefix(p.PkgPath, module+"/")
			out = append(out, Finding{dir, 0, "its types cannot be read: " + p.Errors[0].Error()})
			continue
		}
		for _, file := range p.Syntax {
			path, err := filepath.Rel(t.Root, p.Fset.Position(file.Pos()).Filename)
			if err != nil {
				return nil, err
			}
			f := &File{Path: filepath.ToSlash(path), AST: file, fset: p.Fset}
			out = append(out, mapWalks(f, p.TypesInfo)...)
		}
	}
	return out, nil
}

func mapWalks(f *File, info *types.Info) []Finding {
	excused := orderComments(f)
	sorted := map[ast.Node]bool{}
	var out []Finding
	report := func(n ast.Node) {
		if !excused[f.fset.Position(n.Pos()).Line] {
			out = append(out, f.at(n, "walks a map, whose order differs from run to run; sort, or say in a comment \"// order: ...\" why it cannot show"))
		}
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if typ := info.TypeOf(n.X); typ != nil {
				if _, ok := typ.Underlying().(*types.Map); ok {
					report(n)
				}
			}
		case *ast.CallExpr:
			switch name := calledFunction(info, n); {
			case strings.HasPrefix(name, "slices.Sorted"):
				sorted[n.Args[0]] = true
			case (name == "maps.Keys" || name == "maps.Values" || name == "maps.All") && !sorted[n]:
				report(n)
			}
		}
		return true
	})
	return out
}

// calledFunction is the "package.Name" of a call of a package's function, else "".
func calledFunction(info *types.Info, call *ast.CallExpr) string {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || len(call.Args) == 0 {
		return ""
	}
	return fn.Pkg().Path() + "." + fn.Name()
}

// orderComments are the lines that a comment "// order: ..." excuses.
func orderComments(f *File) map[int]bool {
	lines := map[int]bool{}
	for _, group := range f.AST.Comments {
		for _, c := range group.List {
			text := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
			if strings.HasPrefix(text, orderMark) && len(text) > len(orderMark)+1 {
				lines[f.fset.Position(c.Pos()).Line] = true
				lines[f.fset.Position(group.End()).Line+1] = true
			}
		}
	}
	return lines
}
