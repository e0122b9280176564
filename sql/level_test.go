package sql

import (
	"slices"
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/txn"
)

// levels runs statements and tells at which levels their transactions began.
func (f *fixture) levels(c *client, statements string) []txn.Level {
	var begun []txn.Level
	f.cluster.OnBegin = func(opt txn.Options) { begun = append(begun, opt.Level) }
	for _, text := range strings.Split(statements, "; ") {
		c.exec(text)
	}
	f.cluster.OnBegin = nil
	return begun
}

// What SET TRANSACTION says is for the next transaction; what SET SESSION says is
// for all.
func TestTheLevelOfTransactions(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	c.exec("SELECT * FROM t") // the catalogue is read
	all, one, none := txn.Serializable, txn.RepeatableRead, txn.ReadCommitted
	for _, step := range []struct {
		statements string
		want       []txn.Level
	}{
		{"SELECT * FROM t", []txn.Level{all}},
		{"SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT * FROM t; SELECT * FROM t", []txn.Level{none, all}},
		{"SET @@transaction_isolation = 'REPEATABLE-READ'; BEGIN; SELECT * FROM t; SELECT * FROM t; COMMIT; SELECT * FROM t", []txn.Level{one, all}},
		{"SET TRANSACTION ISOLATION LEVEL READ COMMITTED; BEGIN; COMMIT; SELECT * FROM t", []txn.Level{all}},
		{"SET @@session.tx_isolation = 'READ-COMMITTED'; SELECT * FROM t; INSERT INTO t VALUES (7)", []txn.Level{none, none}},
		{"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SET autocommit = 0; SELECT * FROM t; COMMIT; SELECT * FROM t; COMMIT", []txn.Level{all, none}},
	} {
		if begun := f.levels(c, step.statements); !slices.Equal(begun, step.want) {
			t.Errorf("%s: began %v, want %v", step.statements, begun, step.want)
		}
	}
}

// A new session runs as SET GLOBAL says.
func TestTheGlobalLevel(t *testing.T) {
	f := start(t)
	t.Cleanup(func() { _ = gms.SystemVariables.SetGlobal(gms.NewEmptyContext(), isolationVariable, serializable) })
	old := f.connect(t, "va", "shop")
	old.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	old.exec("SELECT * FROM t")
	old.exec("SET GLOBAL TRANSACTION ISOLATION LEVEL READ UNCOMMITTED")
	fresh := f.connect(t, "va", "shop")
	fresh.expect("SELECT @@transaction_isolation, @@tx_isolation", "READ-COMMITTED | READ-COMMITTED")
	if begun := f.levels(old, "SELECT * FROM t"); !slices.Equal(begun, []txn.Level{txn.Serializable}) {
		t.Errorf("an old session began %v", begun)
	}
	if begun := f.levels(fresh, "SELECT * FROM t"); !slices.Equal(begun, []txn.Level{txn.ReadCommitted}) {
		t.Errorf("a new session began %v", begun)
	}
}

// A transaction's level cannot be changed within it.
func TestLevelOfTheNextTransactionWithinOne(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("BEGIN")
	_, err := c.try("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
	wantCode(t, err, 1568, "25001")
	c.exec("ROLLBACK")
	c.exec("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
}
