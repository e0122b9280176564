package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// The coordinator of a long-time holder is asked a few times, and then is taken to be gone; a reply
// resets the count.
func TestASilentHolderIsReleased(t *testing.T) {
	p := NewGatewayLeases(1, 10, 50)
	id := func(seq uint64) txn.ID { return txn.ID{Node: 2, Seq: seq} }
	h := &Holder{Txn: id(1), Since: 5}
	var asked, gone []int
	for now := range 100 {
		if now == 40 {
			p.Renewed(h.Txn)
			p.Renewed(id(2))
		}
		ask, over := p.Judge(time.Duration(now), h)
		if ask {
			asked = append(asked, now)
		}
		if over {
			gone = append(gone, now)
			break
		}
	}
	if want := []int{15, 25, 35, 45, 55, 65, 75}; !slices.Equal(asked, want) || !slices.Equal(gone, []int{85}) {
		t.Errorf("asked at %v, gone at %v", asked, gone)
	}
	p.Freed(h.Txn)
	if ask, over := p.Judge(100, h); !ask || over || len(p.statusQueries) != 1 {
		t.Error("after Freed the same transaction is not asked about again")
	}
	if ask, over := p.Judge(500, &Holder{Txn: id(3), Voted: true}); ask || over {
		t.Error("a voted transaction is asked about")
	}
}

// A gateway's lease is extended from the time of the ping, and it is pinged as long as it has
// something here.
func TestAGatewayHasALease(t *testing.T) {
	p := NewGatewayLeases(1, 10, 50)
	for _, n := range []txn.NodeID{1, 3, 2} {
		p.Has(20, txn.ID{Node: n})
	}
	if ask := p.Gateways(20); !slices.Equal(ask, []txn.NodeID{2, 3}) {
		t.Errorf("pinged: %v", ask)
	}
	if p.Lost(69, 2) || !p.Lost(70, 2) || p.Lost(70, 1) || p.Lost(70, 4) {
		t.Error("a lease is not valid, or one is that does not exist")
	}
	p.Answers(70, 60, 2)
	p.Answers(71, 30, 2) // late
	p.Answers(71, 60, 4)
	if p.Lost(109, 2) || !p.Lost(110, 2) {
		t.Error("the lease is not extended from the time of the ping")
	}
	p.Answers(90, 0, 2)
	if p.Lost(139, 2) || !p.Lost(140, 2) {
		t.Error("a reply without a time is ignored")
	}
	p.Has(60, txn.ID{Node: 2})
	if ask := p.Gateways(70); len(ask) != 2 {
		t.Errorf("pinged: %v", ask)
	}
	if ask := p.Gateways(71); !slices.Equal(ask, []txn.NodeID{2}) {
		t.Errorf("pinged: %v", ask)
	}
}
