package sourcedb

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"isochron/source"
)

// Every driver's duties, on a real server of each dialect.

func TestCommitInOnePhase(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, n := k.begin(source.BranchOptions{})
		if r := k.do(b, "INSERT INTO %s VALUES (1, 10), (2, 20)"); r.Affected != 2 {
			t.Errorf("affected %d, want 2", r.Affected)
		}
		k.do(b, "UPDATE %s SET v = 11 WHERE id = 1")
		k.must(b.Commit(k.ctx))
		k.has("1", "11", "2", "20")
		k.prepared(k.driver)
		k.finish(k.driver, n, true, false)
		k.fails(b.Commit(k.ctx), codeNoSuchBranch)
	})
}

func TestRollback(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		k.must(b.Rollback(k.ctx))
		k.has()
		b, _ = k.begin(source.BranchOptions{})
		k.must(b.Rollback(k.ctx)) // nothing was sent
		b, _ = k.begin(source.BranchOptions{})
		k.must(b.Commit(k.ctx))
	})
}

func TestPrepareAndFinish(t *testing.T) {
	for _, commit := range []bool{true, false} {
		t.Run(fmt.Sprint(commit), func(t *testing.T) {
			each(t, func(t *testing.T, k *kit) {
				b, n := k.begin(source.BranchOptions{})
				k.do(b, "INSERT INTO %s VALUES (1, 10)")
				k.must(b.Prepare(k.ctx))
				k.fails(b.Prepare(k.ctx), codeNoSuchBranch)
				k.has()
				k.prepared(k.driver, n)
				k.finish(k.driver, n, commit, true)
				k.finish(k.driver, n, commit, false)
				k.prepared(k.driver)
				if commit {
					k.has("1", "10")
				} else {
					k.has()
				}
			})
		})
	}
}

// A prepared branch is ended by another driver, however soon after the first is closed.
func TestFinishElsewhere(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		first := k.open(Options{})
		n := k.name()
		b := k.beginAt(first, n, source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		k.must(b.Prepare(k.ctx))
		k.prepared(k.driver, n)
		k.must(first.Close())
		k.finish(k.driver, n, true, true)
		k.has("1", "10")
	})
}

// For many branches whose connections have just ended, every acknowledged commit is a commit.
func TestFinishRightAfterClose(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if d, ok := k.driver.(*attentive).database.(*mysqlDB); ok {
			d.grace = 5 * time.Millisecond // the grace is for slow servers; this test has many rounds
		}
		var want []string
		for i := range 60 {
			first := k.open(Options{Connections: 1})
			n := k.name()
			b := k.beginAt(first, n, source.BranchOptions{Isolation: source.ReadCommitted})
			k.do(b, fmt.Sprintf("INSERT INTO %%s VALUES (%d, 0)", i))
			k.must(b.Prepare(k.ctx))
			k.must(first.Close())
			k.finish(k.driver, n, true, true)
			want = append(want, fmt.Sprint(i), "0")
		}
		k.has(want...)
		k.prepared(k.driver)
	})
}

// MariaDB: while the connection that prepared a branch lives, no other connection ends the branch.
func TestFinishTiedElsewhere(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if k.name_() != "mariadb" {
			return // any connection finishes a branch of another
		}
		first := k.open(Options{})
		n := k.name()
		b := k.beginAt(first, n, source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		for _, prepared := range []bool{false, true} { // a name in use is not free, either
			if prepared {
				k.must(b.Prepare(k.ctx))
			}
			ctx, cancel := context.WithTimeout(k.ctx, 200*time.Millisecond)
			_, err := k.driver.Finish(ctx, n, false)
			cancel()
			if e := k.fails(err, codeInterrupted); !e.Again || !strings.Contains(e.Text, "still holds") {
				t.Errorf("%+v", e)
			}
		}
		k.finish(first, n, true, true)
		k.finish(first, n, true, false)
		k.has("1", "10")
	})
}

// A prepared branch outlives a kill -9 of the server.
func TestKilledServer(t *testing.T) {
	apart(t, nil, func(t *testing.T, k *kit) {
		b, n := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		k.must(b.Prepare(k.ctx))
		lost, _ := k.begin(source.BranchOptions{})
		k.do(lost, "INSERT INTO %s VALUES (2, 20)")
		k.server.Kill()
		e := asError(lost.Commit(k.ctx)) // some servers still send an error
		if e == nil || !e.Unknown || !e.Gone || !e.Ends {
			t.Errorf("a commit while the server dies: %+v", e)
		}
		if _, err := k.driver.Prepared(k.ctx, cluster); err == nil {
			t.Error("a dead server lists its branches")
		}
		k.must(k.server.Start())
		k.prepared(k.driver, n)
		k.finish(k.driver, n, true, true)
		k.has("1", "10")
		k.prepared(k.driver)
	})
}

// Foreign prepared transactions are ignored.
func TestForeignNames(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		other := k.name()
		other.Cluster++
		for i, name := range []string{"another/name", "isochron1.c1.3.7.0x1/51.9", "isochron1.C1.3.7.1/51.9", "isochron2.c1.3.7.1/51.9", other.String()} {
			undo := k.foreign(name, i)
			defer undo()
		}
		k.prepared(k.driver)
		others, err := k.driver.Prepared(k.ctx, other.Cluster)
		k.must(err)
		if len(others) != 1 || others[0] != other {
			t.Errorf("the other cluster has %v", others)
		}
	})
}

func TestDuplicateKeyKeepsTheBranch(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		_, err := k.try(b, "INSERT INTO %s VALUES (2, 20), (1, 11)")
		if e := k.fails(err, 1062); e.Ends || e.Again {
			t.Errorf("%+v", e)
		}
		_, err = k.try(b, "SELECT nothing FROM %s")
		k.fails(err, 1054)
		_, err = k.try(b, "SELECT 1 FROM no_%s")
		k.fails(err, 1146)
		_, err = k.try(b, "SELEKT %s")
		k.fails(err, 1064)
		k.do(b, "INSERT INTO %s VALUES (3, 30)")
		k.must(b.Commit(k.ctx))
		k.has("1", "10", "3", "30")

		// The first statement of a branch fails.
		b, n := k.begin(source.BranchOptions{})
		_, err = k.try(b, "INSERT INTO %s VALUES (1, 10)")
		k.fails(err, 1062)
		k.do(b, "INSERT INTO %s VALUES (4, 40)")
		k.must(b.Prepare(k.ctx))
		k.finish(k.driver, n, true, true)
		k.has("1", "10", "3", "30", "4", "40")
	})
}

func TestSavepoints(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		k.do2(b, "SAVEPOINT a")
		k.do(b, "INSERT INTO %s VALUES (2, 20)")
		k.do2(b, "SAVEPOINT b")
		k.do(b, "INSERT INTO %s VALUES (3, 30)")
		k.do2(b, "ROLLBACK TO SAVEPOINT b")
		k.do2(b, "ROLLBACK TO a")
		k.do2(b, "RELEASE SAVEPOINT a")
		k.do(b, "INSERT INTO %s VALUES (4, 40)")
		k.must(b.Commit(k.ctx))
		k.has("1", "10", "4", "40")
	})
}

// Of two branches that wait for each other one is aborted, and can be retried.
func TestDeadlock(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		o := source.BranchOptions{Isolation: source.ReadCommitted}
		b, _ := k.begin(o)
		k.do(b, "INSERT INTO %s VALUES (1, 10), (2, 20)")
		k.must(b.Commit(k.ctx))
		var branches [2]source.Branch
		for i := range branches {
			branches[i], _ = k.begin(o)
			k.do(branches[i], fmt.Sprintf("UPDATE %%s SET v = v + 1 WHERE id = %d", i+1))
		}
		errs := make([]chan error, 2)
		for i := range branches {
			errs[i] = make(chan error, 1)
			go func() {
				_, err := k.try(branches[i], fmt.Sprintf("UPDATE %%s SET v = v + 1 WHERE id = %d", 2-i))
				errs[i] <- err
			}()
		}
		lost := 0
		for i := range branches {
			err := <-errs[i]
			if err == nil {
				k.must(branches[i].Commit(k.ctx))
				continue
			}
			lost++
			if e := k.fails(err, 1213); !e.Ends || !e.Again {
				t.Errorf("%+v", e)
			}
			_, err = k.try(branches[i], "SELECT 1 FROM %s")
			k.fails(err, codeNoSuchBranch)
			k.must(branches[i].Rollback(k.ctx))
		}
		if lost != 1 {
			t.Errorf("%d branches lost", lost)
		}
		k.has("1", "11", "2", "21")
	})
}

// A lock wait ends after the branch's bound, and only the statement is rolled back.
func TestLockWait(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10), (2, 20)")
		k.must(b.Commit(k.ctx))
		holder, n := k.begin(source.BranchOptions{Isolation: source.ReadCommitted})
		k.do(holder, "UPDATE %s SET v = 11 WHERE id = 1")
		waiter, _ := k.begin(source.BranchOptions{Isolation: source.ReadCommitted, LockWait: time.Second})
		k.do(waiter, "UPDATE %s SET v = 22 WHERE id = 2")
		_, err := k.try(waiter, "UPDATE %s SET v = 12 WHERE id = 1")
		if e := k.fails(err, 1205); e.Ends || !e.Again {
			t.Errorf("%+v", e)
		}
		k.must(holder.Prepare(k.ctx)) // a prepared branch holds its locks
		_, err = k.try(waiter, "UPDATE %s SET v = 12 WHERE id = 1")
		k.fails(err, 1205)
		k.must(waiter.Commit(k.ctx))
		k.finish(k.driver, n, true, true)
		k.has("1", "11", "2", "22")
	})
}

func TestReadOnly(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, _ := k.begin(source.BranchOptions{ReadOnly: true})
		k.do(b, "SELECT v FROM %s")
		_, err := k.try(b, "INSERT INTO %s VALUES (1, 10)")
		k.fails(err, 1792)
		k.must(b.Commit(k.ctx))
		b, _ = k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)") // the connection does not stay read-only
		k.must(b.Commit(k.ctx))
	})
}

// Each level is the one that the server runs the branch at.
func TestIsolation(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.driver = k.open(Options{Connections: 1})
		for _, level := range []source.Isolation{source.ReadCommitted, "", source.RepeatableRead, source.Serializable} {
			b, _ := k.begin(source.BranchOptions{Isolation: level})
			text := "SHOW transaction_isolation"
			if k.name_() == "mariadb" {
				text = "SELECT @@tx_isolation"
			}
			r := k.do2(b, text)
			k.must(b.Rollback(k.ctx))
			got := strings.ToLower(strings.ReplaceAll(string(r.Rows[0][0]), "-", " "))
			if want := level; got != string(want) && (want != "" || got != string(source.Serializable)) {
				t.Errorf("%q runs at %q", level, got)
			}
		}
		_, err := k.driver.Begin(k.ctx, k.name(), source.BranchOptions{Isolation: "chaos"})
		k.fails(err, 1231)
	})
}

// PREPARE of a name that is already prepared fails and does not affect the other branch.
func TestPrepareTwice(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, n := k.begin(source.BranchOptions{Isolation: source.ReadCommitted})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		k.must(b.Prepare(k.ctx))
		again := k.beginAt(k.driver, n, source.BranchOptions{Isolation: source.ReadCommitted})
		_, err := k.try(again, "INSERT INTO %s VALUES (2, 20)")
		if err == nil {
			err = again.Prepare(k.ctx)
		}
		if e := k.fails(err, codeDuplicateName); !e.Ends || e.Unknown {
			t.Errorf("%+v", e)
		}
		k.must(again.Rollback(k.ctx))
		k.prepared(k.driver, n)
		k.finish(k.driver, n, true, true)
		k.has("1", "10")
	})
}

// Finish waits for a Prepare under way and finds its branch.
func TestFinishWaitsForPrepare(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		for range 20 {
			b, n := k.begin(source.BranchOptions{})
			k.do(b, "INSERT INTO %s VALUES (1, 10)")
			prepared, begun := make(chan error, 1), make(chan struct{})
			go func() {
				close(begun)
				prepared <- b.Prepare(k.ctx)
			}()
			<-begun
			if found, err := k.driver.Finish(k.ctx, n, false); err != nil {
				t.Fatal(err)
			} else if k.must(<-prepared); !found {
				k.finish(k.driver, n, false, true) // it came before the Prepare
			}
		}
		k.prepared(k.driver)
		k.has()
	})
}

func TestPoolExhausted(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		d := k.open(Options{Connections: 2})
		var branches []source.Branch
		for range 2 {
			branches = append(branches, k.beginAt(d, k.name(), source.BranchOptions{}))
		}
		ctx, cancel := context.WithTimeout(k.ctx, 50*time.Millisecond)
		defer cancel()
		_, err := d.Begin(ctx, k.name(), source.BranchOptions{})
		if e := k.fails(err, 1040); !e.Ends || !strings.Contains(e.Text, "2 connections") {
			t.Errorf("%+v", e)
		}
		// Without the caller's end the bound of waits ends it, and the error names the bound.
		_, err = d.Begin(k.ctx, k.name(), source.BranchOptions{LockWait: 50 * time.Millisecond})
		if e := k.fails(err, 1040); !e.Again || !strings.Contains(e.Text, "innodb_lock_wait_timeout") {
			t.Errorf("%+v", e)
		}
		_, err = d.(source.OneTripDriver).Once(k.ctx, k.name(), source.BranchOptions{LockWait: 50 * time.Millisecond}, source.Statement{Text: "SELECT 1"})
		k.fails(err, 1040)
		waits := make(chan error, 1)
		go func() {
			b, err := d.Begin(k.ctx, k.name(), source.BranchOptions{})
			if err == nil {
				err = b.Rollback(k.ctx)
			}
			waits <- err
		}()
		k.must(branches[0].Rollback(k.ctx))
		k.must(<-waits)
		k.must(branches[1].Rollback(k.ctx))

		// Prepared branches count in MariaDB, and do not in PostgreSQL.
		var names []source.Name
		for i := range 6 {
			if ctx, cancel := context.WithTimeout(k.ctx, 50*time.Millisecond); k.name_() == "mariadb" && i >= 2 {
				_, err := d.Begin(ctx, k.name(), source.BranchOptions{})
				k.fails(err, 1040)
				cancel()
				continue
			} else {
				cancel()
			}
			n := k.name()
			b := k.beginAt(d, n, source.BranchOptions{Isolation: source.ReadCommitted})
			k.do(b, fmt.Sprintf("INSERT INTO %%s VALUES (%d, 10)", i))
			k.must(b.Prepare(k.ctx))
			names = append(names, n)
		}
		for _, n := range names {
			k.finish(d, n, false, true)
		}
		k.prepared(k.driver)
	})
}

// A result beyond its bounds is refused while it is received, and ends nothing.
func TestAnswerTooLarge(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, _ := k.begin(source.BranchOptions{Isolation: source.ReadCommitted})
		k.do(b, "INSERT INTO %s VALUES (1, 10), (2, 20), (3, 30)")
		s := source.Statement{Text: "SELECT id FROM " + k.table, MaxRows: 2}
		_, err := b.Execute(k.ctx, s)
		if e := k.fails(err, 1104); e.Ends || e.Again {
			t.Errorf("%+v", e)
		}
		// If it were read to its end, the test would not end.
		s.Text, s.MaxRows = k.long(), 100_000
		_, err = b.Execute(k.ctx, s)
		if e := k.fails(err, 1104); e.Ends {
			t.Errorf("%+v", e)
		}
		s.Text, s.MaxRows = "SELECT id FROM "+k.table, 3
		r, err := b.Execute(k.ctx, s)
		k.must(err)
		if len(r.Rows) != 3 {
			t.Errorf("%d rows", len(r.Rows))
		}
		k.must(b.Commit(k.ctx))
		k.has("1", "10", "2", "20", "3", "30")
	})
}

// A cancelled statement is cancelled at the server too, and ends its branch.
func TestCancel(t *testing.T) { each(t, testCancel) }

func testCancel(t *testing.T, k *kit) {
	o := source.BranchOptions{Isolation: source.ReadCommitted, LockWait: endless}
	b, _ := k.begin(o)
	k.do(b, "INSERT INTO %s VALUES (2, 20)")
	k.must(b.Commit(k.ctx))
	holder, _ := k.begin(o)
	k.do(holder, "UPDATE %s SET v = 21 WHERE id = 2")
	b, n := k.begin(o)
	k.do(b, "INSERT INTO %s VALUES (1, 10)")
	ctx, cancel := context.WithCancel(k.ctx)
	got := make(chan error, 1)
	text := fmt.Sprintf("UPDATE %s SET v = 22 WHERE id = 2", k.table)
	go func() {
		_, err := b.Execute(ctx, source.Statement{Text: text})
		got <- err
	}()
	for k.waiting(text) == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	if e := k.fails(<-got, codeInterrupted); !e.Ends || e.Unknown {
		t.Errorf("%+v", e)
	}
	for k.waiting(text) > 0 { // an endless wait for the lock would end the test
		time.Sleep(5 * time.Millisecond)
	}
	again, _ := k.begin(o)
	k.do(again, "INSERT INTO %s VALUES (1, 11)") // the row is free
	k.must(again.Commit(k.ctx))
	k.must(holder.Commit(k.ctx))
	k.has("1", "11", "2", "21")
	k.finish(k.driver, n, true, false)
}

// Many branches in parallel, prepared and finished, as agents have them.
func TestConcurrent(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (0, 0), (1, 0), (2, 0), (3, 0)")
		k.must(b.Commit(k.ctx))
		d := k.open(Options{Connections: 6})
		sums := make(chan int, 8)
		for g := range 8 {
			go func() { sums <- k.transfers(d, g) }()
		}
		want := 0
		for range 8 {
			want += <-sums
		}
		b, _ = k.begin(source.BranchOptions{})
		r := k.do(b, "SELECT SUM(v) FROM %s")
		k.must(b.Rollback(k.ctx))
		if got := string(r.Rows[0][0]); got != fmt.Sprint(want) || want == 0 {
			t.Errorf("the sum is %s, want %d", got, want)
		}
		k.prepared(k.driver)
	})
}

// transfers adds ones and returns the number of commits.
func (k *kit) transfers(d source.Driver, g int) (sum int) {
	for i := range 25 {
		n := k.name()
		b, err := d.Begin(k.ctx, n, source.BranchOptions{LockWait: 2 * time.Second})
		if err != nil {
			k.t.Error(err)
			return sum
		}
		_, err = k.try(b, fmt.Sprintf("UPDATE %%s SET v = v + 1 WHERE id = %d", (i+g)%4))
		switch {
		case err != nil:
		case i%3 == 0:
			if err = b.Commit(k.ctx); err == nil {
				sum++
			}
			continue
		case b.Prepare(k.ctx) == nil:
			if found, err := d.Finish(k.ctx, n, i%3 == 1); err != nil || !found {
				k.t.Errorf("finish %s: found %v, %v", n, found, err)
			} else if i%3 == 1 {
				sum++
			}
			continue
		}
		if e := asError(err); e != nil && e.Ends {
			continue
		}
		_ = b.Rollback(k.ctx)
	}
	return sum
}
