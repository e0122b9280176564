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
		"IFNULL(? + EXP(0), 1)", "NULLIF(7, ?)", "(1 BETWEEN ? AND 9)", "(? IN (1, 2.5, ABS(3)))", "(1 IN (1.5, ?))", "(ABS(1) > ?)", "(? > ABS(1))",
		"(1 DIV ?)", "(? & 1)", "(? XOR 1)", "ELT(1, ?)", "TIMESTAMP(?)", "ADDTIME(?, '1')", "DATE_ADD(?, INTERVAL 1 DAY)",
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
		"COALESCE(k, 1 / 0)":                         0,
		"k > 1 AND 1 / 0":                            0,
		"k = 1 OR 1 / 0":                             0,
		"IF(k = 1, 1 / 0, 2)":                        1,
		"k = 1 AND 1 / 0":                            1,
		"ELT(k, 5, 1 / 0)":                           0,
		"ELT(k + 1, 5, 1 / 0)":                       1,
		"DATE_ADD(NULLIF(k, 1), INTERVAL 1 / 0 DAY)": 0,
		"DATE_ADD(NULLIF(k, 2), INTERVAL 1 / 0 DAY)": 1,
		"FIELD(k, 1, 1 / 0)":                         0,
		"FIELD(k, 2, 1 / 0)":                         1,
		"NULLIF(k, 1) DIV (1 / 0)":                   0,
		"k DIV (1 / 0)":                              1,
		"CONCAT(NULLIF(k, 1), 1 / 0)":                0,
		"CONCAT(NULLIF(k, 2), 1 / 0)":                1,
		"BENCHMARK(3, ELT(k, 5, 1 / 0))":             0,
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

// The engine has one value for all that is true, which arithmetic with IN changed for the whole process.
func TestInAsAPartOfAnExpression(t *testing.T) {
	for _, c := range [][2]string{
		{"(1 IN (2, 1e3)) + 5", "5"}, {"1 IN (2, 1e3)", "0"}, {"-(1 IN (1, 1e3))", "-1"}, {"1 IN (1, 1e3)", "1"}, {"1 = 1", "1"},
		{"COALESCE(1 IN (2, 1e3), 1) + 5", "5"}, {"IF(1, 1 IN (2, 1e3), 1) - 5", "-5"}, {"1 NOT IN (2, 1e3)", "1"},
		{"(UPPER('1') IN (2, 1e3)) + 5", "5"}, {"NOT (2 IN ('a', NULL))", "NULL [1292]"}, {"(2 IN (3, NULL)) IS NULL", "1"},
		{"ABS(1 IN (2, 1e3)) + 7", "7"}, {"CASE 1 WHEN 2 THEN 1 ELSE 1 IN (2, 1e3) END + 3", "3"}, {"1 IN (2, 1e3)", "0"},
	} {
		if got := answered(c[0], testContext()); splitCodes(got) != splitCodes(c[1]) {
			t.Errorf("%s = %s, expected %s", c[0], got, c[1])
		}
	}
}

// splitCodes is an answer without the numbers of its warnings.
func splitCodes(s string) string {
	value, _, _ := strings.Cut(s, " [")
	return value
}
