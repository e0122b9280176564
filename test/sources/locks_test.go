package sources

import (
	"testing"
)

// However a transaction at sources ends, its locks are free when its client is answered: another's
// NOWAIT is never refused. The cluster's ways are those of several regions.
func TestLocksAreFreeWhenTheEndIsAnswered(t *testing.T) {
	c := beginSharded(t)
	other := connect(t, "multiStatements=true")
	other.exec("USE " + databaseOf(t))
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 0), (2, 0), (3, 0), (4, 0)")
	for _, w := range []struct {
		name string
		run  func()
	}{
		{"ROLLBACK", func() {
			c.exec("BEGIN")
			c.exec("UPDATE accounts SET balance = balance + 1 WHERE id IN (1, 2)")
			c.exec("ROLLBACK")
		}},
		{"ROLLBACK of a read", func() {
			c.exec("BEGIN")
			c.exec("SELECT * FROM accounts WHERE id IN (1, 2) FOR UPDATE")
			c.exec("ROLLBACK")
		}},
		{"ROLLBACK in a packet", func() { c.exec("BEGIN; UPDATE accounts SET balance = balance + 1 WHERE id IN (1, 2); ROLLBACK") }},
		{"BEGIN", func() {
			c.exec("BEGIN")
			c.exec("UPDATE accounts SET balance = balance + 1 WHERE id IN (1, 2)")
			c.exec("ROLLBACK AND CHAIN")
			c.exec("COMMIT")
		}},
		{"COMMIT", func() {
			c.exec("BEGIN")
			c.exec("UPDATE accounts SET balance = balance + 1 WHERE id IN (1, 2)")
			c.exec("COMMIT")
		}},
		{"autocommit", func() { c.exec("UPDATE accounts SET balance = balance + 1 WHERE id IN (1, 2)") }},
		{"an error in autocommit", func() { c.fails(1062, "", "INSERT INTO accounts (id, balance) VALUES (5, 0), (1, 0), (6, 0), (2, 0)") }},
		{"an error in autocommit, of one source", func() { c.fails(1062, "", "INSERT INTO accounts (id, balance) VALUES (7, 0), (1, 0)") }},
	} {
		refused := 0
		for range 20 {
			w.run()
			if _, err := other.try("SELECT id FROM accounts WHERE id IN (1, 2, 3, 4) FOR UPDATE NOWAIT"); err != nil {
				refused++
				t.Log(err)
			}
		}
		if refused > 0 {
			t.Errorf("%s: %d of 20 times its locks were still held", w.name, refused)
		}
	}
	c.expect("4", "SELECT COUNT(*) FROM accounts")
}

// NOWAIT has MySQL's number for it, whatever the source's is.
func TestNoWaitAtASource(t *testing.T) {
	c := beginSharded(t)
	other := connect(t, "")
	other.exec("USE " + databaseOf(t))
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 0), (2, 0), (3, 0), (4, 0)")
	c.exec("BEGIN")
	c.exec("UPDATE accounts SET balance = 1 WHERE id IN (1, 2, 3, 4)")
	for id := 1; id <= 4; id++ {
		other.fails(3572, "", "SELECT id FROM accounts WHERE id = ? FOR UPDATE NOWAIT", id)
	}
	other.exec("SET innodb_lock_wait_timeout = 1")
	other.fails(1205, "", "SELECT id FROM accounts WHERE id = 1 FOR UPDATE")
	c.exec("ROLLBACK")
}
