package sql

import (
	"fmt"
	"strings"
	"testing"
)

// Nobody becomes somebody stronger by the right to make users.
func TestCreateUserIsNotEnough(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)",
		"CREATE USER maker IDENTIFIED BY 'p'", "GRANT CREATE USER, ROLE_ADMIN ON *.* TO maker",
		"CREATE USER equal IDENTIFIED BY 'p'", "GRANT CREATE USER ON *.* TO equal",
		"CREATE USER reader IDENTIFIED BY 'p'", "GRANT SELECT ON d.t TO reader",
		"CREATE USER special IDENTIFIED BY 'p'", "GRANT SYSTEM_USER ON *.* TO special",
		"CREATE ROLE strong", "GRANT SELECT ON *.* TO strong", "CREATE USER member IDENTIFIED BY 'p'", "GRANT strong TO member",
		"CREATE USER writer IDENTIFIED BY 'p'", "GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO writer",
		"CREATE USER owner IDENTIFIED BY 'p'", "GRANT SELECT ON d.* TO owner WITH GRANT OPTION",
		"CREATE USER giver IDENTIFIED BY 'p'", "GRANT CREATE USER ON *.* TO giver WITH GRANT OPTION")
	as := func(user string, wanted bool, statements ...string) {
		t.Helper()
		db := g.open(t, "va", user, "p", true)
		defer db.Close()
		for _, s := range statements {
			if _, err := db.Exec(s); err == nil != wanted || err != nil && !isDenied(err) {
				t.Errorf("%s: %s: %v", user, s, err)
			}
		}
	}
	as("maker", false, "ALTER USER root IDENTIFIED BY 'x'", "DROP USER root", "CREATE USER root@localhost IDENTIFIED BY 'x'",
		"ALTER USER reader IDENTIFIED BY 'x'", "DROP USER reader", "ALTER USER special IDENTIFIED BY 'x'", "ALTER USER member IDENTIFIED BY 'x'",
		"DROP ROLE strong", "GRANT strong TO maker", "GRANT root TO maker", "REVOKE strong FROM member", "GRANT SUPER ON *.* TO maker", "GRANT ALL ON *.* TO maker",
		"GRANT SYSTEM_USER ON *.* TO maker", "GRANT SELECT ON d.t TO maker", "REVOKE ALL ON *.* FROM root", "REVOKE ALL, GRANT OPTION FROM root")
	as("maker", true, "CREATE USER weak IDENTIFIED BY 'p'", "ALTER USER weak IDENTIFIED BY 'q'", "ALTER USER equal IDENTIFIED BY 'p'", "DROP USER weak",
		"CREATE ROLE hollow", "GRANT hollow TO equal", "REVOKE hollow FROM equal", "DROP ROLE hollow", "ALTER USER maker IDENTIFIED BY 'p'")
	as("giver", false, "GRANT SYSTEM_USER ON *.* TO giver", "GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO giver", "GRANT SUPER ON *.* TO giver", "GRANT SELECT ON d.t TO giver",
		"GRANT CREATE USER ON *.* TO special", "REVOKE CREATE USER ON *.* FROM root")
	as("giver", true, "GRANT CREATE USER ON *.* TO reader", "REVOKE CREATE USER ON *.* FROM reader")
	as("writer", false, "GRANT ALL ON *.* TO writer", "GRANT SYSTEM_USER ON *.* TO writer", "ALTER USER root IDENTIFIED BY 'x'", "CREATE USER x")
	as("owner", true, "GRANT SELECT ON d.t TO reader", "REVOKE SELECT ON d.t FROM reader", "ALTER USER owner IDENTIFIED BY 'p'")
	as("owner", false, "GRANT INSERT ON d.t TO reader", "GRANT SELECT ON *.* TO reader", "GRANT SELECT ON other.* TO owner", "ALTER USER reader IDENTIFIED BY 'x'")
	must(t, root, "GRANT SYSTEM_USER ON *.* TO maker")
	as("maker", true, "ALTER USER reader IDENTIFIED BY 'x'", "ALTER USER special IDENTIFIED BY 'x'")
	must(t, root, "REVOKE SYSTEM_USER ON *.* FROM maker")
	as("maker", false, "ALTER USER special IDENTIFIED BY 'x'")
	if err := g.login(t, "va", "root", rootPassword, true); err != nil {
		t.Errorf("root: %v", err)
	}
}

// Rights on one database, when it is the current one, are not taken for rights on all.
func TestCurrentDatabaseLendsNothing(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE DATABASE d", "CREATE DATABASE e", "CREATE TABLE e.t (id INT PRIMARY KEY)", "CREATE TABLE d.t (id INT PRIMARY KEY)",
		"CREATE USER owner IDENTIFIED BY 'p'", "GRANT ALL ON d.* TO owner WITH GRANT OPTION", "CREATE USER other IDENTIFIED BY 'p'")
	db := g.open(t, "va", "owner", "p", true)
	db.SetMaxOpenConns(1)
	must(t, db, "USE d", "SHOW TABLES FROM d")
	for _, s := range []string{"DROP DATABASE e", "CREATE DATABASE x", "ALTER DATABASE e COLLATE utf8mb4_bin", "GRANT SELECT ON *.* TO other", "GRANT SELECT ON e.* TO other",
		"GRANT SELECT ON e.t TO owner", "REVOKE SELECT ON *.* FROM root", "SELECT * FROM e.t", "INSERT INTO e.t VALUES (1)", "DROP TABLE e.t", "CREATE TABLE e.x (id INT PRIMARY KEY)",
		"TRUNCATE TABLE e.t", "ALTER TABLE e.t ADD COLUMN n INT", "CREATE INDEX i ON e.t (id)", "RENAME TABLE d.t TO e.x", "RENAME TABLE e.t TO d.x", "CREATE VIEW e.v AS SELECT 1",
		"CREATE VIEW d.v AS SELECT * FROM e.t", "LOCK TABLES e.t READ", "ANALYZE TABLE e.t", "SHOW TABLES FROM e", "SHOW CREATE TABLE e.t", "SHOW COLUMNS FROM e.t", "SHOW INDEX FROM e.t", "SHOW CREATE DATABASE e",
		"EXPLAIN SELECT * FROM e.t", "SELECT 1 FROM d.t WHERE id IN (SELECT id FROM e.t)", "WITH w AS (SELECT id FROM e.t) SELECT * FROM w", "CREATE TABLE d.y AS SELECT * FROM e.t",
		"CREATE TABLE d.z LIKE e.t", "INSERT INTO d.t SELECT * FROM e.t", "UPDATE d.t, e.t SET d.t.id = 1 WHERE d.t.id = e.t.id", "DELETE d.t FROM d.t JOIN e.t ON d.t.id = e.t.id", "USE e", "FLUSH PRIVILEGES", "SELECT * FROM mysql.user",
		"TABLE e.t", "SELECT * FROM d.t UNION SELECT * FROM e.t", "DESCRIBE e.t", "UPDATE d.t SET id = (SELECT MAX(id) FROM e.t)"} {
		if _, err := db.Exec(s); !isDenied(err) {
			t.Errorf("%s: %v", s, err)
		}
	}
	must(t, db, "GRANT SELECT ON d.* TO other", "CREATE TABLE d.more (id INT PRIMARY KEY)", "DROP DATABASE d")
}

// Settings of all, however they are spelt, and by a statement that was prepared before
// the privilege was taken away.
func TestSetGlobalNeedsAPrivilege(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE USER u IDENTIFIED BY 'p'")
	u := g.open(t, "va", "u", "p", true)
	u.SetMaxOpenConns(1)
	for _, s := range []string{"SET GLOBAL autocommit = 0", "SET @@GLOBAL.autocommit = 0", "SET PERSIST sql_select_limit = 0", "SET @@persist.sql_select_limit = 0",
		"SET @@PERSIST_ONLY.sql_select_limit = 0", "SET @x = 1, GLOBAL autocommit = 0", "SET @@`global`.autocommit = 0", "SET /* x */ GLOBAL autocommit = 0", "SET GLOBAL TRANSACTION READ ONLY",
		"SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED", "PREPARE p FROM 'SET GLOBAL autocommit = 0'"} {
		if _, err := u.Exec(s); err == nil {
			t.Errorf("%s was let through", s)
		}
	}
	must(t, u, "SET @x = 1", "SET autocommit = 1", "SET SESSION sql_select_limit = 5", "SET @@session.sql_select_limit = DEFAULT")
	must(t, root, "GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO u")
	must(t, u, "PREPARE p FROM 'SET GLOBAL isochron_priority = ''low'''", "EXECUTE p")
	stmt, err := u.Prepare("SET GLOBAL isochron_priority = 'low'")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stmt.Exec(); err != nil {
		t.Error(err)
	}
	must(t, root, "REVOKE SYSTEM_VARIABLES_ADMIN ON *.* FROM u")
	_, err = u.Exec("EXECUTE p")
	wantCode(t, err, 1227, "42000")
	_, err = stmt.Exec()
	wantCode(t, err, 1227, "42000")
}

// KILL, and what one sees of others.
func TestOthersConnections(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE USER a IDENTIFIED BY 'p'", "CREATE USER b IDENTIFIED BY 'p'", "CREATE USER admin IDENTIFIED BY 'p'", "GRANT CONNECTION_ADMIN ON *.* TO admin")
	a, b, admin := g.open(t, "va", "a", "p", true), g.open(t, "va", "b", "p", true), g.open(t, "va", "admin", "p", true)
	a2 := g.open(t, "va", "a", "p", true)
	var idA, idRoot, n int
	for _, q := range []error{a.QueryRow("SELECT CONNECTION_ID()").Scan(&idA), root.QueryRow("SELECT CONNECTION_ID()").Scan(&idRoot)} {
		if q != nil {
			t.Fatal(q)
		}
	}
	_, err := b.Exec(fmt.Sprintf("KILL %d", idA))
	wantCode(t, err, 1227, "42000")
	_, err = admin.Exec(fmt.Sprintf("KILL QUERY %d", idRoot))
	wantCode(t, err, 1227, "42000")
	must(t, a2, fmt.Sprintf("KILL QUERY %d", idA))
	must(t, admin, fmt.Sprintf("KILL QUERY %d", idA))
	if err := b.QueryRow("SELECT COUNT(*) FROM information_schema.processlist").Scan(&n); err != nil || n != 1 {
		t.Errorf("b sees %d connections (%v)", n, err)
	}
	if err := root.QueryRow("SELECT COUNT(*) FROM information_schema.processlist").Scan(&n); err != nil || n < 5 {
		t.Errorf("root sees %d connections (%v)", n, err)
	}
	must(t, b, "SHOW PROCESSLIST", "SHOW GRANTS", "SHOW GRANTS FOR b", "SHOW GRANTS FOR CURRENT_USER()")
	_, err = b.Exec("SHOW GRANTS FOR root")
	if !isDenied(err) {
		t.Errorf("SHOW GRANTS FOR root: %v", err)
	}
	var user, current string
	if err := b.QueryRow("SELECT USER(), CURRENT_USER()").Scan(&user, &current); err != nil || user != "b@127.0.0.1" || current != "b@%" {
		t.Errorf("USER() is %q, CURRENT_USER() %q (%v)", user, current, err)
	}
}

// What the parser does not know is refused in words.
func TestUnsupportedIsSaid(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	for _, s := range []string{"SHOW ENGINE INNODB STATUS", "SHOW CREATE USER root", "CHECKSUM TABLE t", "SET ROLE ALL", "DO 1", "SET PASSWORD = 'x'", "RENAME USER root TO r2", "XA START 'x'"} {
		_, err := root.Exec(s)
		wantCode(t, err, 1235, "42000")
	}
}

// What was prepared, and what has a cached plan, ends with the rights that it needs.
func TestRevokedWhilePrepared(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, n INT)", "INSERT INTO d.t VALUES (1, 1)",
		"CREATE USER u IDENTIFIED BY 'p'", "GRANT SELECT, UPDATE, INSERT, DELETE ON d.t TO u", "CREATE USER seer IDENTIFIED BY 'p'")
	for _, secure := range []bool{false, true} {
		must(t, root, "GRANT SELECT, UPDATE, INSERT, DELETE ON d.t TO u")
		u := g.open(t, "va", "u", "p", secure)
		u.SetMaxOpenConns(1)
		texts := []string{"SELECT n FROM d.t WHERE id = ?", "UPDATE d.t SET n = n + 1 WHERE id = ?", "DELETE FROM d.t WHERE id = 5 AND n = ?", "INSERT INTO d.t VALUES (7, ?) ON DUPLICATE KEY UPDATE n = 1"}
		for _, text := range texts {
			stmt, err := u.Prepare(text)
			if err != nil {
				t.Fatal(err)
			}
			plain := fmt.Sprintf(strings.Replace(text, "?", "%d", 1), 1)
			for range 8 {
				if _, err := stmt.Exec(1); err != nil {
					t.Fatal(err)
				}
				must(t, u, plain)
			}
			must(t, root, "REVOKE SELECT, UPDATE, INSERT, DELETE ON d.t FROM u")
			if _, err := stmt.Exec(1); !isDenied(err) {
				t.Errorf("%s, prepared: %v", text, err)
			}
			if _, err := u.Exec(plain); !isDenied(err) {
				t.Errorf("%s: %v", plain, err)
			}
			must(t, root, "GRANT SELECT, UPDATE, INSERT, DELETE ON d.t TO u")
			if _, err := stmt.Exec(1); err != nil {
				t.Errorf("%s, granted again: %v", text, err)
			}
		}
	}
	seer := g.open(t, "va", "seer", "p", true)
	for _, from := range []string{"tables WHERE table_schema = 'd'", "columns WHERE table_schema = 'd'", "schemata WHERE schema_name = 'd'", "statistics WHERE table_schema = 'd'", "views WHERE table_schema = 'd'", "user_privileges WHERE grantee LIKE '%root%'"} {
		var n int
		if err := seer.QueryRow("SELECT COUNT(*) FROM information_schema." + from).Scan(&n); err != nil || n != 0 {
			t.Errorf("who has nothing sees %d of %s (%v)", n, from, err)
		}
	}
}
