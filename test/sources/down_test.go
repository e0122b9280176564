package sources

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/geo"
	"isochron/protocol"
	"isochron/server"
	"isochron/server/sourcedb/sourcetest"
	isosql "isochron/sql"
)

// A source whose server is down fails the statements that need it, with a message; others continue,
// and so do these when it is back.
func TestASourceThatIsDown(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_sharded_table('testasourcethatisdown.accounts', 'id', 'range', 'pg_a,my_b', '1000')")
	c.exec("CREATE TABLE native (id INT PRIMARY KEY)")
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 100), (1001, 100)")
	house.my2.Kill()
	defer func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if err := house.core.AwaitSources(ctx); err != nil {
			t.Error(err)
		}
	}()
	c.exec("BEGIN")
	c.exec("INSERT INTO native VALUES (1)")
	c.exec("UPDATE accounts SET balance = 50 WHERE id = 1")
	_, err := c.ExecContext(context.Background(), "UPDATE accounts SET balance = 150 WHERE id = 1001")
	var e *mysql.MySQLError
	if !errors.As(err, &e) || e.Number != 1429 || !strings.Contains(e.Message, "my_b") || strings.Contains(e.Message, "s3cret") {
		t.Errorf("a server that is down: %v", err)
	}
	t.Log(err)
	c.exec("ROLLBACK")
	c.expect("100.00", "SELECT balance FROM accounts WHERE id = 1") // and no lock is left there
	c.exec("UPDATE accounts SET balance = 101 WHERE id = 1")
	c.exec("INSERT INTO native VALUES (2)")
	c.expect("2", "SELECT id FROM native")
	if err := house.my2.Start(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		got, err := c.try("SELECT SUM(balance) FROM accounts")
		if err == nil && got == "201.00" {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("a minute after its server has started: %s, %v", got, err)
		}
	}
	c.nothingInDoubt()
}

// A PostgreSQL with max_prepared_transactions = 0 is reported in the list of sources and in the
// error of a transaction that needs it to prepare; transactions at it alone work, and nothing is
// left.
func TestNothingCanBePrepared(t *testing.T) {
	sourcetest.LeaveOut(t, house.err)
	pg, err := sourcetest.Postgres("-c", "max_prepared_transactions=0")
	sourcetest.LeaveOut(t, err)
	defer pg.Close()
	for _, text := range strings.Split(postgresTables, ";\n") {
		if err := pg.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := pg.Exec("ALTER TABLE accounts RENAME TO purses"); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "isochron-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	wan, err := geo.Parse("azure5")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := protocol.LiveByName("geotp")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	core, err := server.Start(ctx, server.Config{Dir: dir, WAN: wan.Scale(0.05), WANName: "azure5", Spec: spec, Sources: []server.SourceConfig{
		{Name: "pg", Address: pg.URL(), Region: wan.Regions[0]}, {Name: "my", Address: house.my.URL(), Region: wan.Regions[1]}}})
	if err != nil {
		t.Fatal(err)
	}
	defer core.Close()
	if err := core.AwaitSources(ctx); err != nil {
		t.Fatal(err)
	}
	door, err := isosql.NewServer(core.DB(wan.Regions[0]), isosql.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer door.Close()
	c := connectTo(t, door, "multiStatements=true")
	c.exec("CREATE DATABASE d; USE d; CALL isochron.import_table('pg', 'd', 'purses'); CALL isochron.import_table('my', 'd', 'accounts'); DELETE FROM accounts")
	c.shows("SELECT source, note FROM isochron.sources", "max_prepared_transactions is 0")
	c.exec("INSERT INTO purses (id, balance) VALUES (1, 100)")
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 100)")
	for _, end := range []string{"; COMMIT", ""} {
		_, err := c.ExecContext(ctx, "BEGIN; UPDATE purses SET balance = 0 WHERE id = 1; UPDATE accounts SET balance = 200 WHERE id = 1"+end)
		if err == nil && end == "" {
			_, err = c.ExecContext(ctx, "COMMIT")
		}
		if err == nil || !strings.Contains(err.Error(), "max_prepared_transactions") {
			t.Errorf("a transaction that cannot be prepared: %v", err)
		}
		c.exec("ROLLBACK")
		c.expect("100.00", "SELECT balance FROM purses")
		c.expect("100.00", "SELECT balance FROM accounts")
	}
	c.exec("BEGIN; UPDATE purses SET balance = 1 WHERE id = 1; UPDATE purses SET owner = 'x' WHERE id = 1; COMMIT")
	c.expect("1.00|x", "SELECT balance, owner FROM purses")
	c.nothingInDoubt()
}
