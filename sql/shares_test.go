package sql

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// hold opens connections of an account until one is refused, at most so many.
func (g *guarded) hold(t *testing.T, user, password string, most int) (n int, err error) {
	t.Helper()
	for n < most {
		db := g.open(t, "va", user, password, false)
		if err = db.Ping(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// One account has at most 80 % of the connections, or what is set for it or for each; others
// come in meanwhile.
func TestConnectionsOfAnAccount(t *testing.T) {
	g := startGuarded(t, func(c *Config) { c.Connections = 20 })
	root := g.open(t, "va", "root", rootPassword, false)
	root.SetMaxOpenConns(1)
	must(t, root, "CREATE USER greedy IDENTIFIED BY 'p'", "CREATE USER other IDENTIFIED BY 'p'", "CREATE USER few IDENTIFIED BY 'p' WITH MAX_USER_CONNECTIONS 2")
	n, err := g.hold(t, "greedy", "p", 40)
	if code, state, said := codeOf(err); n != 16 || code != 1203 || state != "42000" || !strings.Contains(said, "max_user_connections") || !strings.Contains(said, "sql.connections") {
		t.Errorf("%d connections, then %v", n, err)
	}
	if err := g.login(t, "va", "other", "p", false); err != nil {
		t.Errorf("another account: %v", err)
	}
	eventually(t, "its login is over", func() bool {
		var left int
		err := root.QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'other'").Scan(&left)
		return err == nil && left == 0
	})
	n, err = g.hold(t, "few", "p", 5)
	if code, state, said := codeOf(err); n != 2 || code != 1226 || state != "42000" || !strings.Contains(said, "(current value: 2)") {
		t.Errorf("%d connections, then %v", n, err)
	}
	must(t, root, "ALTER USER other WITH MAX_USER_CONNECTIONS 1")
	if n, err := g.hold(t, "other", "p", 5); n != 1 || err == nil {
		t.Errorf("%d connections, then %v", n, err)
	}
}

// A setting of the node bounds each account, and an account's own goes before it.
func TestConnectionsOfEach(t *testing.T) {
	g := startGuarded(t, func(c *Config) { c.Connections = 20 })
	root := g.open(t, "va", "root", rootPassword, false)
	root.SetMaxOpenConns(1)
	must(t, root, "CREATE USER a IDENTIFIED BY 'p'", "CREATE USER b IDENTIFIED BY 'p' WITH MAX_USER_CONNECTIONS 4", "SET GLOBAL max_user_connections = 3")
	t.Cleanup(func() { must(t, root, "SET GLOBAL max_user_connections = 0") })
	if n, err := g.hold(t, "a", "p", 9); n != 3 || err == nil {
		t.Errorf("%d connections, then %v", n, err)
	}
	if n, err := g.hold(t, "b", "p", 9); n != 4 || err == nil {
		t.Errorf("%d connections, then %v", n, err)
	}
}

// One account has at most 80 % of the prepared statements, however it prepares them, and what
// it closes is free again.
func TestPreparedOfAnAccount(t *testing.T) {
	g := startGuarded(t, func(c *Config) { c.Memory.Prepared = 50 })
	root := g.open(t, "va", "root", rootPassword, false)
	must(t, root, "CREATE USER greedy IDENTIFIED BY 'p'", "CREATE USER other IDENTIFIED BY 'p'")
	db := g.open(t, "va", "greedy", "p", false)
	db.SetMaxOpenConns(1)
	var all []*sql.Stmt
	for range 30 {
		p, err := db.Prepare("SELECT 1")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	second := g.open(t, "va", "greedy", "p", false)
	second.SetMaxOpenConns(1)
	var err error
	n := 0
	for ; n < 30 && err == nil; n++ {
		_, err = second.Exec(fmt.Sprintf("PREPARE p%d FROM 'SELECT 1'", n))
	}
	if code, _, said := codeOf(err); n != 11 || code != codeStatements || !strings.Contains(said, "max_prepared_stmt_count") {
		t.Errorf("after %d: %v", n, err)
	}
	if _, err := db.Prepare("SELECT 2"); err == nil {
		t.Error("one more was prepared by the protocol")
	}
	o := g.open(t, "va", "other", "p", false)
	if _, err := o.Prepare("SELECT 1"); err != nil {
		t.Errorf("another account: %v", err)
	}
	for _, p := range all {
		_ = p.Close()
	}
	must(t, db, "SELECT 1")
	must(t, second, "PREPARE again FROM 'SELECT 1'")
}
