package sql

import (
	"slices"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/legacy"
	"isochron/sql/sqltest"
	"isochron/txn"
)

// restoreGlobals gives system variables their defaults back when a test ends: they are of the
// process.
func restoreGlobals(t *testing.T, names ...string) {
	t.Helper()
	legacy.RegisterVariables()
	for _, name := range names {
		v, _, ok := gms.SystemVariables.GetGlobal(name)
		if !ok {
			t.Fatalf("there is no variable %s", name)
		}
		t.Cleanup(func() { _ = gms.SystemVariables.SetGlobal(gms.NewEmptyContext(), name, v.GetDefault()) })
	}
}

// The bounds of waits reach the transactions of a session: those of the session that sets them,
// and with SET GLOBAL those of sessions that begin later. A default is the cluster's own bound.
func TestTheBoundsOfTransactions(t *testing.T) {
	restoreGlobals(t, lockWaitVariable, silenceVariable, commitVariable)
	f := start(t)
	old := f.connect(t, "va", "shop")
	old.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	old.exec("SELECT * FROM t") // the catalogue is read
	bounds := func(c *client) (out []int64) {
		f.cluster.OnBegin = func(o txn.Options) { out = []int64{o.LockWaitMillis, o.SilenceMillis, o.CommitWaitMillis} }
		c.exec("SELECT * FROM t")
		f.cluster.OnBegin = nil
		return out
	}
	expect := func(c *client, want ...int64) {
		t.Helper()
		if got := bounds(c); !slices.Equal(got, want) {
			t.Errorf("lock wait, source, commit: %v ms, want %v", got, want)
		}
	}
	const all = "SELECT @@innodb_lock_wait_timeout, @@isochron_source_timeout, @@isochron_commit_timeout"
	old.expect(all, "5 | 10 | 20")
	expect(old, 0, 10_000, 0)
	old.exec("SET GLOBAL innodb_lock_wait_timeout = 7, GLOBAL isochron_source_timeout = 3, GLOBAL isochron_commit_timeout = 4")
	expect(old, 0, 10_000, 0)
	fresh := f.connect(t, "va", "shop")
	fresh.expect(all, "7 | 3 | 4")
	expect(fresh, 7000, 3000, 4000)
	fresh.exec("SET innodb_lock_wait_timeout = 50, isochron_source_timeout = 30, isochron_commit_timeout = 60")
	expect(fresh, 50_000, 30_000, 60_000)
	fresh.exec("SET isochron_commit_timeout = 20")
	expect(fresh, 50_000, 30_000, 0)
	for _, wrong := range []string{"SET isochron_commit_timeout = 0", "SET GLOBAL isochron_commit_timeout = 3601", "SET isochron_commit_timeout = 'soon'"} {
		if _, err := fresh.try(wrong); err == nil {
			t.Errorf("%s was accepted", wrong)
		}
	}
	_, err := fresh.try("SET GLOBAL lock_wait_timeout = 3")
	wantCode(t, err, 1235, "42000")
	fresh.exec("SET lock_wait_timeout = 3")
	expect(fresh, 3000, 30_000, 0)
}

// A server begins with the variables of its configuration, or says which it cannot have.
func TestVariablesOfTheConfiguration(t *testing.T) {
	restoreGlobals(t, waitVariable, interactiveVariable, idleVariable)
	s, err := NewServer(sqltest.NewCluster("va").Gateway("va"), Config{Variables: map[string]int64{waitVariable: 77, interactiveVariable: 88, idleVariable: 0}})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{servers: map[string]*Server{"va": s}}
	t.Cleanup(func() { s.Close() })
	c := f.connect(t, "va", "")
	c.expect("SELECT @@wait_timeout, @@interactive_timeout, @@isochron_idle_transaction_timeout", "77 | 88 | 0")
	for _, wrong := range []map[string]int64{{"no_such_variable": 1}, {waitVariable: 0}} {
		if s, err := NewServer(sqltest.NewCluster("va").Gateway("va"), Config{Variables: wrong}); err == nil {
			s.Close()
			t.Errorf("%v was accepted", wrong)
		}
	}
}
