package sql

import (
	"context"
	"sync"
	"testing"
)

// Statements that wait for a row lock must not keep out the one that frees it.
func TestABusyServerDoesNotStarveTheHolderOfALock(t *testing.T) {
	f := start(t)
	adm := f.servers["va"].gateway.admission
	adm.Bound(2)
	holder := f.connect(t, "va", "shop")
	holder.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	holder.exec("INSERT INTO t VALUES (1, 0)")
	holder.exec("BEGIN")
	holder.exec("UPDATE t SET v = v + 1 WHERE id = 1")
	holder.query("SELECT * FROM t WHERE id = 1 FOR UPDATE")
	var all sync.WaitGroup
	for range 8 {
		c := f.connect(t, "va", "shop")
		all.Go(func() {
			if _, err := c.conn.ExecContext(context.Background(), "UPDATE t SET v = v + 1 WHERE id = 1"); err != nil {
				t.Error(err)
			}
		})
	}
	other := f.connect(t, "va", "shop")
	other.expect("SELECT 1", "1") // those who wait give their places
	holder.exec("UPDATE t SET v = v + 1 WHERE id = 1")
	holder.exec("COMMIT")
	all.Wait()
	other.expect("SELECT v FROM t", "10")
	eventually(t, "all places are free", func() bool { working, queued := adm.Working(); return working == 0 && queued == 0 })
}
