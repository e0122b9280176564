package main

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitKeepsQuotesAndRoutines(t *testing.T) {
	for text, want := range map[string][]string{
		"SELECT 1; SELECT ';' ;":                              {"SELECT 1", "SELECT ';'"},
		"INSERT INTO a VALUES ('it''s;', \"\\\";\"); COMMIT":  {"INSERT INTO a VALUES ('it''s;', \"\\\";\")", "COMMIT"},
		"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END":  {"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END"},
		"CREATE OR REPLACE PROCEDURE p() BEGIN SELECT 1; END": {"CREATE OR REPLACE PROCEDURE p() BEGIN SELECT 1; END"},
		"CREATE TABLE a (`x;y` INT); DROP TABLE a":            {"CREATE TABLE a (`x;y` INT)", "DROP TABLE a"},
	} {
		if got := split(text); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestCatalogueFillsEveryArgument(t *testing.T) {
	families := map[string]int{}
	for _, f := range functions() {
		families[f.family]++
		if f.free || f.expected != "" {
			continue
		}
		for _, call := range f.calls {
			if hole.MatchString(call) && !strings.ContainsAny(call, `"[`) {
				t.Errorf("%s: an argument is left in %s", f.name, call)
			}
		}
	}
	if len(families) != 18 {
		t.Errorf("%d families, want 18", len(families))
	}
}

func TestFormsOfStatements(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT v FROM t FOR UPDATE OF t":         "FOR UPDATE OF, FOR SHARE OF",
		"GRANT SELECT ON *.* TO a":                "users, roles and rights",
		"SELECT a FROM t EXCEPT SELECT b FROM u":  "INTERSECT, EXCEPT",
		"DELETE FROM t WHERE id = 1 RETURNING id": "RETURNING",
		"CREATE TABLE c AS SELECT 1":              "CREATE TABLE ... SELECT or LIKE",
	} {
		if got := formOf(statement{text: text}); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestLostPartsAreFound(t *testing.T) {
	if got := lost("SELECT a FROM t WHERE b1 = 'x'", "select a from t where"); got != "b1" {
		t.Errorf("got %q", got)
	}
	if got := lost("SELECT a AS c FROM t INNER JOIN u", "select a as c from t join u"); got != "" {
		t.Errorf("got %q", got)
	}
}
