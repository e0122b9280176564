package dialect

import (
	"testing"

	pgparser "github.com/wasilibs/go-pgquery/parser"
)

// parses holds a text against PostgreSQL's own parser, which runs here without a server.
func parses(t *testing.T, text string) {
	t.Helper()
	if _, err := pgparser.ParseToJSON(text); err != nil {
		t.Errorf("PostgreSQL does not parse %q: %v", text, err)
	}
}

// TestCasesParse has PostgreSQL's parser read what each case gives.
func TestCasesParse(t *testing.T) {
	cases(t, func(c aCase) string {
		tr, err := c.translate()
		if err == nil {
			parses(t, tr.Text)
		}
		return c.expected
	})
	if _, err := pgparser.ParseToJSON("SELECT FROM FROM"); err == nil {
		t.Error("the parser takes anything")
	}
}
