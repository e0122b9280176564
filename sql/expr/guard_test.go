package expr

import (
	"strings"
	"testing"
)

// Nested, these forms were compiled a number of times that is exponential in their depth.
func TestNestedConditionalsAreCompiledOnce(t *testing.T) {
	const depth = 60
	for _, form := range []string{
		"IFNULL(?, 1)", "NULLIF(?, 7)", "COALESCE(?, 1)", "(? BETWEEN 0 AND 9)", "CASE ? WHEN 1 THEN 1 WHEN 2 THEN 1 ELSE 1 END",
		"IF(?, 1, 1)", "CASE WHEN ? THEN 1 ELSE 1 END", "(? AND 1)", "(? OR 0)", "IF(1, ?, EXP(1000))", "(? / 1)", "(? % EXP(3))",
		"IFNULL(? + EXP(0), 1)",
	} {
		text := "1"
		for range depth {
			text = strings.Replace(form, "?", text, 1)
		}
		if got, _ := evaluated(t, text); strings.HasPrefix(got, "error") {
			t.Errorf("%s: %s", form, got)
		}
	}
}

func TestBranchesNotTakenAreNotComputed(t *testing.T) {
	for text, want := range map[string]int{
		"IF(k > 1, 1 / 0, 2)": 0,
		"CASE k WHEN 2 THEN 1 / 0 WHEN 1 THEN 5 ELSE 1/0 END": 0,
		"CASE WHEN k > 1 THEN 1 / 0 WHEN k > 2 THEN 1/0 END":  0,
		"COALESCE(k, 1 / 0)":  0,
		"k > 1 AND 1 / 0":     0,
		"k = 1 OR 1 / 0":      0,
		"IF(k = 1, 1 / 0, 2)": 1,
		"k = 1 AND 1 / 0":     1,
	} {
		if n := warningsOfRow(t, text); n != want {
			t.Errorf("%s: %d warnings, expected %d", text, n, want)
		}
	}
}

// warningsOfRow is how many warnings an expression gives for a row in which k is 1.
func warningsOfRow(t *testing.T, text string) int {
	t.Helper()
	c := testContext()
	e, err := environment.Parser().ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(c, Columns{Types: []Type{integerType(nil, c)}, Find: firstColumn}, e)
	if err != nil {
		t.Fatal(err)
	}
	p.Begin(c)
	if _, err := p.Run([]Value{Int(1)}, nil); err != nil {
		t.Fatal(err)
	}
	list, _ := c.Warnings()
	return len(list)
}

// A path whose predicates look at all nodes for each node ends with an error.
func TestXPathIsBounded(t *testing.T) {
	text := "ExtractValue(CONCAT('<a>', REPEAT('<b/>', 20000), '</a>'), '//*[//*[//*]]')"
	if got := answered(text, testContext()); got != "error 1105" {
		t.Errorf("%s", got)
	}
	for _, deep := range []string{"'" + strings.Repeat("(", 100000) + "'", "'" + strings.Repeat("/a[", 100000) + "'", "'" + strings.Repeat("-", 100000) + "'"} {
		if got := answered("ExtractValue('<a/>', "+deep+")", testContext()); got != "error 1105" {
			t.Errorf("%s", got)
		}
	}
	if got := answered("ExtractValue(REPEAT('<a>', 100000), '/a')", testContext()); got != "NULL [1525]" {
		t.Errorf("%s", got)
	}
}
