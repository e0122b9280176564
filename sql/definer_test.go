package sql

import (
	"strings"
	"testing"
)

// A procedure shows who has defined it. A caller with more privileges than the definer is warned;
// no other is.
func TestDefiner(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	root.SetMaxOpenConns(1)
	must(t, root, "CREATE DATABASE d", "USE d", "CREATE TABLE t (id INT PRIMARY KEY)", "CREATE USER weak IDENTIFIED BY 'p'", "GRANT ALL ON d.* TO weak",
		"CREATE USER weaker IDENTIFIED BY 'p'", "GRANT EXECUTE ON d.* TO weaker", "CREATE PROCEDURE own() SELECT 1")
	weak := g.open(t, "va", "weak", "p", true)
	weak.SetMaxOpenConns(1)
	must(t, weak, "USE d", "CREATE PROCEDURE p() INSERT INTO t VALUES (1)", "CREATE DEFINER=`weak`@`%` PROCEDURE q() SELECT 1", "CREATE DEFINER=CURRENT_USER PROCEDURE r() SELECT 1")
	for _, other := range []string{"root", "root@'%'", "`root`@`%`", "weaker"} {
		if _, err := weak.Exec("CREATE DEFINER=" + other + " PROCEDURE x() SELECT 1"); err == nil {
			t.Errorf("DEFINER=%s was accepted", other)
		}
	}
	for name, want := range map[string]string{"p": "weak@%", "q": "weak@%", "own": "root@%"} { // order: each by itself
		var got string
		if err := root.QueryRow("SELECT definer FROM information_schema.routines WHERE routine_name = '" + name + "'").Scan(&got); err != nil || got != want {
			t.Errorf("%s was defined by %q (%v)", name, got, err)
		}
	}
	var name, mode, text, a, b, c string
	if err := root.QueryRow("SHOW CREATE PROCEDURE p").Scan(&name, &mode, &text, &a, &b, &c); err != nil || !strings.HasPrefix(text, "CREATE DEFINER=`weak`@`%` PROCEDURE") {
		t.Errorf("%s (%v)", text, err)
	}
	warned := func(user string, call string) bool {
		t.Helper()
		db := root
		if user != "root" {
			db = g.open(t, "va", user, "p", true)
			db.SetMaxOpenConns(1)
			must(t, db, "USE d")
		}
		must(t, db, call)
		rows, err := db.Query("SHOW WARNINGS")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		found := false
		for rows.Next() {
			var level, said string
			var code int
			if err := rows.Scan(&level, &code, &said); err != nil {
				t.Fatal(err)
			}
			found = found || level == "Warning" && strings.Contains(said, "`weak`@`%`")
		}
		return found
	}
	if !warned("root", "CALL p()") {
		t.Error("root was not warned")
	}
	if warned("root", "CALL own()") || warned("weak", "CALL q()") || warned("weaker", "CALL q()") {
		t.Error("a caller was warned that need not be")
	}
	must(t, root, "DROP USER weak")
	if !warned("root", "CALL q()") {
		t.Error("root was not warned of a procedure whose definer is gone")
	}
}

// An unknown name is refused as a known one with a wrong password is.
func TestNamesAreNotTold(t *testing.T) {
	g := startGuarded(t, nil)
	must(t, g.open(t, "va", "root", rootPassword, false), "CREATE USER sha IDENTIFIED WITH caching_sha2_password BY 's1'", "CREATE USER shb IDENTIFIED WITH caching_sha2_password BY 's1'")
	for _, secure := range []bool{false, true} {
		for _, user := range []string{"root", "sha", "nobody"} {
			err := g.login(t, "va", user, "wrong", secure)
			if n, _, _ := codeOf(err); n != 1045 && (secure || n != 3159) {
				t.Errorf("%s, TLS %v: %v", user, secure, err)
			}
		}
	}
}
