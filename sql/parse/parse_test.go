package parse

import (
	"slices"
	"testing"

	"vitess.io/vitess/go/vt/sqlparser"
)

func TestItemsAreTheTextsOfTheClient(t *testing.T) {
	for text, want := range map[string][]string{
		"SELECT 1":               {"1"},
		"select  a , b+1 from t": {"a", "b+1"},
		"SELECT DISTINCT f(a, ',)'), `x,y` FROM t":  {"f(a, ',)')", "`x,y`"},
		"SELECT /* c, */ a, t.from, 'it''s' FROM t": {"a", "t.from", "'it''s'"},
		"SELECT (SELECT 1 FROM u), 2 -- c\n FROM t": {"(SELECT 1 FROM u)", "2 -- c"},
		"SELECT @x, @@from;":                        {"@x", "@@from"},
		"SELECT 'a\\', b', c LIMIT 1":               {"'a\\', b'", "c"},
		"INSERT INTO t VALUES (1)":                  nil,
	} {
		if got := Items(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, expected %q", text, got, want)
		}
	}
}

func FuzzItems(f *testing.F) {
	f.Add("SELECT a, 'b', (c) FROM t")
	f.Fuzz(func(t *testing.T, text string) {
		for _, item := range Items(text) {
			if len(item) > len(text) {
				t.Fatal(item)
			}
		}
	})
}

func TestSoundsLike(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a SOUNDS LIKE b":                      "select soundex(a) = soundex(b) from dual",
		"SELECT 1 + a sounds  LIKE b + 'sounds like'": "select soundex(1 + a) = soundex(b + 'sounds like') from dual",
		"SELECT a SOUNDS LIKE b * c - d AND e":        "select soundex(a) = soundex(b * c - d) and e from dual",
		"SELECT NOT (a SOUNDS/**/LIKE (-b))":          "select not soundex(a) = soundex(-b) from dual",
		"SELECT sounds FROM t":                        "select sounds from t",
		"SELECT a SOUNDS LIKE b ESCAPE 'x'":           "",
		"SELECT a NOT SOUNDS LIKE b":                  "",
	} {
		got := ""
		if s := Select(text); s != nil {
			got = sqlparser.String(s)
		}
		if got != want {
			t.Errorf("%s: %q, expected %q", text, got, want)
		}
	}
}

func TestExecutedComments(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT /*!40001 SQL_NO_CACHE */ a /* x */ FROM t": "SELECT          SQL_NO_CACHE    a /* x */ FROM t",
		"SELECT 1 /*!99999 + 1 */ + 2":                     "SELECT 1 /*!99999 + 1 */ + 2",
		"SELECT '/*!1*/' /*! + 1*/":                        "SELECT '/*!1*/'     + 1  ",
		"SELECT 1 /*M! + 1 */":                             "SELECT 1 /*M! + 1 */",
		"SELECT /*!50000 `*/` */ 1 -- /*! x":               "SELECT          `*/`    1 -- /*! x",
	} {
		if got := Executed(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
