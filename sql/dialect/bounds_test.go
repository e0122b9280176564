package dialect

import (
	"errors"
	"strings"
	"testing"
)

// TestRefusedTexts has what the parser would take for something else, or would not survive.
func TestRefusedTexts(t *testing.T) {
	for _, text := range []string{
		"", ";", "  -- x", "SELECT", "SELECT 1 // 2", "SELECT :v1", "SELECT a FROM t WHERE b = :name",
		"SELECT /*! 1 */ 2", "SELECT /*M!100100 1 */ 2", "SELECT 1; SELECT 2",
		"SELECT " + strings.Repeat("NOT ", 2_000_000) + "1",
		"SELECT " + strings.Repeat("(", 100_000) + "1",
		"SELECT " + strings.Repeat("-", 100_000) + "1",
		"SELECT 1" + strings.Repeat("+1", 100_000),
		"SELECT 1" + strings.Repeat(" UNION SELECT 1", 100_000),
		"SELECT " + strings.Repeat("'a' ", 1_000_000),
		"SELECT " + strings.Repeat("CASE WHEN ", 100_000),
		"SELECT * FROM t" + strings.Repeat(" JOIN t", 100_000),
		strings.Repeat("FOR ", 1_000_000),
		"SELECT * FROM t" + strings.Repeat(", t", 100_000),
		"SELECT 1" + strings.Repeat(", 1", 100_000),
		"SELECT " + strings.Repeat("SUBSTRING(", 150) + "a" + strings.Repeat(", -1)", 150),
		strings.Repeat(" ", textMax+1),
	} {
		_, err := Translate(text, Postgres, nil, Options{})
		if !errors.As(err, new(*ErrSyntax)) && !errors.As(err, new(*ErrNotTranslated)) {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// TestDeep goes as deep as is allowed.
func TestDeep(t *testing.T) {
	for _, text := range []string{
		"SELECT " + strings.Repeat("(", 150) + "1" + strings.Repeat(")", 150),
		"SELECT 1" + strings.Repeat("+1", 900),
		"SELECT id FROM accounts WHERE id = 1" + strings.Repeat(" OR id = 1", 300),
		"INSERT INTO orders (id, account, item) VALUES " + strings.TrimSuffix(strings.Repeat("(1, 2, 'x'), ", 20_000), ", "),
		"SELECT id FROM accounts WHERE id IN (" + strings.TrimSuffix(strings.Repeat("1, ", 20_000), ", ") + ")",
	} {
		if _, err := Translate(text, Postgres, caseSchema{}, Options{}); err != nil {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// TestErrors: a refusal is MySQL's error for unsupported statements.
func TestErrors(t *testing.T) {
	_, err := Translate("SELECT SOUNDEX(a) FROM t", Postgres, nil, Options{})
	var refusal *ErrNotTranslated
	if !errors.As(err, &refusal) || refusal.Code() != 1235 || refusal.What == "" || refusal.Reason == "" || refusal.Instead == "" {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"BEGIN", "COMMIT", "SET autocommit = 0", "USE d", "SHOW TABLES", "EXPLAIN SELECT 1", "CALL p()", "SAVEPOINT a", "KILL 1", "GRANT ALL ON *.* TO a"} {
		if _, err := Translate(text, Postgres, nil, Options{}); !errors.As(err, &refusal) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestLargeAnalysis: what a packet of many names and values asks of its analysis stays in bounds.
func TestLargeAnalysis(t *testing.T) {
	many := func(what string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(what, "#", itoa(i)))
		}
		return strings.TrimSuffix(b.String(), ", ")
	}
	for _, text := range []string{
		"SELECT * FROM " + many("t#, ", 20_000),
		"SELECT * FROM t WHERE k IN (" + many("#, ", 20_000) + ") OR k IN (" + many("#1, ", 20_000) + ")",
		"SELECT * FROM t WHERE k IN (" + many("#, ", 20_000) + ") AND k IN (" + many("#1, ", 20_000) + ")",
		"SELECT * FROM t" + many(" JOIN u# USING (k, l, m, n)", 450),
		many("SELECT 1; ", 5_000),
	} {
		p, err := Analyse(text, Options{})
		if err != nil {
			t.Fatalf("%.60q: %v", text, err)
		}
		_ = p.Statements[0].Keys(Name{"", "t"}, "k", nil)
	}
}
