package dialect

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pgparser "github.com/wasilibs/go-pgquery/parser"

	"isochron/sql/parse"
)

// FuzzTranslate: for any text, nothing panics, refusals are errors of this package, and
// PostgreSQL's parser reads the translation.
func FuzzTranslate(f *testing.F) {
	if _, err := pgparser.ParseToJSON("SELECT 1"); err != nil { // it takes its time the first time
		f.Fatal(err)
	}
	seeds(f)
	for _, text := range []string{
		"SELECT CASE CASE a WHEN 1 THEN 2 END WHEN 3 THEN 4 END", "SELECT a FROM t WHERE ((a BETWEEN 1 AND 2) BETWEEN 0 AND 1)",
		"INSERT INTO stock VALUES ()", "INSERT INTO stock () VALUES (), ()", "SELECT * FROM (SELECT 1) AS x, LATERAL (SELECT x.`1`) AS y",
		"SELECT `a``b`, `\"` FROM `t\"`", "SELECT a.* FROM b", "SELECT X''", "SELECT b''", "SELECT ''", "SELECT DATE ''", "SELECT 1e400, .5, 5.",
		"SELECT -(-(-1))", "SELECT - -1, 1 - -1, 1 - (-a)", "SELECT '' LIKE '' ESCAPE ''", "UPDATE t SET a = a, a = 1", "DELETE t FROM t",
		"SELECT COUNT(*) OVER () FROM t", "SELECT a FROM t GROUP BY 1 HAVING 1", "SELECT JSON_UNQUOTE(), JSON_EXTRACT()", "SELECT IF()",
		"CREATE TABLE t (a INT, KEY (a))", "ALTER TABLE t ADD PRIMARY KEY (a)", "VALUES ROW(1)", "TABLE t", "SELECT 1 INTO OUTFILE 'x'",
		"SELECT NULL IS TRUE, ? IS NULL, NOT NULL, NULL AND ?, NULL = NULL, NULL < 1, NULL + NULL, -NULL, NULL LIKE NULL, NULL IN (NULL)",
	} {
		f.Add(text, byte(0))
	}
	f.Fuzz(func(t *testing.T, text string, choice byte) {
		var s Schema
		if choice&1 != 0 {
			s = caseSchema{}
		}
		o := Options{Share: choice&2 != 0, ReturnInsertID: choice&4 != 0, LikeFoldsCase: choice&8 != 0, Mode: parse.Mode{AnsiQuotes: choice&16 != 0, Pipes: choice&32 != 0, NoBackslash: choice&64 != 0, HighNot: choice&128 != 0}}
		tr, err := Translate(text, Postgres, s, o)
		if err != nil {
			if !errors.As(err, new(*ErrSyntax)) && !errors.As(err, new(*ErrNotTranslated)) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if _, err := pgparser.ParseToJSON(tr.Text); err != nil {
			t.Fatalf("%q became %q: %v", text, tr.Text, err)
		}
		if again, _ := Translate(text, Postgres, s, o); again.Text != tr.Text {
			t.Fatalf("%q became %q, then %q", text, tr.Text, again.Text)
		}
		if _, err := Translate(text, MySQL, s, o); err != nil && !errors.As(err, new(*ErrNotTranslated)) {
			t.Fatal(err)
		}
	})
}

// FuzzAnalyse: nothing panics, and the keys of a packet can be requested for every table.
func FuzzAnalyse(f *testing.F) {
	seeds(f)
	f.Add("SELECT 1; COMMIT", byte(0))
	f.Add("SELECT * FROM a LEFT JOIN b USING (x) WHERE x = 1 AND x IN (1, 2) OR x BETWEEN ? AND -0", byte(1))
	f.Fuzz(func(t *testing.T, text string, choice byte) {
		p, err := Analyse(text, Options{Mode: parse.Mode{AnsiQuotes: choice&16 != 0}})
		if err != nil && !errors.As(err, new(*ErrSyntax)) && !errors.As(err, new(*ErrNotTranslated)) {
			t.Fatalf("%T %v", err, err)
		}
		for _, s := range p.Statements {
			for _, n := range append(append([]Name{}, s.Reads...), s.Writes...) {
				_ = s.Keys(n, "id", caseSchema{})
				_ = s.Sets(n, "id")
			}
			if _, err := s.RowKeys("id", caseSchema{}); err == nil {
				part, err := s.WithRows([]int{0})
				if err == nil {
					_, _ = TranslateTree(part, MySQL, nil, Options{})
					_, _ = TranslateTree(part, Postgres, caseSchema{}, Options{})
				}
			}
		}
	})
}

// seeds are the cases.
func seeds(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "\n\n") {
			if _, rest, ok := strings.Cut(part, "\n"); ok && strings.HasPrefix(part, "translate") {
				statement, _, _ := strings.Cut(rest, "\n----")
				for _, choice := range []byte{1, 7, 0} {
					f.Add(statement, choice)
				}
			}
		}
	}
}
