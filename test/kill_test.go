package test

import (
	"context"
	"database/sql"
	"testing"
	"time"
)

// TestAWaitingUpdateIsSeenAndKilled: a prepared update of one row by its key that waits for
// another's lock is in the list of processes, can be killed, and leaves nothing behind.
func TestAWaitingUpdateIsSeenAndKilled(t *testing.T) {
	if *dsn != "" {
		t.Skip("another server shows it in other words")
	}
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		s.reset(ctx, state{x: {v: 1}, y: {v: 2}})
		holder, waiter := s.conn(ctx, 0), s.conn(ctx, 1)
		defer holder.Close()
		defer waiter.Close()
		id := s.of(ctx, waiter, "SELECT CONNECTION_ID()")
		must(t, ctx, waiter, "SET innodb_lock_wait_timeout = 600") // it ends by being killed
		const text = "UPDATE kv SET v = v + ? WHERE id = ?"
		add, err := waiter.PrepareContext(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		defer add.Close()
		for range 4 { // the last ones are point updates
			s.added(ctx, add, y)
		}
		must(t, ctx, holder, "BEGIN")
		if _, err := queryInts(ctx, holder, "SELECT v FROM kv WHERE id = 5 FOR UPDATE"); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			for { // where no read waits for a row, it is repeated
				_, err := add.ExecContext(ctx, 1, x)
				if n := number(err); n != 1213 {
					ended <- err
					return
				}
			}
		}()
		seen := func() bool {
			return s.string(ctx, 1, "SELECT info FROM information_schema.processlist WHERE id = "+id+" AND command = 'Query'") == text
		}
		s.eventually("it is in the list", seen)
		if got := s.string(ctx, 1, "SHOW PROCESSLIST"); got == "" {
			t.Error("SHOW PROCESSLIST shows nothing")
		}
		killed := s.killed(ctx, id, ended)
		if killed == nil {
			t.Error("it was carried out while another held the row")
		}
		must(t, ctx, holder, "COMMIT")
		left := s.conn(ctx, 2)
		defer left.Close()
		must(t, ctx, left, "UPDATE kv SET v = 30 WHERE id = 5")
		t.Logf("killed: %v", killed)
	})
}

// added adds one to a row.
func (s *stage) added(ctx context.Context, add *sql.Stmt, id int) {
	s.t.Helper()
	for {
		_, err := add.ExecContext(ctx, 1, id)
		if n := number(err); n == 1213 || n == 1205 {
			continue
		}
		if err != nil {
			s.t.Fatal(err)
		}
		return
	}
}

// killed kills the statement of a connection until it ends, and returns its error: a statement that
// is retried may be between two tries.
func (s *stage) killed(ctx context.Context, id string, ended chan error) (err error) {
	s.t.Helper()
	s.eventually("it ends", func() bool {
		c := s.conn(ctx, 1)
		defer c.Close()
		must(s.t, ctx, c, "KILL QUERY "+id)
		select {
		case err = <-ended:
			return true
		default:
			return false
		}
	})
	return err
}

// eventually waits until something holds.
func (s *stage) eventually(what string, holds func() bool) {
	s.t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > endless {
			s.t.Fatalf("in %v it did not come: %s", endless, what)
		}
	}
}
