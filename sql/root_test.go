package sql

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql/mysql_db"
)

// A new password of root, given again and again, leaves one row of it; all statements about
// it work, and it logs in.
func TestRootAgain(t *testing.T) {
	g := startGuarded(t, nil)
	server := g.servers["va"]
	must(t, g.open(t, "va", "root", rootPassword, true), "CREATE USER other IDENTIFIED BY 'o'", "GRANT ALL ON *.* TO other WITH GRANT OPTION")
	for _, password := range []string{"first", "second", "second", "third"} {
		if err := server.SetRoot(t.Context(), verifierOf(password)); err != nil {
			t.Fatal(err)
		}
		for _, region := range testRegions {
			eventually(t, "root logs in with "+password+" in "+region, func() bool { return g.login(t, region, "root", password, true) == nil })
		}
	}
	wantOneRoot(t, g)
	root := g.open(t, "va", "root", "third", true)
	must(t, root, "ALTER USER root IDENTIFIED BY 'fourth'")
	root = g.open(t, "va", "root", "fourth", true)
	must(t, root, "GRANT SELECT ON *.* TO root", "ALTER USER root IDENTIFIED BY 'fifth'")
	must(t, g.open(t, "va", "other", "o", true), "DROP USER root")
	if err := server.SetRoot(t.Context(), verifierOf("sixth")); err != nil {
		t.Fatal(err)
	}
	if err := g.login(t, "va", "root", "sixth", true); err != nil {
		t.Error(err)
	}
}

func wantOneRoot(t *testing.T, g *guarded) {
	t.Helper()
	var n int
	if err := g.open(t, "va", "root", "third", true).QueryRow("SELECT COUNT(*) FROM mysql.user WHERE user = 'root'").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows of root (%v)", n, err)
	}
}

// Accounts that were stored twice by a former version are one again when they are read.
func TestDoubledAccountsAreMended(t *testing.T) {
	g := startGuarded(t, nil)
	a := g.servers["va"].gateway.accounts
	err := g.servers["va"].gateway.store.ChangeAccounts(t.Context(), func(old []byte) ([]byte, error) {
		return editStored(old, func(ed *mysql_db.Editor) {
			for i, password := range []string{"old", "third", "older"} {
				ed.PutUser(&mysql_db.User{User: "root", Host: "%", PrivilegeSet: mysql_db.NewPrivilegeSetWithAllPrivileges(),
					Plugin: "mysql_native_password", AuthString: verifierOf(password), PasswordLastChanged: time.Unix([]int64{50, 2000, 70}[i], 0)})
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AskLeader(); err != nil {
		t.Fatal(err)
	}
	wantOneRoot(t, g)
	must(t, g.open(t, "va", "root", "third", true), "CREATE USER x", "ALTER USER root IDENTIFIED BY 'y'")
	must(t, g.open(t, "va", "root", "y", true), "DROP USER x")
}

// What panics in the transaction of the catalogue that changes accounts leaves no lock on them.
func TestPanicFreesTheAccounts(t *testing.T) {
	g := startGuarded(t, nil)
	func() {
		defer func() { _ = recover() }()
		_ = g.servers["va"].gateway.store.ChangeAccounts(t.Context(), func([]byte) ([]byte, error) { panic("as the engine does") })
	}()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	if _, err := g.open(t, "wa", "root", rootPassword, true).ExecContext(ctx, "CREATE USER x"); err != nil {
		t.Error(err)
	}
}

// A statement that the engine panics at rolls its transaction back: its locks are gone, and
// its client learns of it from the commit, whatever comes between.
func TestPanicRollsBack(t *testing.T) {
	f := start(t)
	a, b := f.connect(t, "va", ""), f.connect(t, "va", "")
	for _, c := range []*client{a, b} {
		c.exec("USE shop")
		c.exec("SET innodb_lock_wait_timeout = 5")
	}
	a.exec("CREATE TABLE p (id INT PRIMARY KEY, v VARCHAR(20))")
	a.exec("INSERT INTO p VALUES (1, '12:00:00'), (2, 'x')")
	panics := ""
	for _, query := range panicking {
		if _, err := a.try(query); err != nil && strings.Contains(err.Error(), "digest ") {
			panics = query
			break
		}
	}
	if panics == "" {
		t.Skip("the engine panics at none of these any more")
	}
	a.exec("BEGIN")
	a.exec("UPDATE p SET v = 'changed' WHERE id = 1")
	if _, err := a.try(panics); err == nil || !strings.Contains(err.Error(), "the transaction is rolled back") {
		t.Errorf("%s: %v", panics, err)
	}
	b.exec("UPDATE p SET v = 'other' WHERE id = 1") // its lock is gone
	if _, err := a.try("UPDATE p SET v = 'after' WHERE id = 2"); err == nil {
		t.Error("the transaction went on as if nothing had happened")
	}
	a.exec("ROLLBACK")
	a.exec("BEGIN")
	a.exec("UPDATE p SET v = 'changed' WHERE id = 1")
	_, _ = a.try(panics)
	if _, err := a.try("COMMIT"); err == nil {
		t.Error("a transaction that was rolled back was committed")
	}
	a.expect("SELECT v FROM p WHERE id = 1", "other")
	a.expect("SELECT v FROM p WHERE id = 2", "x")
	a.exec("UPDATE p SET v = 'now' WHERE id = 2")
	b.expect("SELECT v FROM p WHERE id = 2", "now")
}
