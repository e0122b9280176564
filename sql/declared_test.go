package sql

import (
	"testing"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// An update by its key that writes its row alone says so before it reads, with the priority of its
// session; one of what an index holds cannot, nor one that is part of a transaction.
func TestWhichUpdatesAreDeclared(t *testing.T) {
	c := newCounter(t)
	c.exec("CREATE TABLE indexed (id BIGINT PRIMARY KEY, n INT, m INT, KEY (m))")
	c.exec("INSERT INTO indexed VALUES (1, 0, 0)")
	c.exec("SET isochron_priority = 'high'")
	var declared, high bool
	c.cluster.BeforeRead = func(tx *sqltest.Txn, r txn.Read) error {
		if r.ForWrite {
			declared = len(r.FixedSet) == 1 && r.FixedSet[0] == r.Gets[0]
			high = tx.Options().Priority == txn.PriorityHigh
		}
		return nil
	}
	defer func() { c.cluster.BeforeRead = nil }()
	for _, w := range []struct {
		text, before, after string
		want                bool
	}{
		{"UPDATE t SET n = n + 1 WHERE id = ?", "SELECT 1", "SELECT 1", true},
		{"UPDATE t SET c = 'x' WHERE id = ?", "SELECT 1", "SELECT 1", true},
		{"UPDATE indexed SET n = n + 1 WHERE id = ?", "SELECT 1", "SELECT 1", true},
		{"UPDATE indexed SET m = m + 1 WHERE id = ?", "SELECT 1", "SELECT 1", false},
		{"UPDATE t SET n = n + 1 WHERE id = ?", "BEGIN", "COMMIT", false},
		{"UPDATE t SET n = n + 1 WHERE id = ? AND n < 1000", "SELECT 1", "SELECT 1", true},
		{"UPDATE t SET n = n + 1 WHERE id <= ?", "SELECT 1", "SELECT 1", false},
	} {
		c.exec(w.before)
		up := c.prepare(w.text)
		for range 3 { // described, compiled, and as it is from then on
			if _, err := up.Exec(1); err != nil {
				t.Fatal(err)
			}
		}
		if declared != w.want || !high {
			t.Errorf("%s after %s: declared %v, of high priority %v", w.text, w.before, declared, high)
		}
		c.exec(w.after)
	}
}
