package sources

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/server/sourcedb/sourcetest"
)

// A source whose server is stopped, and sends nothing, fails the statements that need it: a read
// with 1429, a change that commits as it is executed, and a COMMIT, with an outcome. When it
// continues so does everything else, and nothing is executed by half.
func TestASourceThatIsSilent(t *testing.T) {
	sourcetest.LeaveOut(t, house.err)
	for name, s := range map[string]*sourcetest.Server{"pg_b": house.pg2, "my_b": house.my2} { // order: each by itself
		t.Run(name, func(t *testing.T) { silentSource(t, name, s) })
	}
}

func silentSource(t *testing.T, name string, s *sourcetest.Server) {
	c := begin(t)
	database := databaseOf(t)
	c.exec("CALL isochron.import_table('" + name + "', '" + database + "', 'accounts')")
	c.exec("CREATE TABLE native (id INT PRIMARY KEY)")
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 10), (2, 10), (3, 10)")
	in := func(statements ...string) *client {
		c := connect(t, "multiStatements=true")
		c.exec("USE " + database + "; SET isochron_source_timeout = 1")
		for _, text := range statements {
			c.exec(text)
		}
		return c
	}
	reads, changes := in(), in()
	spares := []*client{in("BEGIN", "SELECT balance FROM accounts WHERE id = 3"), in("BEGIN", "SELECT balance FROM accounts WHERE id = 3")}
	inside := in("BEGIN", "SELECT balance FROM accounts WHERE id = 3")
	alone := in("BEGIN", "UPDATE accounts SET balance = 20 WHERE id = 1")
	both := in("BEGIN", "UPDATE accounts SET balance = 20 WHERE id = 2", "INSERT INTO native VALUES (2)")
	for _, spare := range spares { // connections that are there when the server stops
		spare.exec("ROLLBACK")
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	says := "source " + name + ": the source has not answered for 1s, and takes no new connection (isochron_source_timeout)"
	var all sync.WaitGroup
	for _, x := range []struct {
		c    *client
		text string
		part string
		code uint16
	}{
		{reads, "SELECT balance FROM accounts WHERE id = 3", says, 1429},
		{inside, "UPDATE accounts SET balance = 20 WHERE id = 3", says, 1429},
		{changes, "UPDATE accounts SET balance = 30 WHERE id = 3", says, 1180},
		{alone, "COMMIT", says, 1180},
		{both, "COMMIT", "may or may not", 1180},
	} {
		all.Go(func() {
			_, err := x.c.try(x.text)
			var e *mysql.MySQLError
			if !errors.As(err, &e) || e.Number != x.code || !strings.Contains(e.Message, x.part) {
				t.Errorf("%s: %v", x.text, err)
			}
		})
	}
	all.Wait()
	inside.exec("ROLLBACK")
	if err := s.Wake(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), statementTimeout)
	defer stop()
	if err := house.core.AwaitSources(ctx); err != nil {
		t.Fatal(err)
	}
	for ; ; time.Sleep(50 * time.Millisecond) {
		doubt, err := c.try("SELECT branch FROM isochron.in_doubt")
		got, err2 := c.try("SELECT (SELECT COUNT(*) FROM native) = (SELECT COUNT(*) FROM accounts WHERE id = 2 AND balance = 20)")
		if err == nil && err2 == nil && doubt == "" {
			if got != "1" {
				t.Errorf("half of a transaction is done: %s", got)
			}
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("the source does not go on: %q %v, %v", doubt, err, err2)
		}
	}
	c.exec("UPDATE accounts SET balance = 1") // no lock is left
}
