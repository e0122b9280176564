package test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/server"
	isochronsql "isochron/sql"
	"isochron/txn"
)

// fixedSetCount counts the transactions of clients, and the 2FI transactions among them.
type fixedSetCount struct{ fixedSet, others atomic.Int64 }

// Committed implements the observer of package sql.
func (c *fixedSetCount) Committed(_ time.Duration, stats txn.Stats) {
	if stats.FixedSet {
		c.fixedSet.Add(1)
	} else {
		c.others.Add(1)
	}
}

// Aborted implements the observer of package sql.
func (c *fixedSetCount) Aborted(txn.Kind) {}

// TestFixedSetsThroughSQL: under a protocol with 2FI transactions, statements and packets whose
// keys follow from their values are voted on while they are read, over shards in several regions
// and of both priorities; clients of all regions lose nothing, and get the same answers as
// elsewhere.
func TestFixedSetsThroughSQL(t *testing.T) {
	if *dsn != "" {
		t.Skip("declared transactions are ours")
	}
	spec, err := protocol.LiveByName("natto-recsf")
	if err != nil {
		t.Fatal(err)
	}
	count := new(fixedSetCount)
	c := startFor(t, spec, node.InjectedBugs{}, count)
	s := c.house().stage(t, layouts[1])
	c.awaitHome(t)
	s.movesAround()
	// Each text is carried out once by the engine at each connection before its plan is kept.
	t.Logf("%d transactions were declared, %d were not", count.fixedSet.Load(), count.others.Load())
	if n, least := count.fixedSet.Load(), int64(4*rushClients*rushEach); n < least {
		t.Errorf("%d transactions were declared, want at least %d", n, least)
	}
}

// TestNothingIsLostByKeys: the same statements lose nothing under rows that declare nothing, where each
// reads and commits in one request to its gateway.
func TestNothingIsLostByKeys(t *testing.T) {
	if *dsn != "" {
		t.Skip("other servers tell of a transaction that lost")
	}
	onProtocolsOf(t, loserRows, func(t *testing.T, s *stage) {
		s.movesAround()
	})
}

// movesAround has clients of all regions and of both priorities move money around.
func (s *stage) movesAround() {
	t := s.t
	t.Helper()
	for i, d := range s.dsns {
		s.pools[i] = pool(t, d+"?multiStatements=true", nil)
	}
	s.exec(`CREATE TABLE accounts (region VARCHAR(8), id INT, v INT, PRIMARY KEY (region, id)) COMMENT='isochron: {"spread":"region","column":"region"}'`)
	s.exec("INSERT INTO accounts VALUES ('va', 1, 100), ('wa', 2, 100), ('sg', 3, 100)")
	s.exec("CREATE TABLE ledger (id VARCHAR(20) PRIMARY KEY, amount INT)")
	s.rush(func(ctx context.Context, c *sql.Conn, client, n int) error {
		if n == 0 && client%2 == 0 {
			if _, err := c.ExecContext(ctx, "SET isochron_priority = 'high'"); err != nil {
				return err
			}
		}
		return moveAround(ctx, c, client, n)
	})
	const turns = rushClients * rushEach
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	for text, want := range map[string]string{
		"SELECT SUM(v) FROM accounts":    fmt.Sprint(300 + 3*turns),
		"SELECT COUNT(*) FROM ledger":    fmt.Sprint(turns),
		"SELECT SUM(amount) FROM ledger": fmt.Sprint(3 * turns),
	} { // order: each by itself
		if got := s.string(ctx, 3, text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// moveAround is a client's turn: a row of another region, two of several, a record of it, money
// moved in one packet, and statements that have to fail.
func moveAround(ctx context.Context, c *sql.Conn, client, n int) error {
	note := fmt.Sprintf("%d-%d", client, n)
	regions, ids := []string{"va", "wa", "sg"}, []int{1, 2, 3}
	i, j := client%3, (client+1+n%2)%3
	for _, step := range []struct {
		text string
		rows int64
		code uint16
	}{
		{fmt.Sprintf("UPDATE accounts SET v = v + 1 WHERE region = '%s' AND id = %d", regions[i], ids[i]), 1, 0},
		{fmt.Sprintf("UPDATE accounts SET v = v + 1 WHERE region = '%s' AND id = %d OR region = '%s' AND id = %d", regions[i], ids[i], regions[j], ids[j]), 2, 0},
		{fmt.Sprintf("INSERT INTO ledger VALUES ('%s', 1), ('%s again', 5)", note, note), 2, 0},
		{fmt.Sprintf("INSERT INTO ledger VALUES ('%s', 7)", note), 0, 1062},
		{fmt.Sprintf("BEGIN; SELECT v FROM accounts WHERE region = '%[1]s' AND id = %[2]d FOR UPDATE; UPDATE accounts SET v = v - 5 WHERE region = '%[1]s' AND id = %[2]d; UPDATE accounts SET v = v + 5 WHERE region = '%[3]s' AND id = %[4]d; UPDATE ledger SET amount = amount + 2 WHERE id = '%[5]s'; COMMIT",
			regions[i], ids[i], regions[j], ids[j], note), 0, 0},
		{fmt.Sprintf("DELETE FROM ledger WHERE id = '%s again'", note), 1, 0},
		{fmt.Sprintf("DELETE FROM ledger WHERE id = '%s again'", note), 0, 0},
	} {
		r, err := c.ExecContext(ctx, step.text)
		var e *mysql.MySQLError
		switch {
		case step.code != 0 && errors.As(err, &e) && e.Number == step.code:
			continue
		case err != nil || step.code != 0:
			return fmt.Errorf("%s: %v, want %d", step.text, err, step.code)
		}
		if rows, _ := r.RowsAffected(); rows != step.rows {
			return fmt.Errorf("%s: %d rows, want %d", step.text, rows, step.rows)
		}
	}
	return nil
}

// TestCallsThroughSQL: under that protocol a call of a stored procedure whose keys follow from its
// arguments is one 2FI transaction. A restarted cluster has its procedures.
func TestCallsThroughSQL(t *testing.T) {
	if *dsn != "" {
		t.Skip("declared transactions are ours")
	}
	spec, err := protocol.LiveByName("natto-recsf")
	if err != nil {
		t.Fatal(err)
	}
	count := new(fixedSetCount)
	c := startFor(t, spec, node.InjectedBugs{}, count)
	s := c.house().stage(t, layouts[1])
	c.awaitHome(t)
	s.callsAround()
	t.Logf("%d transactions were declared, %d were not", count.fixedSet.Load(), count.others.Load())
	// The query of a procedure is carried out once by the engine at each connection before its plan is kept.
	const turns = rushClients * rushEach
	if n, least := count.fixedSet.Load(), int64(2*turns-2*rushClients); n < least {
		t.Errorf("%d transactions were declared, want at least %d", n, least)
	}
	database := s.string(t.Context(), 0, "SELECT DATABASE()")
	c.restart(t, spec)
	again := pool(t, c.dsn(3, database), nil)
	var v int
	if err := again.QueryRow("CALL bump('va', 1)").Scan(&v); err != nil {
		t.Errorf("a call after the cluster was restarted: %v", err)
	}
	if _, err := again.Exec("CALL pay('va', 1, 'sg', 3, 'late')"); err != nil {
		t.Errorf("a call after the cluster was restarted: %v", err)
	}
}

// TestNothingIsLostByCalls: the same calls lose nothing under protocols without 2FI.
// Protocols that detect deadlocks do not order by age, and such clients starve each other
// there, by calls as by packets.
func TestNothingIsLostByCalls(t *testing.T) {
	if *dsn != "" {
		t.Skip("other servers commit each statement of a procedure by itself")
	}
	onProtocolsOf(t, []string{"2pc+2pl-home", "2pc+occ", "bamboo"}, func(_ *testing.T, s *stage) { s.callsAround() })
}

// restart closes the cluster and starts it from its disks.
func (c *cluster) restart(t *testing.T, spec protocol.Spec) {
	t.Helper()
	for _, p := range c.ports {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.core.Close(); err != nil {
		t.Fatal(err)
	}
	wan, err := geo.Parse("azure5")
	if err != nil {
		t.Fatal(err)
	}
	if c.core, err = server.Start(t.Context(), server.Config{Dir: c.dir, WAN: wan.Scale(wanScale), WANName: "azure5", Spec: spec}); err != nil {
		t.Fatal(err)
	}
	for i, r := range c.regions {
		if c.ports[i], err = isochronsql.NewServer(c.core.DB(r), isochronsql.Config{}); err != nil {
			t.Fatal(err)
		}
	}
}

// callsAround has clients of all regions and of both priorities move money around by calls.
func (s *stage) callsAround() {
	t := s.t
	t.Helper()
	s.exec(`CREATE TABLE accounts (region VARCHAR(8), id INT, v INT, PRIMARY KEY (region, id)) COMMENT='isochron: {"spread":"region","column":"region"}'`)
	s.exec("INSERT INTO accounts VALUES ('va', 1, 100), ('wa', 2, 100), ('sg', 3, 100)")
	s.exec("CREATE TABLE ledger (id VARCHAR(20) PRIMARY KEY, amount INT)")
	s.exec(`CREATE PROCEDURE pay(r1 VARCHAR(8), i1 INT, r2 VARCHAR(8), i2 INT, note VARCHAR(20)) BEGIN
		UPDATE accounts SET v = v - 5 WHERE region = r1 AND accounts.id = i1;
		UPDATE accounts SET v = v + 5 WHERE region = r2 AND accounts.id = i2;
		INSERT INTO ledger VALUES (note, 5);
	END`)
	s.exec(`CREATE PROCEDURE bump(r VARCHAR(8), i INT) BEGIN
		SELECT v FROM accounts WHERE region = r AND id = i FOR UPDATE;
		UPDATE accounts SET v = v + 1 WHERE region = r AND id = i;
	END`)
	s.rush(func(ctx context.Context, c *sql.Conn, client, n int) error {
		if n == 0 && client%2 == 0 {
			if _, err := c.ExecContext(ctx, "SET isochron_priority = 'high'"); err != nil {
				return err
			}
		}
		return callAround(ctx, c, client, n)
	})
	const turns = rushClients * rushEach
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	for text, want := range map[string]string{
		"SELECT SUM(v) FROM accounts":    fmt.Sprint(300 + turns),
		"SELECT SUM(amount) FROM ledger": fmt.Sprint(5 * turns),
	} { // order: each by itself
		if got := s.string(ctx, 3, text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// callAround is a client's turn: money moved by a call that is prepared, a call that yields a row, and
// one that has to fail as a whole.
func callAround(ctx context.Context, c *sql.Conn, client, n int) error {
	regions, ids := []string{"va", "wa", "sg"}, []int{1, 2, 3}
	i, j, note := client%3, (client+1+n%2)%3, fmt.Sprintf("%d-%d", client, n)
	if _, err := c.ExecContext(ctx, "CALL pay(?, ?, ?, ?, ?)", regions[i], ids[i], regions[j], ids[j], note); err != nil {
		return fmt.Errorf("pay: %w", err)
	}
	var v int
	if err := c.QueryRowContext(ctx, fmt.Sprintf("CALL bump('%s', %d)", regions[j], ids[j])).Scan(&v); err != nil {
		return fmt.Errorf("bump: %w", err)
	}
	_, err := c.ExecContext(ctx, fmt.Sprintf("CALL pay('%s', %d, '%s', %d, '%s')", regions[j], ids[j], regions[i], ids[i], note))
	var e *mysql.MySQLError
	if !errors.As(err, &e) || e.Number != 1062 {
		return fmt.Errorf("a second note of one name: %v", err)
	}
	return nil
}
