package sourcedb

import (
	"testing"

	"isochron/source"
)

// A branch begins only at the start of its server given in its options. PostgreSQL keeps the locks of prepared branches over
// a restart and has no incarnation.
func TestIncarnations(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		f, err := k.driver.Facts(k.ctx)
		k.must(err)
		if mysql := k.name_() != "postgres"; f.ForgetsReads != mysql || (f.Incarnation != "") != mysql {
			t.Fatalf("%+v", f)
		}
		again, err := k.open(Options{}).Facts(k.ctx)
		k.must(err)
		if again.Incarnation != f.Incarnation {
			t.Errorf("it was started at %s, and at %s", f.Incarnation, again.Incarnation)
		}
		b := k.beginAt(k.driver, k.name(), source.BranchOptions{Incarnation: f.Incarnation})
		k.do(b, "SELECT v FROM %s")
		k.must(b.Rollback(k.ctx))
		if !f.ForgetsReads {
			return
		}
		b, err = k.driver.Begin(k.ctx, k.name(), source.BranchOptions{Incarnation: "1"})
		if e := asError(err); e == nil || !e.Gone || b != nil {
			t.Errorf("begun at another start: %v, %v", b, err)
		}
	})
}
