package coordinator

import (
	"testing"

	"isochron/decide"
	"isochron/txn"
)

// A transaction that only reads has written nothing, even where it is logged as others are.
func TestWhoOnlyReadsIsNoWriter(t *testing.T) {
	reads := &txn.Prepare{Reads: []txn.ReadCheck{{Key: "a"}}}
	writes := &txn.Prepare{Writes: []txn.Write{{Key: "b"}}}
	for _, c := range []struct {
		prepares []*txn.Prepare
		want     bool
	}{
		{[]*txn.Prepare{reads, reads}, false},
		{[]*txn.Prepare{reads, writes}, true},
		{nil, false}, // the work of another coordinator
	} {
		k := &commitment{Attempt: &decide.Attempt{Opening: decide.Opening{Participants: []txn.ShardID{2, 3}, Prepares: c.prepares}}}
		if k.wrote() != c.want {
			t.Errorf("%v: wrote is %v", c.prepares, k.wrote())
		}
	}
}
