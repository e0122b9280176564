package sourcedb

import (
	"context"
	"strings"
	"testing"
	"time"

	"isochron/source"
)

// Branches that changed nothing can be prepared, and finished.
func TestPrepareWithoutChanges(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		for _, reads := range []bool{false, true} {
			for _, closed := range []bool{false, true} {
				d := k.open(Options{})
				n := k.name()
				b := k.beginAt(d, n, source.BranchOptions{})
				if reads {
					k.do(b, "SELECT v FROM %s")
				}
				k.must(b.Prepare(k.ctx))
				k.prepared(k.driver, n)
				if closed {
					k.must(d.Close())
					d = k.driver
				}
				k.finish(d, n, true, true)
				k.prepared(k.driver)
			}
		}
	})
}

// Names suffice to list and finish branches, whatever is in them.
func TestNames(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		large := k.name()
		large.Attempt.Seq, large.Source, large.RecordShard, large.Attempt.Epoch = 1<<64-1, 1<<63, 1<<62, 1<<32-1
		b := k.beginAt(k.driver, large, source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		k.must(b.Prepare(k.ctx))
		k.prepared(k.driver, large)
		k.finish(k.driver, large, true, true)
		k.has("1", "10")
	})
}

// MariaDB: the name of a prepared branch is locked while its connection lives, and the branch is left alone until the lock
// has been free for the whole grace (mysql_detach.go).
func TestGracePeriod(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		d, ok := k.driver.(*attentive).database.(*mysqlDB)
		if !ok {
			return
		}
		locked := func(n source.Name) bool { return k.my("SELECT IFNULL(IS_USED_LOCK("+tieLock(n)+"), '')") != "" }
		first := k.open(Options{})
		b, n := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		k.must(b.Prepare(k.ctx))
		if !locked(n) {
			t.Error("the name of a prepared branch is not locked")
		}
		k.finish(d, n, true, true)
		if locked(n) {
			t.Error("the name of a branch that has ended is locked")
		}

		n = k.name()
		b = k.beginAt(first, n, source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (2, 20)")
		k.must(b.Prepare(k.ctx))
		k.must(first.Close())
		for locked(n) {
			k.must(k.ctx.Err())
		}
		d.grace = time.Hour
		ctx, cancel := context.WithTimeout(k.ctx, 200*time.Millisecond)
		defer cancel()
		_, err := d.Finish(ctx, n, true)
		if e := k.fails(err, codeInterrupted); !e.Again || !strings.Contains(e.Text, "still holds") {
			t.Errorf("%+v", e)
		}
		k.prepared(d, n)
		d.grace = detachGrace
		k.finish(d, n, true, true)
		k.has("1", "10", "2", "20")

		// A failed prepare releases the name.
		again := k.name()
		b = k.beginAt(d, again, source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (3, 30)")
		_ = b.(*myBranch).c.tie(again)
		k.do2(b, "DO GET_LOCK("+tieLock(again)+", 0)")
		k.must(b.Rollback(k.ctx))
		if locked(again) {
			t.Error("the name of a branch that was rolled back is locked")
		}
	})
}

// Finishing a branch that is being prepared waits for its prepare.
func TestInflight(t *testing.T) {
	var f inflight
	a, b := source.Name{Cluster: 1}, source.Name{Cluster: 2}
	end := f.begin(a)
	if err := f.wait(t.Context(), b); err != nil {
		t.Error("another branch has to wait:", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f.wait(ctx, a) == nil {
		t.Error("Finish does not wait for a branch that is being prepared")
	}
	end()
	if err := f.wait(ctx, a); err != nil {
		t.Error("prepared, and still waited for:", err)
	}
}

// PostgreSQL: a branch is not reported as missing while a connection that is not the driver's may still prepare it.
func TestOthersMayPrepare(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if k.name_() != "postgres" {
			return
		}
		other := k.open(Options{})
		mine := k.beginAt(k.driver, k.name(), source.BranchOptions{})
		k.do(mine, "SELECT 1 FROM %s") // the driver knows its own transactions
		n := k.name()
		k.finish(k.driver, n, false, false)
		b := k.beginAt(other, n, source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		ctx, cancel := context.WithTimeout(k.ctx, 200*time.Millisecond)
		defer cancel()
		_, err := k.driver.Finish(ctx, n, false)
		if e := k.fails(err, codeInterrupted); !e.Again || !strings.Contains(e.Text, "not known yet") {
			t.Errorf("%+v", e)
		}
		found := make(chan bool, 1)
		go func() {
			yes, err := k.driver.Finish(k.ctx, n, false)
			found <- yes && err == nil
		}()
		k.must(b.Prepare(k.ctx))
		if !<-found {
			t.Error("a branch that was prepared after the first look is not found")
		}
		k.must(mine.Commit(k.ctx))
	})
}
