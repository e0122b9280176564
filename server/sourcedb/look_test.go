package sourcedb

import (
	"fmt"
	"testing"

	"isochron/source"
)

// A look takes no locks and waits for none, at any level, and sees its branch's changes. As many branches may look as there
// are connections.
func TestInspectionLocksNothing(t *testing.T) {
	const connections = 6
	each(t, func(t *testing.T, k *kit) {
		k.driver = k.open(Options{Connections: connections})
		seed, _ := k.begin(source.BranchOptions{})
		k.do(seed, "INSERT INTO %s VALUES (1, 0), (2, 0), (3, 0)")
		k.must(seed.Commit(k.ctx))
		other, _ := k.begin(source.BranchOptions{})
		k.do(other, "UPDATE %s SET v = 7 WHERE id = 1")
		var all []source.Branch
		for i := range connections - 2 {
			b, _ := k.begin(source.BranchOptions{Isolation: []source.Isolation{source.Serializable, source.RepeatableRead, source.ReadCommitted}[i%3]})
			all = append(all, b)
			look := source.Statement{Text: fmt.Sprintf("SELECT id FROM %s WHERE v = %d OR v = 0 ORDER BY id", k.table, 20+i), Look: true, Locks: true}
			r, err := b.Execute(k.ctx, look)
			k.must(err)
			if n := len(r.Rows); n != 2 && n != 3 { // the first may be seen in its old state
				t.Errorf("a look finds %d rows", n)
			}
			_, err = b.Execute(k.ctx, source.Statement{Text: fmt.Sprintf("INSERT INTO %s VALUES (%d, %d)", k.table, 20+i, 20+i), Locks: true})
			k.must(err)
			again, err := b.Execute(k.ctx, look)
			k.must(err)
			if len(again.Rows) != len(r.Rows)+1 {
				t.Errorf("after an INSERT of its branch a look finds %d rows, and %d before", len(again.Rows), len(r.Rows))
			}
		}
		for id := 2; id <= 3; id++ {
			if k.blocked(id) {
				t.Errorf("row %d is locked", id)
			}
		}
		_, err := all[0].Execute(k.ctx, source.Statement{Text: "SELECT nothing FROM " + k.table, Look: true, Locks: true})
		k.fails(err, 1054)
		for _, b := range all {
			k.must(b.Commit(k.ctx))
		}
		k.must(other.Rollback(k.ctx))
	})
}
