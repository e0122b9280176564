package sql

import (
	"database/sql"
	"fmt"
	"isochron/sql/account"
	"isochron/sql/legacy/accounts"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// isDenied reports whether an error says that somebody may not.
func isDenied(err error) bool {
	n, _, _ := codeOf(err)
	return slices.Contains([]uint16{1044, 1045, 1142, 1227, 1370}, n)
}

// rightsWorld is a server with objects that the examples are about.
type rightsWorld struct {
	t     *testing.T
	g     *guarded
	root  *sql.DB
	users int
}

func newRightsWorld(t *testing.T) *rightsWorld {
	g := startGuarded(t, nil)
	w := &rightsWorld{t: t, g: g, root: g.open(t, "va", "root", rootPassword, true)}
	must(t, w.root, "CREATE DATABASE other")
	return w
}

func (w *rightsWorld) reset() {
	must(w.t, w.root, "DROP DATABASE IF EXISTS d", "DROP DATABASE IF EXISTS d8", "DROP DATABASE IF EXISTS d9", "DROP USER IF EXISTS plain", "DROP USER IF EXISTS u9", "DROP ROLE IF EXISTS r", "DROP ROLE IF EXISTS r9",
		"CREATE DATABASE d", "CREATE DATABASE d8", "CREATE TABLE d.t (id INT PRIMARY KEY, n INT, KEY i8 (n))", "INSERT INTO d.t VALUES (1, 1)",
		"USE d", "CREATE VIEW v AS SELECT id FROM t", "CREATE USER plain", "CREATE ROLE r")
}

// do is what a new user gets who was granted something.
func (w *rightsWorld) do(example string, grants ...string) error {
	w.t.Helper()
	w.reset()
	w.users++
	name := fmt.Sprintf("user%d", w.users)
	must(w.t, w.root, "CREATE USER "+name+" IDENTIFIED BY 'p'")
	for _, grant := range grants {
		must(w.t, w.root, fmt.Sprintf(grant, name))
	}
	db := w.g.open(w.t, "va", name, "p", true)
	defer db.Close()
	db.SetMaxOpenConns(1)
	if example == "EXECUTE p" {
		must(w.t, db, "PREPARE p FROM 'SELECT 1'")
	}
	_, _ = db.Exec("USE d") // if the user may
	_, err := db.Exec(example)
	return err
}

// grantOf is how root grants a need, at *.*.
func grantOf(needs ...string) []string {
	var out []string
	for _, need := range needs {
		if need == account.AnyPrivilege {
			need = "SELECT"
		}
		first, _, _ := strings.Cut(need, " or ")
		out = append(out, "GRANT "+first+" ON *.* TO %s")
	}
	return out
}

// allBut grants everything but one need and what stands for it.
func allBut(need string) []string {
	if need == account.AnyPrivilege {
		return []string{"GRANT ALL ON other.* TO %s"}
	}
	out := []string{"GRANT ALL ON *.* TO %s WITH GRANT OPTION", "REVOKE SUPER ON *.* FROM %s"}
	out = append(out, "GRANT "+strings.Join(account.DynamicNames(), ", ")+" ON *.* TO %s")
	for _, p := range strings.Split(need, " or ") {
		out = append(out, "REVOKE "+p+" ON *.* FROM %s")
	}
	return out
}

// Each row of the table, by users who have nothing, all but a need, and just the needs.
func TestRights(t *testing.T) {
	w := newRightsWorld(t)
	for _, r := range account.Rights() {
		stmt, _, err := accounts.Parse(r.Example, false)
		if stmt == nil && err == nil {
			stmt, err = sqlparser.Parse(r.Example)
		}
		if err == nil && accounts.KindOf(stmt) != r.Statement {
			t.Errorf("%s: its example %q is %q", r.Statement, r.Example, accounts.KindOf(stmt))
		}
		if err != nil && r.Statement != "block of a routine" {
			t.Errorf("%s: %q: %v", r.Statement, r.Example, err)
			continue
		}
		nothing := w.do(r.Example)
		if denied := isDenied(nothing); denied != (len(r.Needs) > 0) {
			t.Errorf("%s, with nothing: %v", r.Statement, nothing)
		}
		for _, need := range r.Needs {
			if err := w.do(r.Example, allBut(need)...); !isDenied(err) {
				t.Errorf("%s, with all but %s: %v", r.Statement, need, err)
			}
		}
		if err := w.do(r.Example, grantOf(r.Needs...)...); len(r.Needs) > 0 && isDenied(err) {
			t.Errorf("%s, with just %v: %v", r.Statement, r.Needs, err)
		}
	}
}

// A statement of a kind without a row is refused, whoever sends it.
func TestKindWithoutARow(t *testing.T) {
	if err := permit(t.Context(), &sqlparser.OtherAdmin{}); err == nil {
		t.Error("a statement without a row was let through")
	}
}
