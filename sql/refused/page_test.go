package refused

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"isochron/sql/expr"
	"isochron/test/pages"
)

// The page of what is refused has every form.
func TestPageOfRefusals(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Queries and changes that are refused\n\nA query or change of any other form is executed. `...` in the text of an error is the part\nof the statement.\n\n| form | error | text |\n|---|---|---|\n")
	for _, f := range Forms {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", pages.Cell(f.What), f.Code, pages.Cell(strings.Replace(f.Words, "%s", "...", 1)))
	}
	pages.Hold(t, "refused.md", b.String())
	if !slices.IsSortedFunc(Forms, func(a, b Form) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the forms are not in the order of their names")
	}
}

// An error has the number of its form and shows the part at fault, cut where it is long.
func TestErrorShowsThePart(t *testing.T) {
	e := Error("part", strings.Repeat("é", partMax)).(*expr.Error)
	if e.Code != codeNotSupported || len(e.Message) > partMax+60 || !strings.Contains(e.Message, "'é") {
		t.Errorf("%d %s", e.Code, e.Message)
	}
	defer func() {
		if recover() == nil {
			t.Error("a form that there is not was accepted")
		}
	}()
	_ = Error("nothing", "")
}
