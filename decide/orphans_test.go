package decide

import (
	"testing"
	"time"

	"isochron/txn"
)

// A vote is an orphan when it is undecided for too long, or when its coordinator is lost and no
// other handles it; after a report it is not one for a while.
func TestAVoteIsAnOrphan(t *testing.T) {
	o := NewOrphans(100)
	at := func(seq uint64) txn.Attempt { return txn.Attempt{Node: 2, Seq: seq} }
	o.Await(at(2), 30)
	for _, c := range []struct {
		now  time.Duration
		seq  uint64
		lost bool
		want bool
	}{
		{109, 1, false, false}, {110, 1, false, true}, {111, 1, true, false}, {209, 1, false, false}, {210, 1, false, true},
		{110, 2, true, false}, {130, 2, false, true}, {20, 3, true, true}, {20, 4, false, false},
	} {
		if got := o.Due(c.now, at(c.seq), 10, c.lost); got != c.want {
			t.Errorf("%+v", c)
		}
	}
	o.Ended(at(1))
	if !o.Due(211, at(1), 10, false) {
		t.Error("an ended attempt is kept")
	}
}
