package sourcedb

import (
	"testing"

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

// Names are all that is needed to list and finish, whatever is in them.
func TestNames(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		large := k.name()
		large.Attempt.Seq, large.Source, large.DecidedAt, large.Attempt.Epoch = 1<<64-1, 1<<63, 1<<62, 1<<32-1
		b := k.beginAt(k.driver, large, source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		k.must(b.Prepare(k.ctx))
		k.prepared(k.driver, large)
		k.finish(k.driver, large, true, true)
		k.has("1", "10")
	})
}
