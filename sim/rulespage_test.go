package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"isochron/coverage"
	"isochron/test/pages"
)

// The page of the rules agrees with the code.
func TestPageOfRules(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# The rules of the core

A fault-injection run counts where each of these refuses or changes something that would have
continued without it, and fails if a rule that can apply under the protocol never does:
` + "`isochron sim --seeds 300 --coverage`" + `.

| package | rule | statement |
|---|---|---|
`)
	for _, r := range coverage.All() {
		fmt.Fprintf(&page, "| `%s` | `%s` | %s |\n", r.Package(), r.Name(), pages.Cell(r.String()))
	}
	pages.Hold(t, "rules.md", page.String())
}
