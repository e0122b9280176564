package sql

import (
	"context"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

func TestWithoutMariaDB(t *testing.T) {
	for in, want := range map[string]string{
		"SELECT 1":               "SELECT 1",
		"/*M!999999\\- x */ ":    "                   "[:len("/*M!999999\\- x */ ")],
		"SELECT '/*M! */'":       "SELECT '/*M! */'",
		"SELECT /*M! 2, */ 1":    "SELECT            1",
		"/*!40101 SET NAMES x*/": "/*!40101 SET NAMES x*/",
	} {
		if got := withoutMariaDB(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// Several statements in one text keep their borders.
func TestRestOfText(t *testing.T) {
	p := engineParser{gms.NewMysqlParser()}
	_, parsed, rest, err := p.ParseWithOptions(context.Background(), "SHOW TABLES; SELECT 2", ';', true, sqlparser.ParserOptions{})
	if err != nil || parsed != "SHOW TABLES" || rest != " SELECT 2" {
		t.Errorf("parsed %q, rest %q, %v", parsed, rest, err)
	}
	if _, n, err := p.ParseOneWithOptions(context.Background(), "SHOW TABLES; SELECT 2", sqlparser.ParserOptions{}); err != nil || n != len("SHOW TABLES;") {
		t.Errorf("the first statement ends at %d, %v", n, err)
	}
}
