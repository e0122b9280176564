package sim_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"isochron/coverage"
)

// rulesPage is the page of all rules, made from rulebook.
const rulesPage = "../docs/RULES.md"

// The page of the rules is what the code says. -rewrite writes it anew.
func TestRulesPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# The rules of the core

A hunt counts where each of these refuses or changes something that would have gone on without it
(` + "`isochron sim --hunt 300 --rules`" + `), and fails if one never does that can on the row. This page is
written by ` + "`go test ./sim -run RulesPage -rewrite`" + `.

| package | rule | what it says |
|---|---|---|
`)
	for _, r := range coverage.All() {
		fmt.Fprintf(&page, "| `%s` | `%s` | %s |\n", r.Package(), r.Name(), r)
	}
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(rulesPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(rulesPage); err != nil || string(have) != page.String() {
		t.Errorf("%s is not what the code says: go test ./sim -run RulesPage -rewrite (%v)", rulesPage, err)
	}
}
