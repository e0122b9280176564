package parse

import "testing"

// VALUES is a query of its own behind a set operator and before one, and is left alone elsewhere.
func TestValuesBesideSetOperators(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1 UNION VALUES ROW(2), ROW(3)":         "SELECT 1 UNION SELECT * FROM (VALUES ROW(2), ROW(3)) AS `values` ",
		"VALUES ROW(1) UNION SELECT ')'":               "SELECT * FROM (VALUES ROW(1) ) AS `values` UNION SELECT ')'",
		"(VALUES ROW((1)) LIMIT 1) UNION SELECT 2":     "(SELECT * FROM (VALUES ROW((1)) ) AS `values` LIMIT 1) UNION SELECT 2",
		"SELECT 1 UNION SELECT row FROM t AS `values`": "SELECT 1 UNION SELECT row FROM t AS `values`",
		"INSERT INTO t VALUES (1)":                     "INSERT INTO t VALUES (1)",
		"VALUES ROW(1)":                                "VALUES ROW(1)",
		"SELECT 1 UNION SELECT a + (VALUES(a)) FROM t": "SELECT 1 UNION SELECT a + (VALUES(a)) FROM t",
	} {
		if got, _, _ := rewritten(text); got != want {
			t.Errorf("%s: %s, expected %s", text, got, want)
		}
	}
}
