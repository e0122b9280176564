package sql

import (
	"strings"
	"testing"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// priorities are those of the transactions that data is read for, since it was asked last.
func (f *fixture) priorities() func() string {
	var begun string
	f.cluster.BeforeRead = func(tx *sqltest.Txn, _ txn.Read) error {
		if o := tx.Options(); o.SessionID != 0 {
			begun += o.Priority.String() + " "
		}
		return nil
	}
	return func() string {
		out := begun
		begun = ""
		return out
	}
}

// A priority is that of a session's transactions, or of one; it is high for those who may.
func TestPriority(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO t VALUES (1, 1)")
	begun := f.priorities()
	for _, step := range []struct{ text, want string }{
		{"SELECT n FROM t WHERE id = 1", "low "},
		{"SET isochron_priority = 'high'", ""},
		{"SELECT n FROM t WHERE id = 1", "high "},
		{"SET @@session.isochron_priority = low", ""},
		{"START TRANSACTION /*+ priority(high) */", ""},
		{"SELECT n FROM t WHERE id = 1", "high "},
		{"ROLLBACK", ""},
		{"BEGIN", ""},
		{"SELECT n FROM t WHERE id = 1", "low "},
		{"COMMIT", ""},
		{"START TRANSACTION /*+ Priority ( HIGH ) */ READ ONLY", ""},
		{"SELECT n FROM t WHERE id = 1", "high "},
		{"COMMIT", ""},
		{"SELECT n FROM t WHERE id = 1", "low "},
	} {
		c.query(step.text)
		if got := begun(); got != step.want {
			t.Errorf("%s: transactions of priority %q, not %q", step.text, got, step.want)
		}
	}
	c.fails("SET isochron_priority = 'urgent'", "1231")
	c.fails("START TRANSACTION /*+ priority(urgent) */", "1231")
	c.expect("SELECT @@isochron_priority", "low")
}

// Only those may go first whom it was granted.
func TestHighPriorityIsAPrivilege(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE USER batch IDENTIFIED BY 'p'")
	db := g.open(t, "va", "batch", "p", true)
	db.SetMaxOpenConns(1)
	for _, text := range []string{"SET isochron_priority = 'high'", "START TRANSACTION /*+ priority(high) */"} {
		if _, err := db.Exec(text); err == nil || !isDenied(err) || !strings.Contains(err.Error(), "RESOURCE_GROUP_USER") {
			t.Errorf("%s, of one who was granted nothing: %v", text, err)
		}
	}
	must(t, db, "SET isochron_priority = 'low'", "START TRANSACTION /*+ priority(low) */", "COMMIT")
	must(t, root, "GRANT RESOURCE_GROUP_USER ON *.* TO batch")
	must(t, db, "SET isochron_priority = 'high'", "START TRANSACTION /*+ priority(high) */", "COMMIT")
}
