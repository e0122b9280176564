package coordinator

import (
	"testing"

	"isochron/routing"
	"isochron/txn"
)

// A Prepare has the term in which its locks were granted, for each shard. Without it nothing would
// be wrong, since reads under locks are validated by version too; but a leader without these locks
// would make the transaction queue again behind their present holder, only to lose.
func TestAPrepareHasTheTermOfItsLocks(t *testing.T) {
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
