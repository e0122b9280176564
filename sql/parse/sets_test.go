package parse

import (
	"testing"

	"vitess.io/vitess/go/vt/sqlparser"
)

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

// Columns have the names that the client wrote, not those of the words that the parser has.
func TestTextsOfSets(t *testing.T) {
	for _, text := range []string{"SELECT a IN (SELECT 1 EXCEPT SELECT 2) FROM t", "SELECT (SELECT 1 INTERSECT SELECT b) FROM t UNION TABLE u"} {
		tree := Query(text)
		var blocks []*sqlparser.Select
		inOrder(tree, &blocks)
		texts := Texts(text, tree)
		if len(texts) != len(blocks) || len(texts) == 0 {
			t.Fatalf("%s: %d lists of %d", text, len(texts), len(blocks))
		}
	}
	text := "SELECT a IN (SELECT 1 EXCEPT SELECT 2) FROM t"
	tree := Query(text)
	if got := Texts(text, tree)[tree.(*sqlparser.Select)]; len(got) != 1 || got[0] != "a IN (SELECT 1 EXCEPT SELECT 2)" {
		t.Error(got)
	}
}
