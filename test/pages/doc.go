// Package pages holds the pages of docs/generated against the code that they are made from.
//
// How it works. A page is the text that a test makes. The test is named TestPage, or begins so,
// and calls Hold; with -rewrite the page is written, without it a difference is a failure that names
// the command: make docs. One flag does it for all packages, and for the files of datadriven, whose
// flag it is.
//
// What the caller owes it. A name of a file in docs/generated, each used by one test; a text that
// depends on nothing but the tree: no time, no machine, no order of a map. The package of the test is
// in the list of make docs.
package pages

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/cockroachdb/datadriven" // defines -rewrite
)

// Dir has the pages, below the root of the module.
const Dir = "docs/generated"

// Rewriting reports whether files that tests make are to be written.
func Rewriting() bool { return flag.Lookup("rewrite").Value.String() == "true" }

// Hold compares a page with the text that it must have, or writes it. A line that names the command is
// put below the page's title.
func Hold(t *testing.T, name, text string) {
	t.Helper()
	title, rest, found := strings.Cut(text, "\n\n")
	if !found || !strings.HasPrefix(title, "# ") {
		t.Fatalf("the page %s begins without a title and an empty line", name)
	}
	text = title + "\n\n<!-- Written by make docs from " + from(t) + "; do not edit. -->\n\n" + rest
	path := filepath.Join(Root(t), Dir, name)
	if Rewriting() {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run make docs", err)
	}
	if string(have) != text {
		t.Errorf("%s/%s is not what the code has from line %d on: run make docs", Dir, name, differs(string(have), text))
	}
}

// from is the package of the test.
func from(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(Root(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel) + " (" + t.Name() + ")"
}

// Root is the root of the module.
func Root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod here or above")
		}
		dir = up
	}
}

// differs is the number of the first line in which two texts differ.
func differs(a, b string) int {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < len(as) && i < len(bs) && as[i] == bs[i] {
		i++
	}
	return i + 1
}

// Cell makes a text fit into a cell of a table.
func Cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
