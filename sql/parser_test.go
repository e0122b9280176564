package sql

import (
	"context"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/txn"
)

func TestReplaceForShare(t *testing.T) {
	for _, tc := range []struct {
		in, out string
		share   bool
	}{
		{"SELECT 1", "SELECT 1", false},
		{"SELECT * FROM t FOR SHARE", "SELECT * FROM t FOR UPDATE", true},
		{"select * from t for  share of t nowait", "select * from t for  UPDATE of t nowait", true},
		{"SELECT 'x for share' FROM t", "SELECT 'x for share' FROM t", false},
		{"SELECT `for` share FROM t", "SELECT `for` share FROM t", false},
		{"SELECT 1 /* for share */", "SELECT 1 /* for share */", false},
		{"SELECT 1 -- for share\n", "SELECT 1 -- for share\n", false},
		{"(SELECT * FROM t FOR SHARE) UNION (SELECT * FROM u FOR UPDATE)", "(SELECT * FROM t FOR UPDATE) UNION (SELECT * FROM u FOR UPDATE)", false},
		{"SELECT 1; SELECT * FROM t FOR SHARE", "SELECT 1; SELECT * FROM t FOR SHARE", false},
		{"SELECT 'it''s' FROM t FOR SHARE", "SELECT 'it''s' FROM t FOR UPDATE", true},
	} {
		if out, share := replaceForShare(tc.in); out != tc.out || share != tc.share {
			t.Errorf("%q became %q, %v; want %q, %v", tc.in, out, share, tc.out, tc.share)
		}
	}
}

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
	p := lockParser{gms.NewMysqlParser()}
	stmt, parsed, rest, err := p.ParseWithOptions(context.Background(), "SELECT * FROM t FOR SHARE; SELECT 2", ';', true, sqlparser.ParserOptions{})
	if err != nil || parsed != "SELECT * FROM t FOR SHARE" || rest != " SELECT 2" {
		t.Errorf("parsed %q, rest %q, %v", parsed, rest, err)
	}
	from := stmt.(*sqlparser.Select).From[0].(*sqlparser.AliasedTableExpr)
	mark := string(from.AsOf.Time.(*sqlparser.SQLVal).Val)
	if lock, wait, ok := lockOfMark(mark); !ok || lock != txn.LockShared || wait != txn.WaitForLock {
		t.Errorf("the mark %q is read as %v, %v, %v", mark, lock, wait, ok)
	}
	if _, n, err := p.ParseOneWithOptions(context.Background(), "SELECT * FROM t FOR SHARE; SELECT 2", sqlparser.ParserOptions{}); err != nil || n != len("SELECT * FROM t FOR SHARE;") {
		t.Errorf("the first statement ends at %d, %v", n, err)
	}
}
