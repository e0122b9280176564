package test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"isochron/protocol"
)

// The clients of these tests, and what each does.
const (
	rushClients = 10
	rushEach    = 6
)

// rush makes clients of every region do something at the same time, each some times. They wait for
// locks, and are retried, for as long as it takes: on a busy machine those of low priority wait
// until the others have finished.
func (s *stage) rush(do func(ctx context.Context, c *sql.Conn, client, n int) error) {
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	var all sync.WaitGroup
	for i := range rushClients {
		c := s.conn(ctx, i)
		all.Go(func() {
			defer c.Close()
			patient := "SET innodb_lock_wait_timeout = 600"
			if *dsn == "" {
				patient += ", isochron_retry_timeout = 600"
			}
			if _, err := c.ExecContext(ctx, patient); err != nil {
				s.t.Errorf("client %d: %v", i, err)
				return
			}
			for n := range rushEach {
				if err := do(ctx, c, i, n); err != nil {
					s.t.Errorf("client %d, its %d. turn: %v", i, n, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// loserRows are protocols with each way to lose: to an older transaction, at the commit, in a
// deadlock, with another whose value was aborted.
var loserRows = []string{"2pc+2pl-home", "2pc+occ", "d2pc+2pl-group", "txsql", "bamboo"}

// TestAStatementThatLostIsRetriedUnseen: autocommit statements are retried until they commit. No
// client receives the conflicts, and no statement is lost.
func TestAStatementThatLostIsRetriedUnseen(t *testing.T) {
	if *dsn != "" {
		t.Skip("other servers tell of it")
	}
	onProtocolsOf(t, loserRows, func(t *testing.T, s *stage) {
		s.exec("CREATE TABLE counts (id INT PRIMARY KEY, n INT)")
		s.exec("CREATE TABLE names (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) UNIQUE, n INT)")
		s.exec("INSERT INTO counts VALUES (1, 0), (2, 0)")
		s.rush(func(ctx context.Context, c *sql.Conn, client, n int) error {
			for _, text := range []string{
				fmt.Sprintf("UPDATE counts SET n = n + 1 WHERE id = %d", 1+n%2),
				"UPDATE counts SET n = n + 1",
				fmt.Sprintf("INSERT INTO names (name, n) VALUES ('%d', 1) ON DUPLICATE KEY UPDATE n = n + 1", n),
			} {
				if _, err := c.ExecContext(ctx, text); err != nil {
					return fmt.Errorf("%s: %w", text, err)
				}
			}
			return nil
		})
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		const turns = rushClients * rushEach
		for text, want := range map[string]string{
			"SELECT SUM(n) FROM counts":        fmt.Sprint(3 * turns),
			"SELECT SUM(n) FROM names":         fmt.Sprint(turns),
			"SELECT COUNT(*) FROM names":       fmt.Sprint(rushEach),
			"SELECT n FROM counts WHERE id=1 ": fmt.Sprint(turns + rushClients*((rushEach+1)/2)),
		} {
			if got := s.string(ctx, 0, text); got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		}
		t.Logf("retried by the gateways so far: %s", s.string(ctx, 0, "SELECT COALESCE(SUM(retried), 0) FROM isochron.rollbacks"))
	})
}

// oldestWins skips protocols that detect deadlocks: there the transaction that closes a cycle
// aborts, however old, and readers pass a waiting writer.
func oldestWins(t *testing.T) {
	t.Helper()
	if spec, err := protocol.ByName(strings.Split(t.Name(), "/")[1]); err == nil && spec.Yield.Detect {
		t.Skip("the transaction that closes a cycle aborts here, however old")
	}
}

// TestAPacketThatLostIsRetriedUnseen: the same of transactions that come in one packet.
func TestAPacketThatLostIsRetriedUnseen(t *testing.T) {
	if *dsn != "" {
		t.Skip("other servers tell of it")
	}
	onProtocolsOf(t, loserRows, func(t *testing.T, s *stage) {
		oldestWins(t)
		s.exec("CREATE TABLE counts (id INT PRIMARY KEY, n INT)")
		s.exec("INSERT INTO counts VALUES (1, 0), (2, 0), (3, 0)")
		for i, d := range s.dsns {
			s.pools[i] = pool(t, d+"?multiStatements=true", nil)
		}
		s.rush(func(ctx context.Context, c *sql.Conn, client, n int) error {
			from, to := 1+(client+n)%3, 1+(client+n+1)%3
			_, err := c.ExecContext(ctx, fmt.Sprintf(
				"BEGIN; SELECT n INTO @n FROM counts WHERE id = %d; UPDATE counts SET n = @n - 1 WHERE id = %d; UPDATE counts SET n = n + 2 WHERE id = %d; COMMIT", from, from, to))
			return err
		})
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		if got, want := s.string(ctx, 0, "SELECT SUM(n) FROM counts"), fmt.Sprint(rushClients*rushEach); got != want {
			t.Errorf("the sum is %s, want %s", got, want)
		}
	})
}

// TestRetriesSucceedInTheEnd: clients that retry after 1213, on their connections, all commit in
// the end, on rows that each of them needs.
func TestRetriesSucceedInTheEnd(t *testing.T) {
	if *dsn != "" {
		t.Skip("other servers keep no age")
	}
	onProtocolsOf(t, loserRows, func(t *testing.T, s *stage) {
		oldestWins(t)
		s.exec("CREATE TABLE counts (id INT PRIMARY KEY, n INT)")
		s.exec("INSERT INTO counts VALUES (1, 0), (2, 0)")
		var most atomic.Int64
		once := func(ctx context.Context, c *sql.Conn, client int) error {
			for _, text := range []string{
				"BEGIN", fmt.Sprintf("SELECT n FROM counts WHERE id = %d", 1+client%2),
				fmt.Sprintf("UPDATE counts SET n = n + 1 WHERE id = %d", 2-client%2), fmt.Sprintf("UPDATE counts SET n = n + 1 WHERE id = %d", 1+client%2), "COMMIT",
			} {
				if _, err := c.ExecContext(ctx, text); err != nil {
					_, _ = c.ExecContext(ctx, "ROLLBACK") // the first error counts
					return err
				}
			}
			return nil
		}
		s.rush(func(ctx context.Context, c *sql.Conn, client, n int) error {
			for try := int64(1); ; try++ {
				err := once(ctx, c, client)
				if k := number(err); k == 1213 || k == 1205 {
					continue
				}
				for was := most.Load(); try > was && !most.CompareAndSwap(was, try); was = most.Load() {
				}
				return err
			}
		})
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		if got, want := s.string(ctx, 0, "SELECT SUM(n) FROM counts"), fmt.Sprint(2*rushClients*rushEach); got != want {
			t.Errorf("the sum is %s, want %s", got, want)
		}
		t.Logf("the longest was tried %d times", most.Load())
		if most.Load() > 10*rushClients {
			t.Errorf("with %d clients one was tried %d times", rushClients, most.Load())
		}
	})
}
