package sim_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"isochron/coverage"
)

// rulesPage is the page of all rules, made from package coverage.
const rulesPage = "../docs/RULES.md"

// The page of the rules matches the code. -rewrite writes it again.
func TestRulesPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# The rules of the core

Fault-injection runs count where each of these rules refuses or changes something that would have
continued without it (` + "`isochron sim --hunt 300 --rules`" + `). They fail if a rule that a
protocol can hit is never hit. This page is written by ` + "`go test ./sim -run RulesPage -rewrite`" + `.

| package | rule | statement |
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
		t.Errorf("%s differs from the code: go test ./sim -run RulesPage -rewrite (%v)", rulesPage, err)
	}
}
