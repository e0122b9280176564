package coordinator

import (
	"testing"

	"isochron/routing"
	"isochron/txn"
)

// A Prepare says in which term its locks were granted, shard by shard. Nothing is wrong
// where it does not, for what was read under locks is checked by version too; but a leader
// that never heard of the locks would let the transaction stand in line again, behind who
// has them now, only to lose.
func TestAPrepareSaysTheTermOfItsLocks(t *testing.T) {
	first, second := routing.TablePrefix(1), routing.TablePrefix(2)
	d := &routing.Directory{Epoch: 1, Shards: []routing.Shard{{ID: 1}, {ID: 2}, {ID: 3}}}
	d.AddRange(first, 2)
	d.AddRange(second, 3)
	open := &transaction{id: txn.ID{Node: 1, Seq: 7}}
	open.touches(2).lockTerm = 5
	prepares, err := divide(d, open, []txn.Write{{Key: txn.Key(first + "a")}, {Key: txn.Key(second + "b")}}, 0)
	if err != nil || len(prepares) != 2 {
		t.Fatal(prepares, err)
	}
	for i, term := range []uint64{5, 0} {
		if p := prepares[i]; p.LockTerm != term {
			t.Errorf("shard %d: %d, not %d", p.Shard, p.LockTerm, term)
		}
	}
}
