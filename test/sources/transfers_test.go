package sources

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Clients that move money between accounts at all sources concurrently lose none of it, and see
// none missing.
func TestTransfers(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_sharded_table('testtransfers.accounts', 'id', 'hash', 'pg_a,my_a,pg_b,my_b')")
	for i := range 16 {
		c.exec("INSERT INTO accounts (id, balance) VALUES (?, 100)", i)
	}
	var done, lost atomic.Int64
	var all sync.WaitGroup
	for n := range 6 {
		d := connect(t, "")
		all.Add(1)
		go func() {
			defer all.Done()
			rng := rand.New(rand.NewPCG(7, uint64(n)))
			for range 25 {
				from, to := rng.IntN(16), rng.IntN(16)
				texts := []string{fmt.Sprintf("UPDATE testtransfers.accounts SET balance = balance - 1 WHERE id = %d", from),
					fmt.Sprintf("UPDATE testtransfers.accounts SET balance = balance + 1 WHERE id = %d", to)}
				if from > to { // in one order, so that hardly anybody waits for a deadlock to end
					texts[0], texts[1] = texts[1], texts[0]
				}
				err := d.transaction(texts...)
				if e, ok := err.(*mysql.MySQLError); ok && (e.Number == 1213 || e.Number == 1205) {
					lost.Add(1)
				} else if err != nil {
					t.Error(err)
					return
				} else {
					done.Add(1)
				}
			}
		}()
	}
	for range 2 { // it may wait for writers that wait for it at another source
		if sum, err := c.try("SELECT SUM(balance) FROM accounts"); err == nil && sum != "1600.00" {
			t.Error("a reader sees", sum)
		}
	}
	all.Wait()
	c.expect("1600.00", "SELECT SUM(balance) FROM accounts")
	c.nothingInDoubt()
	if done.Load() == 0 {
		t.Error("no transfer was done;", lost.Load(), "lost")
	}
	t.Log(done.Load(), "done,", lost.Load(), "lost")
}

// transaction runs statements in one transaction.
func (c *client) transaction(statements ...string) error {
	tx, err := c.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	for _, text := range statements {
		if _, err := tx.Exec(text); err != nil {
			_ = tx.Rollback()
			return err
		}
	}
	return tx.Commit()
}
