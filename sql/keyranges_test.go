package sql

import (
	"fmt"
	"strings"
	"testing"
)

// Lists of which the engine would make ranges for minutes are looked at for each row
// instead, with the same result.
func TestRangesOfListsAreBounded(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY ab (a, b))")
	c.exec("INSERT INTO t VALUES (1, 1, 1), (2, 2, 5000), (3, 5000, 3), (4, 4, 4), (5, NULL, 5)")
	list := func(n int, form string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(form, i)
		}
		return strings.Join(parts, ", ")
	}
	numbers := list(2000, "%d")
	c.expect("SELECT id FROM t WHERE a IN ("+numbers+") AND b IN ("+numbers+") ORDER BY id", "1\n4")
	c.expect("SELECT id FROM t WHERE a IN ("+numbers+") AND b IN ("+numbers+") AND id > 1", "4")
	c.expect("SELECT id FROM t WHERE a NOT IN ("+list(30_000, "1%d")+") ORDER BY id", "1\n2\n3\n4")
	c.expect("SELECT id FROM t WHERE a NOT IN ("+numbers+")", "3")
	c.expect("SELECT id FROM t WHERE (a, b) IN ("+list(6000, "(%d, %[1]d)")+") ORDER BY id", "1\n4")
	c.expect("SELECT id FROM t WHERE (a, b) IN ("+list(6000, "(%d, %[1]d)")+") AND id > 1", "4")
	c.expect("SELECT id FROM t WHERE a IN (1, 4) AND b IN (1, 5) ORDER BY id", "1")
}
