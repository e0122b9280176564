package lint

import (
	"bytes"
	"fmt"
	"go/doc"
	"os"
	"path/filepath"
	"strings"
)

// Architecture is the file that lists the libraries.
const architecture = "ARCHITECTURE.md"

// checkPaper checks the documents about the tree against the tree.
func checkPaper(t *Tree) ([]Finding, error) {
	out := checkDocs(t)
	for _, path := range t.Texts {
		text, err := os.ReadFile(filepath.Join(t.Root, path))
		if err != nil {
			return nil, err
		}
		if reason := notSource(path, text); reason != "" {
			out = append(out, Finding{path, 0, reason})
			continue
		}
		out = append(out, checkShame(path, text)...)
		out = append(out, checkWrapped(path, text)...)
	}
	text, err := os.ReadFile(filepath.Join(t.Root, architecture))
	if err != nil {
		return append(out, Finding{architecture, 0, "cannot be read; it lists the libraries"}), nil
	}
	return append(out, checkLibraries(t, string(text))...), nil
}

// notSource returns why a file is not source or text: it is build output, or data. A document may
// have any length: make lint reports it.
func notSource(path string, text []byte) string {
	if bytes.IndexByte(text, 0) >= 0 {
		return "is not text: what a build or a run has left does not belong here; delete it"
	}
	if len(text) > textBytesMax && !strings.HasSuffix(path, ".md") {
		return fmt.Sprintf("has %d bytes; a file has at most %d", len(text), textBytesMax)
	}
	return ""
}

// checkDocs reports packages without a doc.go with the package's purpose, its way of working and
// its callers' duties.
func checkDocs(t *Tree) []Finding {
	var out []Finding
	for _, dir := range t.Dirs() {
		var said *File
		for _, f := range t.Files {
			if f.Dir == dir && f.Path == dir+"/doc.go" {
				said = f
			}
		}
		if said == nil {
			out = append(out, Finding{dir, 0, "has no doc.go"})
			continue
		}
		out = append(out, checkDoc(dir, said)...)
	}
	return out
}

// checkDoc reads the comment of one doc.go.
func checkDoc(dir string, f *File) []Finding {
	var out []Finding
	name := f.AST.Name.Name
	opening := "Package " + name + " "
	if name == "main" {
		opening = "Command " + filepath.Base(dir) + " "
	}
	said := f.AST.Doc.Text()
	if !strings.HasPrefix(said, opening) {
		out = append(out, Finding{f.Path, 0, fmt.Sprintf("the comment must open with %q", opening)})
	}
	if floorOf(f.Unit) < 0 || name == "main" {
		return out
	}
	for _, part := range []string{"How it works", "owes"} {
		if !strings.Contains(said, part) {
			out = append(out, Finding{f.Path, 0, fmt.Sprintf("does not have %q: a package comment has its purpose, how it works, what its caller owes it", part)})
		}
	}
	return out
}

// ListByFloor has the packages of each floor, the highest first, and those beside the floors.
func ListByFloor(t *Tree) string {
	out := ""
	for i := len(floors) - 1; i >= -1; i-- {
		var dirs []string
		for _, dir := range t.Dirs() {
			if floorOf(unitOf(dir)) == i {
				dirs = append(dirs, dir)
			}
		}
		title := fmt.Sprintf("Floor %d", i+1)
		if i < 0 {
			title = "Beside the floors: checks, tests, benchmarks"
		}
		out += "\n## " + title + "\n\n" + listOf(t, dirs)
	}
	return out
}

// listOf is a table of packages, from their own first sentences.
func listOf(t *Tree, dirs []string) string {
	out := "| package | what it is |\n|---|---|\n"
	for _, dir := range dirs {
		for _, f := range t.Files {
			if f.Path == dir+"/doc.go" {
				what := new(doc.Package).Synopsis(f.AST.Doc.Text())
				for _, opening := range []string{"Package " + f.AST.Name.Name + " ", "Command " + filepath.Base(dir) + " "} {
					what = strings.TrimPrefix(what, opening)
				}
				out += fmt.Sprintf("| `%s` | %s |\n", dir, strings.ReplaceAll(strings.TrimSuffix(what, "."), "|", `\|`))
			}
		}
	}
	return out
}

// checkLibraries reports libraries that go.mod requires directly, and tools, that are not named
// with a reason.
func checkLibraries(t *Tree, text string) []Finding {
	mod, err := os.ReadFile(filepath.Join(t.Root, "go.mod"))
	if err != nil {
		return []Finding{{"go.mod", 0, "cannot be read"}}
	}
	var out []Finding
	for i, line := range strings.Split(string(mod), "\n") {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		isLibrary := len(fields) == 2 && strings.HasPrefix(fields[1], "v") && strings.Contains(fields[0], ".")
		if isLibrary && !strings.Contains(text, strings.TrimSuffix(fields[0], "/v2")) {
			out = append(out, Finding{"go.mod", i + 1, fields[0] + " is not named in " + architecture + " with its reason"})
		}
	}
	return out
}
