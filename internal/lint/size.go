package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"
)

// checkSize keeps files and functions short enough to be read. Tests are let
// off: a table of cases may be long.
func checkSize(f *File) []Finding {
	if f.Test {
		return nil
	}
	var out []Finding
	if n := bytes.Count(f.text, []byte("\n")); n > fileLinesMax {
		out = append(out, Finding{f.Path, 0, fmt.Sprintf("%d lines; a file has at most %d: cut it at an idea", n, fileLinesMax)})
	}
	for _, d := range f.AST.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		first, last := f.fset.Position(fn.Pos()).Line, f.fset.Position(fn.End()).Line
		if n := last - first + 1; n > funcLinesMax {
			out = append(out, f.at(fn, "%s has %d lines; a function has at most %d", fn.Name.Name, n, funcLinesMax))
		}
	}
	return out
}

// checkShame finds words that tell of one machine.
func checkShame(path string, text []byte) []Finding {
	var out []Finding
	for i, line := range strings.Split(string(text), "\n") {
		for _, word := range shame {
			if strings.Contains(line, word) {
				out = append(out, Finding{path, i + 1, "mentions " + word + ", which is of one machine and not of the project"})
			}
		}
	}
	return out
}
