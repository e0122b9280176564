package sql

import (
	"fmt"
	"strings"
	"testing"
)

// A session's status variables are there when it asks, with what was counted before.
func TestStatusVariables(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	var id uint32
	if _, err := fmt.Sscan(c.query("SELECT CONNECTION_ID()"), &id); err != nil {
		t.Fatal(err)
	}
	c.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	for i := range 3 {
		c.exec(fmt.Sprintf("INSERT INTO t VALUES (%d)", i))
	}
	s := f.servers["va"].gateway.session(id)
	if s.status.all != nil {
		t.Error("a session that never asked has status variables of its own")
	}
	count := func(name string) (n int) {
		t.Helper()
		got := strings.TrimSpace(c.query("SHOW SESSION STATUS LIKE '" + name + "'"))
		if _, err := fmt.Sscanf(got, name+" | %d", &n); err != nil {
			t.Fatalf("SHOW SESSION STATUS says %q", got)
		}
		return n
	}
	before := count("Com_insert")
	if before < 1 {
		t.Errorf("of %d INSERTs %d were counted", 3, before)
	}
	c.exec("INSERT INTO t SELECT id + 10 FROM t")
	if n := count("Com_insert"); n != before+1 {
		t.Errorf("Com_insert was %d and is %d after one more", before, n)
	}
	if all := strings.Count(c.query("SHOW SESSION STATUS"), "\n"); all < 100 {
		t.Errorf("SHOW SESSION STATUS has %d rows", all)
	}
	if n := f.connect(t, "va", "shop").query("SHOW SESSION STATUS LIKE 'Com_insert'"); strings.TrimSpace(n) != "Com_insert | 0" {
		t.Errorf("another session has %q", n)
	}
}
