package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// Who holds locks for long is asked after a few times, and then is gone; an answer begins anew.
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
		t.Errorf("it is asked after at %v, and gone at %v", asked, gone)
	}
	p.Freed(h.Txn)
	if ask, over := p.Judge(100, h); !ask || over || len(p.statusQueries) != 1 {
		t.Error("one of the same name is not asked after anew")
	}
	if ask, over := p.Judge(500, &Holder{Txn: id(3), Voted: true}); ask || over {
		t.Error("one that has voted is asked after")
	}
}

// A gateway's lease goes on from when it was asked, and it is asked as long as it has something here.
func TestAGatewayHasALease(t *testing.T) {
	p := NewGatewayLeases(1, 10, 50)
	for _, n := range []txn.NodeID{1, 3, 2} {
		p.Has(20, txn.ID{Node: n})
	}
	if ask := p.Gateways(20); !slices.Equal(ask, []txn.NodeID{2, 3}) {
		t.Errorf("%v are asked", ask)
	}
	if p.Lost(69, 2) || !p.Lost(70, 2) || p.Lost(70, 1) || p.Lost(70, 4) {
		t.Error("its lease does not count, or one that it has not")
	}
	p.Answers(70, 60, 2)
	p.Answers(71, 30, 2) // late
	p.Answers(71, 60, 4)
	if p.Lost(109, 2) || !p.Lost(110, 2) {
		t.Error("the lease does not go on from when its gateway was asked")
	}
	p.Answers(90, 0, 2)
	if p.Lost(139, 2) || !p.Lost(140, 2) {
		t.Error("one that does not say when it was asked does not count")
	}
	p.Has(60, txn.ID{Node: 2})
	if ask := p.Gateways(70); len(ask) != 2 {
		t.Errorf("%v are asked", ask)
	}
	if ask := p.Gateways(71); !slices.Equal(ask, []txn.NodeID{2}) {
		t.Errorf("%v are asked", ask)
	}
}
