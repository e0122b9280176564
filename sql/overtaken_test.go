package sql

import (
	"strings"
	"testing"
)

// overtaken are what a transaction reads, what another commits then, and the statement
// of the first that meets it.
var overtaken = []struct{ name, reads, other, then string }{
	{"key", "SELECT * FROM o WHERE id = 50", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (50, 51, 51)"},
	{"range", "SELECT count(*) FROM o WHERE id BETWEEN 40 AND 60", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (50, 51, 51)"},
	{"table", "SELECT count(*) FROM o", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (50, 51, 51)"},
	{"unique key", "SELECT id FROM o WHERE u = 50", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (51, 50, 51)"},
	{"range of a unique key", "SELECT count(*) FROM o WHERE u > 40", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (51, 50, 51)"},
	{"another index", "SELECT id FROM o WHERE k = 50", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (50, 51, 51)"},
	{"another row", "SELECT k FROM o WHERE id = 1", "UPDATE o SET id = 50, u = 50 WHERE id = 1", "INSERT INTO o VALUES (50, 51, 51)"},
	{"changed into", "SELECT count(*) FROM o WHERE u = 50", "UPDATE o SET u = 50 WHERE id = 1", "UPDATE o SET u = 50 WHERE id = 2"},
	{"changed key", "SELECT count(*) FROM o WHERE id > 40", "UPDATE o SET id = 50 WHERE id = 1", "UPDATE o SET id = 50 WHERE id = 2"},
	{"several rows", "SELECT count(*) FROM o WHERE id > 40", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (49, 49, 49), (50, 51, 51), (52, 52, 52)"},
	{"from a query", "SELECT count(*) FROM o WHERE id > 40", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o SELECT id + 49, u + 90, k FROM o WHERE id = 1"},
	{"replaced", "SELECT count(*) FROM o WHERE id > 40", "INSERT INTO o VALUES (50, 50, 50)", "REPLACE INTO o VALUES (50, 51, 51)"},
	{"changed instead", "SELECT count(*) FROM o WHERE id > 40", "INSERT INTO o VALUES (50, 50, 50)", "INSERT INTO o VALUES (50, 51, 51) ON DUPLICATE KEY UPDATE k = 52"},
	{"ignored", "SELECT count(*) FROM o WHERE id > 40", "INSERT INTO o VALUES (50, 50, 50)", "INSERT IGNORE INTO o VALUES (50, 51, 51)"},
	{"a parent", "SELECT count(*) FROM o WHERE id = 1", "DELETE FROM o WHERE id = 1", "INSERT INTO child VALUES (1, 1)"},
}

const overtakenTable = "CREATE TABLE o (id INT PRIMARY KEY, u INT, k INT, UNIQUE KEY (u), KEY (k))"

// What contradicts an earlier read of the same transaction is no error of its
// statement: the transaction has lost, and is told to try again.
func TestWhatWasOvertakenIsAConflict(t *testing.T) {
	f := start(t)
	a, b := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	a.exec(overtakenTable)
	a.exec("CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES o (id))")
	for _, tc := range overtaken {
		t.Run(tc.name, func(t *testing.T) {
			a.exec("DELETE FROM o")
			a.exec("INSERT INTO o VALUES (1, 1, 1), (2, 2, 2)")
			a.exec("BEGIN")
			a.query(tc.reads)
			b.exec(tc.other)
			_, err := a.try(tc.then)
			if err == nil {
				_, err = a.try("COMMIT")
			}
			if err == nil || !strings.Contains(err.Error(), "1213") {
				t.Errorf("%s; %s; %s: %v, want error 1213", tc.reads, tc.other, tc.then, err)
			}
			_, _ = a.try("ROLLBACK")
		})
	}
	if f.cluster.Held() != 0 {
		t.Error("locks are left")
	}
}

// A duplicate that fits what its transaction has read is one, and the transaction goes on.
func TestADuplicateThatWasSeenIsOne(t *testing.T) {
	f := start(t)
	a := f.connect(t, "va", "shop")
	a.exec(overtakenTable)
	a.exec("INSERT INTO o VALUES (1, 1, 1), (2, 2, 2)")
	a.exec("BEGIN")
	a.fails("INSERT INTO o VALUES (1, 5, 5)", "1062")
	a.expect("SELECT count(*) FROM o WHERE id = 1", "1")
	a.fails("INSERT INTO o VALUES (1, 5, 5)", "1062")
	a.fails("INSERT INTO o VALUES (6, 2, 5)", "1062")
	a.fails("UPDATE o SET u = 2 WHERE id = 1", "1062")
	a.exec("INSERT INTO o VALUES (3, 3, 3)")
	a.fails("INSERT INTO o VALUES (3, 4, 4)", "1062") // its own
	a.exec("COMMIT")
	a.expect("SELECT id FROM o ORDER BY id", "1\n2\n3")
}
