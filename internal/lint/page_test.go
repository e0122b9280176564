package lint

import (
	"strings"
	"testing"

	"isochron/test/pages"
)

// The page of packages has the first sentence of every doc.go.
func TestPageOfPackages(t *testing.T) {
	tree, err := Read(pages.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	pages.Hold(t, "packages.md", `# Packages

A package imports only packages of lower floors, so two packages of one floor never import each
other (`+"`internal/lint/plan.go`"+`). Each has a `+"`doc.go`"+`, whose first sentence is here.
`+ListByFloor(tree))
}

// A package is on its floor, or beside them.
func TestPackagesByFloor(t *testing.T) {
	tree, err := Read(plant(t, map[string]string{"test/x/doc.go": "// Package x is a | test.\npackage x\n"}))
	if err != nil {
		t.Fatal(err)
	}
	got := ListByFloor(tree)
	for _, want := range []string{"## Floor 1\n\n| package | what it is |\n|---|---|\n| `geo` | is a map |\n", "## Beside the floors", "| `test/x` | is a \\| test |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}
