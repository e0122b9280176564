package sql

import (
	"strings"
	"testing"
)

// EXPLAIN ANALYZE executes a query and has what its reads did.
func TestExplainAnalyze(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, b INT)")
	c.exec("CREATE TABLE b (id INT PRIMARY KEY, c INT)")
	c.exec("INSERT INTO a VALUES (1, 10), (2, 20), (3, 30)")
	c.exec("INSERT INTO b VALUES (10, 1), (20, 2)")
	const query = "SELECT a.id FROM a JOIN b ON b.id = a.b"
	for _, begin := range []string{"EXPLAIN ANALYZE ", "ANALYZE "} {
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(c.query(begin+query)), "\n") {
			cells := strings.Split(line, " | ")
			if len(cells) != 12 {
				t.Fatalf("%q has %d columns", line, len(cells))
			}
			got = append(got, strings.Join([]string{cells[0], cells[1], cells[8], cells[9]}, " "))
		}
		if want := "read a 1 3, lookup b 1 2, all  2 5"; strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", begin, got, want)
		}
	}
	if got := c.query("ANALYZE TABLE a"); strings.Contains(got, "returned") {
		t.Error(got)
	}
	if got := c.query("EXPLAIN ANALYZE SELECT 1"); !strings.Contains(got, "1 rows returned") {
		t.Error(got)
	}
}
