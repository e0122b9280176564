package sql

import (
	"fmt"
	"strings"
	"testing"
)

// A query of a table that is larger than the statement's memory holds a piece of it.
func TestATableLargerThanTheMemory(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec(`CREATE TABLE t (id INT PRIMARY KEY, n INT, pad CHAR(100)) COMMENT='isochron: {"spread":"hash","shards":3,"columns":["id"]}'`)
	const all, batch = 90_000, 5000
	for from := 0; from < all; from += batch {
		var rows []string
		for id := from; id < from+batch; id++ {
			rows = append(rows, fmt.Sprintf("(%d,%d,'%0100d')", id, id%7, id))
		}
		c.exec("INSERT INTO t VALUES " + strings.Join(rows, ","))
	}
	c.exec("SET isochron_statement_memory = 15000000") // a piece is of 20,000 rows of each shard, 200 bytes and more each
	c.expect("SELECT COUNT(*), SUM(n), MIN(id), MAX(pad) FROM t", fmt.Sprintf("%d | %d | 0 | %0100d", all, 269_997, all-1))
	c.expect("SELECT n, COUNT(pad) FROM t GROUP BY n ORDER BY n LIMIT 2", "0 | 12858\n1 | 12857")
	c.expect("SELECT id, LENGTH(pad) FROM t WHERE n = 3 ORDER BY pad DESC LIMIT 2", "89995 | 100\n89988 | 100")
	c.expect("SELECT id, LENGTH(pad) FROM t ORDER BY id DESC LIMIT 30000, 2", "59999 | 100\n59998 | 100")
	c.fails("SELECT COUNT(*) FROM t a JOIN (SELECT MAX(pad) AS pad, id FROM t GROUP BY id) b ON a.pad = b.pad AND a.id < 3", "3170")
}
