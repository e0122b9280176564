package test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// groupRows are rows of the protocol table in which transactions go on from each
// other's uncommitted values at a hot row.
var groupRows = []string{"2pc+2pl-group", "txsql"}

// TestManyPayIntoOneAccount runs transactions as applications send them: a transaction locks a hot
// account, changes it, inserts a line into a ledger, and commits or rolls back, all in statements
// of their own.
func TestManyPayIntoOneAccount(t *testing.T) {
	for _, h := range houses(t) {
		if !slices.Contains(groupRows, h.name) {
			continue
		}
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			s := h.stage(t, layouts[0])
			ctx, cancel := context.WithTimeout(context.Background(), endless)
			defer cancel()
			s.reset(ctx, state{x: {v: 0}})
			own := s.conn(ctx, 0)
			defer own.Close()
			if _, err := own.ExecContext(ctx, "CREATE TABLE ledger (id BIGINT PRIMARY KEY)"); err != nil {
				t.Fatal(err)
			}
			var paid atomic.Int64
			working, stop := context.WithCancel(ctx)
			var ended sync.WaitGroup
			for i := range 60 {
				c := s.conn(ctx, 0)
				ended.Go(func() {
					defer c.Close()
					for n := 0; working.Err() == nil; n++ {
						done, err := pay(ctx, c, i*1_000_000+n, n%10 == 9)
						if err != nil && number(err) != 1213 && number(err) != 1205 {
							t.Errorf("a payment: %v", err)
							return
						}
						if done && err == nil {
							paid.Add(1)
						}
					}
				})
			}
			database := s.string(ctx, 0, "SELECT DATABASE()")
			s.until(ctx, "1", fmt.Sprintf("SELECT COUNT(*) FROM isochron.hot_rows WHERE table_schema = '%s' AND row_key = 'id=5' AND group_size > 1 AND updates_per_second > 0", database))
			stop()
			ended.Wait()
			want := fmt.Sprint(paid.Load())
			for _, q := range []string{"SELECT v FROM kv WHERE id = 5", "SELECT COUNT(*) FROM ledger"} {
				if got := s.string(ctx, 0, q); got != want {
					t.Errorf("%s: %s, and %s payments were acknowledged", q, got, want)
				}
			}
		})
	}
}

// pay is one payment; done is false if it was rolled back on purpose.
func pay(ctx context.Context, c *sql.Conn, id int, rollback bool) (done bool, err error) {
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	var v int
	if err := tx.QueryRowContext(ctx, "SELECT v FROM kv WHERE id = 5 FOR UPDATE").Scan(&v); err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE kv SET v = v + 1 WHERE id = 5"); err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO ledger VALUES (?)", id); err != nil {
		return false, err
	}
	if rollback {
		return false, nil
	}
	return true, tx.Commit()
}
