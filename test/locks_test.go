package test

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/yield"
)

// two begins a transaction that holds row x for update, and a younger one that
// has only begun.
func (s *stage) two(ctx context.Context) (holder, other *sql.Conn) {
	s.t.Helper()
	s.reset(ctx, state{x: {v: 1}, y: {v: 2}})
	holder, other = s.conn(ctx, 0), s.conn(ctx, 1)
	s.t.Cleanup(func() {
		holder.Close()
		other.Close()
	})
	must(s.t, ctx, other, "SET innodb_lock_wait_timeout = 1")
	must(s.t, ctx, holder, "BEGIN")
	if _, err := queryInts(ctx, holder, "SELECT v FROM kv WHERE id = 5 FOR UPDATE"); err != nil {
		s.t.Fatal(err)
	}
	must(s.t, ctx, other, "BEGIN")
	return holder, other
}

// TestLockingReadsReportConflicts: a locking read reports a conflict immediately or after its
// time-out, and its transaction continues.
func TestLockingReadsReportConflicts(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		holder, other := s.two(ctx)

		begun := time.Now()
		if _, err := queryInts(ctx, other, "SELECT v FROM kv WHERE id = 5 FOR UPDATE NOWAIT"); number(err) != 3572 {
			t.Errorf("NOWAIT on a locked row gave %v, want error 3572", err)
		}
		t.Logf("NOWAIT was refused after %v", time.Since(begun).Round(time.Millisecond))

		got, err := queryInts(ctx, other, "SELECT id FROM kv WHERE id IN (5, 15) FOR UPDATE SKIP LOCKED")
		if err != nil || len(got) != 1 || got[0] != y {
			t.Errorf("SKIP LOCKED read %v, %v; want the row that is not locked", got, err)
		}

		begun = time.Now()
		if _, err := queryInts(ctx, other, "SELECT v FROM kv WHERE id = 5 FOR UPDATE"); number(err) != 1205 {
			t.Errorf("a row locked for too long gave %v, want error 1205", err)
		}
		if took := time.Since(begun); took < 900*time.Millisecond {
			t.Errorf("a lock wait of one second ended after %v", took)
		}

		must(t, ctx, other, "UPDATE kv SET v = 20 WHERE id = 15")
		must(t, ctx, other, "COMMIT")
		must(t, ctx, holder, "UPDATE kv SET v = 10 WHERE id = 5")
		must(t, ctx, holder, "COMMIT")
		if left := s.read(); left[x].v != 10 || left[y].v != 20 {
			t.Errorf("left %v", left)
		}
	})
}

// TestLockFreed: a waiter gets the lock when the holder ends.
func TestLockFreed(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		if spec, err := protocol.ByName(strings.Split(t.Name(), "/")[1]); err == nil && spec.Yield.Hot == yield.Retire {
			t.Skip("no transaction waits for a written row here: it reads the uncommitted value, and aborts with its writer")
		}
		for _, end := range []string{"COMMIT", "ROLLBACK"} {
			ctx, cancel := context.WithTimeout(context.Background(), endless)
			defer cancel()
			holder, other := s.two(ctx)
			must(t, ctx, other, "SET innodb_lock_wait_timeout = 50")
			must(t, ctx, holder, "UPDATE kv SET v = 7 WHERE id = 5")
			got := make(chan error, 1)
			var read []int64
			go func() {
				var err error
				read, err = queryInts(ctx, other, "SELECT v FROM kv WHERE id = 5 FOR UPDATE")
				got <- err
			}()
			time.Sleep(stepTimeout)
			must(t, ctx, holder, end)
			if err := <-got; err != nil {
				t.Errorf("the lock was freed by %s, and the waiter got %v", end, err)
			}
			want := map[string]int64{"COMMIT": 7, "ROLLBACK": 1}[end]
			if len(read) != 1 || read[0] != want {
				t.Errorf("after %s the waiter read %v, want %d", end, read, want)
			}
			must(t, ctx, other, "ROLLBACK")
		}
	})
}
