package sql

import (
	"strings"
	"testing"
)

// What fails among groups, long before the last row, ends the statement: by which the
// rows are grouped, what is gathered of them, and the last of them all.
func TestGroupsThatFail(t *testing.T) {
	c := startSmall(t, 1<<30)
	id := c.query("SELECT CONNECTION_ID()")
	// It sleeps before it fails, so that whoever reads the rows is far ahead of it by then.
	const bad = "json_extract(if(x.a = 5 AND y.a = 5, concat('{', sleep(0.2)), '{}'), '$')"
	for _, query := range []string{
		"SELECT x.a, count(*) FROM n x, n y GROUP BY x.a, " + bad,
		"SELECT x.a, max(" + bad + ") FROM n x, n y GROUP BY x.a",
		"SELECT x.a, count(*) FROM n x, n y WHERE x.a = 5 AND y.a = 5 GROUP BY x.a, " + bad,
	} {
		if got, err := c.try(query); err == nil || !strings.Contains(strings.ToLower(err.Error()), "json") {
			t.Errorf("%s: %.40q, %.300v", query, got, err)
		}
		if now, err := c.try("SELECT CONNECTION_ID()"); err != nil || now != id {
			t.Fatalf("after %s: %q, %v", query, now, err)
		}
	}
	c.expect("SELECT count(*), sum(n) FROM (SELECT x.a, count(*) AS n FROM n x, n y GROUP BY x.a) g", "300 | 90000")
}
