package lint

import (
	"bytes"
	"fmt"
	"go/doc"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Architecture is the file that lists the packages and the libraries.
const architecture = "ARCHITECTURE.md"

// The list of packages stands between these lines.
const (
	listBegin = "<!-- packages -->"
	listEnd   = "<!-- /packages -->"
)

// checkPaper holds what is written about the tree against the tree.
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
		return append(out, Finding{architecture, 0, "cannot be read; it lists the packages and the libraries"}), nil
	}
	out = append(out, checkList(t, string(text))...)
	return append(out, checkLibraries(t, string(text))...), nil
}

// notSource says why a file is none that people write or read: what a build has left, or data.
// A document may be as long as it is: make lint reports that.
func notSource(path string, text []byte) string {
	if bytes.IndexByte(text, 0) >= 0 {
		return "is not text: what a build or a run has left does not belong here; delete it"
	}
	if len(text) > textBytesMax && !strings.HasSuffix(path, ".md") {
		return fmt.Sprintf("has %d bytes; a file has at most %d", len(text), textBytesMax)
	}
	return ""
}

// checkDocs wants a doc.go in every package, which says what the package is for,
// how it thinks and what its caller owes it.
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
	said = strings.Replace(said, "How it thinks", "How it works", 1) // the heading of before
	for _, part := range []string{"How it works", "owes"} {
		if !strings.Contains(said, part) {
			out = append(out, Finding{f.Path, 0, fmt.Sprintf("does not have %q: a package comment has its purpose, how it works, what its caller owes it", part)})
		}
	}
	return out
}

// checkList compares the table of packages with the directories there are.
func checkList(t *Tree, text string) []Finding {
	_, rest, ok := strings.Cut(text, listBegin)
	list, _, ok2 := strings.Cut(rest, listEnd)
	if !ok || !ok2 {
		return []Finding{{architecture, 0, "has no list of packages between " + listBegin + " and " + listEnd}}
	}
	first := 1 + strings.Count(text[:strings.Index(text, listBegin)], "\n")
	var out []Finding
	var listed []string
	dirs := t.Dirs()
	for i, line := range strings.Split(list, "\n") {
		rest, ok := strings.CutPrefix(line, "| `")
		if !ok {
			continue
		}
		dir, _, _ := strings.Cut(rest, "`")
		listed = append(listed, dir)
		if !slices.Contains(dirs, dir) {
			out = append(out, Finding{architecture, first + i, "lists " + dir + ", which is not there"})
		}
	}
	for _, dir := range dirs {
		if !slices.Contains(listed, dir) {
			out = append(out, Finding{architecture, first, "does not list " + dir})
		}
	}
	return out
}

// List is the table of packages as it would be written from their own first sentences.
func List(t *Tree) string {
	out := "| package | what it is |\n|---|---|\n"
	for _, dir := range t.Dirs() {
		for _, f := range t.Files {
			if f.Path == dir+"/doc.go" {
				what := new(doc.Package).Synopsis(f.AST.Doc.Text())
				for _, opening := range []string{"Package " + f.AST.Name.Name + " ", "Command " + filepath.Base(dir) + " "} {
					what = strings.TrimPrefix(what, opening)
				}
				out += fmt.Sprintf("| `%s` | %s |\n", dir, strings.TrimSuffix(what, "."))
			}
		}
	}
	return out
}

// RewriteList puts a list of packages in place of the one in the text.
func RewriteList(text, list string) string {
	before, rest, ok := strings.Cut(text, listBegin)
	_, after, ok2 := strings.Cut(rest, listEnd)
	if !ok || !ok2 {
		return text
	}
	return before + listBegin + "\n" + list + listEnd + after
}

// checkLibraries wants every library that go.mod requires directly, and every
// tool, named with its reason.
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
