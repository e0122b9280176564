package sourcedb

import (
	"fmt"
	"testing"
	"time"

	"isochron/server/sourcedb/sourcetest"
	"isochron/source"
)

// locking runs a statement that locks its reads, with its guard.
func (k *kit) locking(b source.Branch, least int, text string) (source.Result, error) {
	k.t.Helper()
	return b.Execute(k.ctx, source.Statement{Text: fmt.Sprintf(text, k.table), Locks: true, Least: least,
		Guard: []string{fmt.Sprintf("LOCK TABLE %s IN SHARE MODE", k.table)}})
}

// held reports whether an insert must wait for another transaction; the insert is rolled back.
func (k *kit) held(id int) bool {
	k.t.Helper()
	b, _ := k.begin(source.BranchOptions{LockWait: 100 * time.Millisecond})
	defer func() { k.must(b.Rollback(k.ctx)) }()
	_, err := k.try(b, fmt.Sprintf("INSERT INTO %%s VALUES (%d, 0)", id))
	if err != nil {
		k.fails(err, 1205)
	}
	return err != nil
}

// onPostgres runs a test on a PostgreSQL of its own.
func onPostgres(t *testing.T, f func(k *kit)) {
	t.Helper()
	s, err := sourcetest.Postgres()
	sourcetest.LeaveOut(t, err)
	t.Cleanup(s.Close)
	f(newKit(t, dialects[0], s))
}

// Rows found by a condition, and a missing key, are guarded against inserts of others until the branch has ended, however
// it was prepared, also over a restart of the server. A row found by its key is locked alone.
func TestGuardsOfPreparedBranches(t *testing.T) {
	onPostgres(t, func(k *kit) {
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 1)")
		k.must(b.Commit(k.ctx))
		for i, c := range []struct {
			least int
			text  string
			held  bool
		}{
			{0, "SELECT v FROM %s WHERE v > 0 FOR SHARE", true},
			{1, "SELECT v FROM %s WHERE id = 9 FOR SHARE", true},
			{1, "SELECT v FROM %s WHERE id = 1 FOR SHARE", false},
			{1, "UPDATE %s SET v = 2 WHERE id = 9", true},
			{1, "UPDATE %s SET v = 1 WHERE id = 1", false},
			{1, "INSERT INTO %s VALUES (1, 1)", true},
			{1, "INSERT INTO %s VALUES (1, 1) ON CONFLICT DO NOTHING", true},
		} {
			b, n := k.begin(source.BranchOptions{})
			if _, err := k.locking(b, c.least, c.text); err != nil {
				k.fails(err, 1062)
			}
			before := k.held(2)
			k.must(b.Prepare(k.ctx))
			after := k.held(2)
			if i < 2 {
				k.server.Kill()
				k.must(k.server.Start())
				after = after && k.held(2)
			}
			if before != c.held || after != c.held {
				t.Errorf("%s: an insert waits: %v before PREPARE, %v after it; it should: %v", c.text, before, after, c.held)
			}
			k.finish(k.driver, n, true, true)
			if k.held(2) {
				t.Errorf("%s: an insert waits for a branch that has ended", c.text)
			}
		}
	})
}

// A statement sees the rows committed when its locks were granted, and so does the next one: of two
// branches that read a condition and insert by it, at most one succeeds.
func TestABranchThatLocksSeesCommittedRows(t *testing.T) {
	onPostgres(t, func(k *kit) {
		reader, _ := k.begin(source.BranchOptions{LockWait: endless})
		writer, _ := k.begin(source.BranchOptions{})
		_, err := k.locking(reader, 1, "SELECT v FROM %s WHERE id = 1 FOR SHARE") // missing, and guarded
		k.must(err)
		k.must(reader.Rollback(k.ctx))

		reader, _ = k.begin(source.BranchOptions{LockWait: endless})
		_, err = reader.Execute(k.ctx, source.Statement{Text: "SELECT 1", Locks: true}) // it has begun
		k.must(err)
		k.do(writer, "INSERT INTO %s VALUES (1, 7)")
		done := make(chan source.Result)
		go func() {
			r, err := k.locking(reader, 0, "SELECT v FROM %s WHERE v > 0 FOR SHARE")
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
		for k.waiting("LOCK TABLE") == 0 {
			time.Sleep(time.Millisecond)
		}
		k.must(writer.Commit(k.ctx))
		if r := <-done; len(r.Rows) != 1 || string(r.Rows[0][0]) != "7" {
			t.Errorf("it does not see the row for whose writer it has waited: %q", r.Rows)
		}
		k.must(reader.Commit(k.ctx))
	})
}

// A branch whose isolation depends on locks refuses statements without locks. Other branches, and all if the database's
// own level is configured, run at that level, without guards.
func TestIsolationOfABranch(t *testing.T) {
	onPostgres(t, func(k *kit) {
		level := func(b source.Branch) string {
			r, err := b.Execute(k.ctx, source.Statement{Text: "SHOW transaction_isolation", Locks: true})
			k.must(err)
			return string(r.Rows[0][0])
		}
		b, _ := k.begin(source.BranchOptions{})
		if got := level(b); got != "read committed" {
			t.Errorf("a branch that locks runs at %s", got)
		}
		if _, err := k.try(b, "SELECT v FROM %s"); err == nil {
			t.Error("it takes a statement that locks nothing")
		}
		k.must(b.Rollback(k.ctx))
		b, _ = k.begin(source.BranchOptions{})
		k.do(b, "SELECT v FROM %s")
		if got := level(b); got != "serializable" {
			t.Errorf("a branch that does not lock runs at %s", got)
		}
		k.must(b.Rollback(k.ctx))
		own := k.open(Options{Ordering: BySerializable})
		b = k.beginAt(own, k.name(), source.BranchOptions{})
		if got := level(b); got != "serializable" {
			t.Errorf("where its own level is asked for a branch runs at %s", got)
		}
		_, err := k.locking(b, 0, "SELECT v FROM %s WHERE v > 0")
		k.must(err)
		if k.held(1) {
			t.Error("where its own level is asked for a statement is guarded")
		}
		k.must(b.Rollback(k.ctx))
	})
	if _, err := Open("postgres://a@b/c", Options{Ordering: "some"}); err == nil {
		t.Error("an ordering that is none is taken")
	}
}
