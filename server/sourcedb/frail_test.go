package sourcedb

import (
	"fmt"
	"testing"

	"isochron/server/sourcedb/sourcetest"
	"isochron/source"
)

// A prepared branch without changes loses its locks when its connection ends. A branch that then changes rows it has
// read does not vote, and does not commit in one phase, before the other has ended; one without changes may.
func TestAConflictWithAPreparedReaderIsRefused(t *testing.T) {
	s, err := sourcetest.MariaDB()
	sourcetest.LeaveOut(t, err)
	t.Cleanup(s.Close)
	k := newKit(t, dialects[1], s)
	b, _ := k.begin(source.BranchOptions{})
	k.do(b, "INSERT INTO %s VALUES (1, 0), (2, 0)")
	k.must(b.Commit(k.ctx))

	reader, read := k.begin(source.BranchOptions{})
	k.do(reader, "SELECT v FROM %s WHERE id = 1")
	id := string(k.do2(reader, "SELECT CONNECTION_ID()").Rows[0][0])
	k.must(reader.Prepare(k.ctx))

	other, name := k.begin(source.BranchOptions{})
	k.do(other, "UPDATE %s SET v = 1 WHERE id = 2")
	k.must(other.Prepare(k.ctx)) // its connection lives
	k.finish(k.driver, name, true, true)

	k.my("KILL " + id)
	for k.blocked(1) { // until the server has ended it
		k.must(k.ctx.Err())
	}
	for _, end := range []func(source.Branch) error{
		func(b source.Branch) error { return b.Prepare(k.ctx) },
		func(b source.Branch) error { return b.Commit(k.ctx) },
	} {
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "UPDATE %s SET v = v + 1 WHERE id = 1")
		if e := k.fails(end(b), 1213); !e.Ends || !e.Again || e.Unknown {
			t.Errorf("it fails with %+v", e)
		}
		b, n := k.begin(source.BranchOptions{})
		if r := k.do(b, "SELECT v FROM %s WHERE id = 1"); string(r.Rows[0][0]) != "0" {
			t.Errorf("a refused statement has changed the row to %s", r.Rows[0][0])
		}
		k.must(end(b))
		_, err := k.driver.Finish(k.ctx, n, true)
		k.must(err)
	}
	k.finish(k.driver, read, true, true)
	b, _ = k.begin(source.BranchOptions{})
	k.do(b, "UPDATE %s SET v = v + 1 WHERE id = 1")
	if err := b.Commit(k.ctx); err != nil {
		t.Errorf("when the reader has ended: %v", err)
	}
}

// A branch without changes whose connection breaks in its prepare is known to have ended.
func TestAReaderWhoseConnectionBreaksInItsPrepare(t *testing.T) {
	s, err := sourcetest.MariaDB()
	sourcetest.LeaveOut(t, err)
	t.Cleanup(s.Close)
	k := newKit(t, dialects[1], s)
	for _, change := range []bool{false, true} {
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "SELECT v FROM %s WHERE id = 1")
		if change {
			k.do(b, fmt.Sprintf("INSERT INTO %s VALUES (7, 7)", "%s"))
		}
		k.my("KILL " + string(k.do2(b, "SELECT CONNECTION_ID()").Rows[0][0]))
		if e := asError(b.Prepare(k.ctx)); e == nil || !e.Ends || e.Unknown != change {
			t.Errorf("a branch that has changed something (%v), and whose connection breaks: %+v", change, e)
		}
	}
}
