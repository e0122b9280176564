package sql

import "testing"

// Savepoints are MySQL's: to release one forgets those after it, to roll back to one keeps it, and
// a name is that of the last.
func TestSavepoints(t *testing.T) {
	f := startSources(t)
	f.my.Answer, f.a.Answer, f.b.Answer = answering, answering, answering
	c := f.c
	c.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	writes := map[string]func(string){
		"native":  func(n string) { c.exec("INSERT INTO t VALUES (" + n + ")") },
		"sources": func(n string) { c.exec("UPDATE orders SET qty = 1 WHERE id = " + n) },
		"both": func(n string) {
			c.exec("INSERT INTO t VALUES (" + n + ")")
			c.exec("UPDATE orders SET qty = 1 WHERE id = " + n)
			c.exec("UPDATE accounts SET balance = 1 WHERE id = " + n)
		},
	}
	for where, write := range writes {
		left := func(want string) {
			t.Helper()
			if where != "sources" {
				c.expect("SELECT id FROM t ORDER BY id", want)
			}
		}
		fresh := func() {
			c.exec("BEGIN")
			for i, s := range []string{"p1", "p2", "p3"} {
				c.exec("SAVEPOINT " + s)
				write(string(rune('1' + i)))
			}
		}
		fresh()
		c.exec("RELEASE SAVEPOINT P1")
		for _, s := range []string{"p1", "p2", "p3"} {
			c.fails("ROLLBACK TO "+s, "Error 1305 (42000)")
			c.fails("RELEASE SAVEPOINT "+s, "Error 1305 (42000)")
		}
		left("1\n2\n3")
		c.exec("ROLLBACK")

		fresh()
		c.exec("RELEASE SAVEPOINT p3")
		c.fails("ROLLBACK TO SAVEPOINT p3", "Error 1305")
		c.exec("ROLLBACK TO SAVEPOINT p2")
		left("1")
		write("7")
		c.exec("ROLLBACK TO p2") // it is kept
		left("1")
		c.exec("ROLLBACK TO p1")
		c.fails("ROLLBACK TO p2", "Error 1305")
		left("")
		c.exec("ROLLBACK")

		fresh()
		c.exec("SAVEPOINT p1") // those after its namesake stay
		write("8")
		c.exec("ROLLBACK TO p1")
		left("1\n2\n3")
		c.exec("ROLLBACK TO p3")
		left("1\n2")
		c.fails("ROLLBACK TO p1", "Error 1305")
		c.exec("ROLLBACK TO p2")
		left("1")
		c.exec("ROLLBACK")
		c.fails("ROLLBACK TO p2", "Error 1305")
	}
}
