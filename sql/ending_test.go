package sql

import (
	"errors"
	"strings"
	"testing"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// A COMMIT that fails has rolled back, whatever it failed of: the next transaction on its
// connection does not commit what its client was told is refused.
func TestACommitThatFailsHasRolledBack(t *testing.T) {
	f := start(t)
	c, other := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("CREATE TABLE u (id INT PRIMARY KEY)")
	c.exec("INSERT INTO t VALUES (1, 0)")
	failures := []error{errors.New("the disk is strange")}
	for kind := txn.Kind(1); kind <= txn.KindTooOld; kind++ {
		if kind != txn.KindUnknown { // its connection ends
			failures = append(failures, txn.Errorf(kind, "planted"))
		}
	}
	for _, commit := range []string{"COMMIT", "commit /* all */", "BEGIN", "SET autocommit = 1", "CREATE TABLE never (id INT PRIMARY KEY)"} {
		for _, failure := range failures {
			c.exec("SET autocommit = 0")
			c.exec("UPDATE t SET n = n + 1 WHERE id = 1")
			mine := true
			f.cluster.BeforeCommit = func(tx *sqltest.Txn) error {
				if tx.Options().SessionID == 0 || !mine {
					return nil
				}
				mine = false
				return failure
			}
			_, err := c.conn.ExecContext(t.Context(), commit)
			f.cluster.BeforeCommit = nil
			if err == nil {
				t.Fatalf("%s succeeds though the transaction's commit fails of: %v", commit, failure)
			}
			if lives(asFailure(failure)) && !strings.Contains(err.Error(), "the transaction is rolled back") {
				t.Errorf("%s fails of %q, and does not say that nothing is left: %v", commit, failure, err)
			}
			c.exec("BEGIN")
			c.exec("INSERT INTO u VALUES (1)")
			c.exec("COMMIT")
			c.exec("DELETE FROM u")
			c.exec("SET autocommit = 1")
			other.expect("SELECT n FROM t", "0")
		}
	}
}

func asFailure(err error) *txn.Error {
	f, _ := err.(*txn.Error)
	return f
}

// So has one that fails before the gateway is asked: tables at sources are looked up once more.
func TestACommitThatCannotReadTheCatalogueHasRolledBack(t *testing.T) {
	f := startSources(t)
	c := f.c
	f.my.Answer, f.a.Answer, f.b.Answer = answering, answering, answering
	c.exec("CREATE TABLE near (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO near VALUES (1, 0)")
	c.exec("BEGIN")
	c.exec("UPDATE near SET n = 1 WHERE id = 1")
	c.exec("UPDATE shop.accounts SET owner = 'x' WHERE id = 1")
	f.connect(t, "wa", "shop").exec("CREATE TABLE unrelated (id INT PRIMARY KEY)") // the catalogue is another
	f.cluster.BeforeRead = func(tx *sqltest.Txn, _ txn.Read) error {
		if tx.Options().SessionID == 0 {
			return txn.Errorf(txn.KindLockTimeout, "planted")
		}
		return nil
	}
	_, err := c.conn.ExecContext(t.Context(), "COMMIT")
	f.cluster.BeforeRead = nil
	if err == nil || !strings.Contains(err.Error(), "planted") {
		t.Fatalf("COMMIT over sources reads no catalogue: %v", err)
	}
	c.exec("BEGIN")
	c.exec("COMMIT")
	c.expect("SELECT n FROM near", "0")
}

// A ROLLBACK, and a COMMIT, that is cut short ends the transaction; one to a savepoint does not.
func TestWhatSetsOutToEnd(t *testing.T) {
	f := start(t)
	f.connect(t, "va", "shop")
	x := &execution{}
	for _, s := range f.servers["va"].gateway.sessions { // order: any will do
		x.s = s
	}
	for text, want := range map[string]bool{ // order: each by itself
		"COMMIT": true, "/* now */ commit": true, "COMMIT; SELECT 1": true, "ROLLBACK": true, "rollback": true,
		"ROLLBACK TO SAVEPOINT s": false, "rollback/**/to s": false, "SELECT 1": false, "BEGIN": false, "commit this": false, "": false,
	} {
		if x.text = text; x.setsOutToEnd() != want {
			t.Errorf("%q sets out to end its transaction: %v", text, !want)
		}
	}
}
