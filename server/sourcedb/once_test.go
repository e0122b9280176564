package sourcedb

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"isochron/source"
)

// once runs a statement that is its whole transaction, with %s for the test's table.
func (k *kit) once(d source.Driver, o source.BranchOptions, text string, args ...string) (source.Result, error) {
	s := source.Statement{Text: text}
	if strings.Contains(text, "%s") {
		s.Text = fmt.Sprintf(text, k.table)
	}
	for _, a := range args {
		s.Args = append(s.Args, []byte(a))
	}
	return d.(source.OneTripDriver).Once(k.ctx, k.name(), o, s)
}

// ok is once, and expects no error.
func (k *kit) ok(text string, args ...string) source.Result {
	k.t.Helper()
	r, err := k.once(k.driver, source.BranchOptions{}, text, args...)
	if err != nil {
		k.t.Fatalf("%s: %v", text, err)
	}
	return r
}

func TestOnce(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if r := k.ok("INSERT INTO %s VALUES (1, 10), (2, 20)"); r.Affected != 2 {
			t.Errorf("affected %d, want 2", r.Affected)
		}
		if r := k.ok("UPDATE %s SET v = v + "+k.mark(1)+" WHERE id = "+k.mark(2), "5", "1"); r.Affected != 1 {
			t.Errorf("affected %d, want 1", r.Affected)
		}
		for _, text := range []string{"SELECT v, id FROM %s WHERE id = 1", "SELECT v, id FROM %s WHERE id = 1 -- a comment", "SELECT v, id FROM %s WHERE id = 1 /* a comment */",
			"SELECT v, id FROM %s WHERE id = 1 AND 'a;b' <> ''", "SELECT v, id FROM %s WHERE v = 15 AND '#' <> ''", "WITH w AS (SELECT * FROM %s) SELECT v, id FROM w WHERE id = 1"} {
			r := k.ok(text)
			if len(r.Rows) != 1 || string(r.Rows[0][0]) != "15" || len(r.Columns) != 2 || r.Columns[0].Type != "bigint" || r.Columns[1].Name != "id" {
				t.Errorf("%s gives %q %v", text, r.Rows, r.Columns)
			}
		}
		k.ok("DELETE FROM %s WHERE id = 2 -- a comment")
		k.has("1", "15")
		_, err := k.once(k.driver, source.BranchOptions{}, "INSERT INTO %s VALUES (1, 0)")
		if e := k.fails(err, 1062); e.Unknown || !e.Ends {
			t.Errorf("a key twice: %+v", e)
		}
		_, err = k.once(k.driver, source.BranchOptions{}, "SELECT nothing FROM %s")
		if e := k.fails(err, 1054); e.Unknown {
			t.Errorf("no such column: %+v", e)
		}
		_, err = k.once(k.driver, source.BranchOptions{}, "COMMIT")
		k.fails(err, 1399)
		k.has("1", "15") // nothing is open on the connection that failed
		b, n := k.begin(source.BranchOptions{})
		k.do(b, "UPDATE %s SET v = 16")
		k.must(b.Prepare(k.ctx))
		k.finish(k.driver, n, true, true)
		k.has("1", "16")
	})
}

// A single read waits for a prepared branch's changes where a branch's reads do: clients may have seen the rest of that
// transaction at other sources. So do the reads of a single change.
func TestOnceWaitsForPrepared(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		other := fmt.Sprintf("o%s", k.table)
		text := "CREATE TABLE " + other + " (id BIGINT PRIMARY KEY, v BIGINT NOT NULL); INSERT INTO " + other + " VALUES (1, 0)"
		if k.name_() == "postgres" {
			text += "; GRANT ALL ON " + other + " TO agent"
		} else {
			text += fmt.Sprintf("; CREATE TRIGGER tr_%s BEFORE UPDATE ON %[1]s FOR EACH ROW SET NEW.v = (SELECT v FROM %[2]s WHERE id = 1)", other, k.table)
		}
		k.must(k.server.Exec(text))
		k.ok("INSERT INTO %s VALUES (1, 10), (2, 20)")
		b, n := k.begin(source.BranchOptions{})
		k.do(b, "UPDATE %s SET v = 11 WHERE id = 1")
		k.must(b.Prepare(k.ctx))
		soon := source.BranchOptions{LockWait: time.Second}
		for _, text := range []string{"UPDATE %s SET v = 12 WHERE id = 1", "SELECT v FROM %s WHERE id = 1 FOR UPDATE"} {
			_, err := k.once(k.driver, soon, text)
			if e := k.fails(err, 1205); e.Unknown {
				t.Errorf("%s: %+v", text, e)
			}
		}
		if k.name_() == "mariadb" {
			for _, text := range []string{"SELECT v FROM %s WHERE id = 1", "SELECT SUM(v) FROM %s", "UPDATE " + other + " SET v = 1", "INSERT INTO " + other + " SELECT id + 5, v FROM %s"} {
				if _, err := k.once(k.driver, soon, text); err == nil {
					t.Errorf("%s does not wait for a prepared branch", text)
				} else {
					k.fails(err, 1205)
				}
			}
			soon.Isolation = source.ReadCommitted
			r, err := k.once(k.driver, soon, "SELECT v FROM %s WHERE id = 1")
			if err != nil || string(r.Rows[0][0]) != "10" {
				t.Errorf("at READ COMMITTED: %q, %v", r.Rows, err)
			}
		}
		k.finish(k.driver, n, true, true)
		if r := k.ok("SELECT v FROM %s WHERE id = 1"); string(r.Rows[0][0]) != "11" {
			t.Errorf("after the commit: %q", r.Rows)
		}
	})
}

// At PostgreSQL a single statement that depends on locks waits, behind its guard, for a prepared branch that may have
// inserted the row it did not find; if all rows are found no guard is needed.
func TestOnceGuarded(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if k.name_() != "postgres" {
			t.Skip("a MariaDB locks ranges by itself")
		}
		k.ok("INSERT INTO %s VALUES (1, 10)")
		b, n := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (5, 50)")
		k.must(b.Prepare(k.ctx))
		guarded := func(text string, least int) (source.Result, error) {
			s := source.Statement{Text: fmt.Sprintf(text, k.table), Locks: true, Guard: []string{"LOCK TABLE " + k.table + " IN SHARE MODE"}, Least: least}
			return k.driver.(source.OneTripDriver).Once(k.ctx, k.name(), source.BranchOptions{LockWait: time.Second}, s)
		}
		for text, least := range map[string]int{"SELECT v FROM %s WHERE id = 5 FOR SHARE": 1, "SELECT v FROM %s WHERE id IN (1, 5) FOR SHARE": 2, "SELECT v FROM %s WHERE v > 20 FOR SHARE": 0,
			"UPDATE %s SET v = 1 WHERE id = 5": 1, "UPDATE %s SET v = 1 WHERE id IN (1, 5)": 2} {
			_, err := guarded(text, least)
			if e := k.fails(err, 1205); e.Unknown {
				t.Errorf("%s: %+v", text, e)
			}
		}
		if r, err := guarded("SELECT v FROM %s WHERE id = 1 FOR SHARE", 1); err != nil || len(r.Rows) != 1 || string(r.Rows[0][0]) != "10" || len(r.Columns) != 1 {
			t.Errorf("a row that is there: %q, %v", r.Rows, err)
		}
		if r, err := guarded("UPDATE %s SET v = 11 WHERE id = 1", 1); err != nil || r.Affected != 1 {
			t.Errorf("a change of a row that is there: %+v, %v", r, err)
		}
		k.finish(k.driver, n, true, true)
		if r, err := guarded("SELECT v FROM %s WHERE id IN (1, 5) ORDER BY id FOR SHARE", 2); err != nil || len(r.Rows) != 2 || string(r.Rows[1][0]) != "50" {
			t.Errorf("after the commit: %q, %v", r.Rows, err)
		}
		k.has("1", "11", "5", "50")
	})
}

// A change whose connection breaks may have happened; a read is repeated or simply failed.
func TestOnceUnknown(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		c, far := k.openThroughCutter()
		for i, through := range []bool{false, true} {
			c.cut("marked", through)
			_, err := k.once(far, source.BranchOptions{}, fmt.Sprintf("INSERT INTO %%s SELECT %d, 0 WHERE 'marked' <> ''", i+1))
			if e := k.fails(err, codeLost); !e.Unknown || !e.Gone || !e.Ends {
				t.Errorf("a change, through=%v: %+v", through, e)
			}
			if _, err := k.once(far, source.BranchOptions{}, "SELECT 1"); err != nil {
				t.Fatal(err)
			}
			c.cut("marked", through)
			if _, err := k.once(far, source.BranchOptions{}, "SELECT v FROM %s WHERE 'marked' = ''"); err != nil {
				t.Errorf("a read on a connection of the pool's, through=%v: %v", through, err)
			}
		}
		probe := k.ok("SELECT id FROM %s WHERE id = 1")
		if len(probe.Rows) != 0 {
			t.Error("what never arrived has happened")
		}
	})
}

// A connection that the server closed while it was idle is detected without a trip: a change is sent on another one, and
// known to have happened. A read may be sent on it, and is sent again.
func TestOnceAfterTheServerEndedConnections(t *testing.T) {
	each(t, func(t *testing.T, k *kit) { afterTheEnd(t, k, "UPDATE %s SET v = 1") })
	each(t, func(t *testing.T, k *kit) { afterTheEnd(t, k, "SELECT v FROM %s", "UPDATE %s SET v = 1") })
}

func afterTheEnd(t *testing.T, k *kit, texts ...string) {
	d := k.open(Options{Cluster: k.table})
	if _, err := k.once(d, source.BranchOptions{}, "INSERT INTO %s VALUES (1, 0)"); err != nil {
		t.Fatal(err)
	}
	left := func() string {
		return k.pg("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '%" + k.table + "'")
	}
	if k.name_() == "postgres" {
		k.pg("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%" + k.table + "'")
	} else {
		id := d.(*attentive).database.(*mysqlDB).pool.idle[0].c.id
		k.my("KILL " + id)
		left = func() string { return k.my("SELECT count(*) FROM information_schema.processlist WHERE id = " + id) }
	}
	for left() != "0" {
		time.Sleep(10 * time.Millisecond)
		k.must(k.ctx.Err())
	}
	time.Sleep(50 * time.Millisecond) // until the end of the connection has arrived
	for _, text := range texts {
		if _, err := k.once(d, source.BranchOptions{}, text); err != nil {
			t.Fatal(err)
		}
	}
	k.has("1", "1")
}

// The lock wait bound of a single statement does not affect a branch on the same connection.
func TestOnceLeavesNoBounds(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		d := k.open(Options{Connections: 1})
		if _, err := k.once(d, source.BranchOptions{LockWait: time.Second, Isolation: source.ReadCommitted}, "INSERT INTO %s VALUES (1, 0)"); err != nil {
			t.Fatal(err)
		}
		setting, want := "SELECT current_setting('lock_timeout') || current_setting('transaction_isolation')", "0serializable"
		if k.name_() == "mariadb" {
			setting, want = "SELECT CONCAT(@@innodb_lock_wait_timeout, @@tx_isolation)", "50SERIALIZABLE"
		}
		for range 2 {
			b := k.beginAt(d, k.name(), source.BranchOptions{})
			r := k.do2(b, setting)
			k.must(b.Rollback(k.ctx))
			if got := string(r.Rows[0][0]); got != want {
				t.Errorf("a branch: %s, want %s", got, want)
			}
			if r, err := k.once(d, source.BranchOptions{}, setting); err != nil || string(r.Rows[0][0]) != want {
				t.Errorf("a statement alone: %q %v, want %s", r.Rows, err, want)
			}
		}
	})
}
