package shard

import (
	"testing"

	"isochron/protocol"
	"isochron/txn"
)

// Answers that wait for decisions are bounded at a leader: one more is refused at once.
func TestWaitsForDecisionsAreBounded(t *testing.T) {
	row, err := protocol.ByName("d2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	l := &leadership{r: &Replica{cfg: Config{Row: row}}, early: newEarly()}
	by := txn.Attempt{Node: 1, Seq: 1}
	l.early.overlay.Reveal(by, 1, true, []txn.Write{{Key: "k", Value: []byte("1")}})
	told, refused := 0, 0
	for range maxSettles + 3 {
		l.whenDecided([]txn.Key{"k"}, nil, arrival{}, func(bool) { told++ }, func() { refused++ })
	}
	if told != 0 || refused != 3 {
		t.Fatalf("%d were told and %d refused, want 0 and 3", told, refused)
	}
	l.early.decided(by, true)
	if told != maxSettles {
		t.Errorf("%d were told of the decision, want %d", told, maxSettles)
	}
	l.early.expireAt(0)
	if len(l.early.expiring) != 0 {
		t.Errorf("%d wait still", len(l.early.expiring))
	}
}
