package shard

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
	"isochron/yield"
)

func newTestPatrol() patrol {
	return newPatrol(&Config{Self: 1, Params: txn.Params{ProbeAfter: 10, RecoverAfter: 100, GatewayLease: 50}})
}

// Who holds locks for long is asked after a few times, and then is gone; an answer begins anew.
func TestAHolderOfWhomNobodyHearsIsGone(t *testing.T) {
	p := newTestPatrol()
	h := &yield.Holder{Txn: id(1), Since: 5}
	var asked, gone []int
	for now := range 100 {
		if now == 40 {
			p.lives(h.Txn)
			p.lives(id(2))
		}
		ask, over := p.suspects(time.Duration(now), h)
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
	p.freed(h.Txn)
	if ask, over := p.suspects(100, h); !ask || over || len(p.probes) != 1 {
		t.Error("one of the same name is not asked after anew")
	}
	if ask, over := p.suspects(500, &yield.Holder{Txn: id(3), Voted: true}); ask || over {
		t.Error("one that has voted is asked after")
	}
}

// A vote is an orphan when it is undecided for too long, or when its gateway is gone, and is
// given some time after somebody was told.
func TestAVoteIsAnOrphan(t *testing.T) {
	p := newTestPatrol()
	at := func(seq uint64) txn.Attempt { return txn.Attempt{Node: 2, Seq: seq} }
	vote := func(seq uint64) *prepared {
		return &prepared{voteCmd: voteCmd{Attempt: at(seq), Txn: txn.ID{Node: 2, Seq: seq}}, since: 10}
	}
	p.votes(at(2), 30)
	for _, c := range []struct {
		now      time.Duration
		seq      uint64
		deciding bool
		want     bool
	}{
		{109, 1, false, false}, {110, 1, true, false}, {110, 1, false, true}, {111, 1, false, false}, {210, 1, false, true},
		{110, 2, false, false}, {130, 2, false, true},
	} {
		if got := p.orphaned(c.now, vote(c.seq), c.deciding); got != c.want {
			t.Errorf("%+v", c)
		}
	}
	p.ended(at(1))
	p.ended(at(2))
	if len(p.orphanAt) != 0 {
		t.Errorf("%v are left", p.orphanAt)
	}
	if ask := p.visit(20, []txn.ID{{Node: 1}, {Node: 3}}, []*prepared{vote(1)}); !slices.Equal(ask, []txn.NodeID{2, 3}) {
		t.Errorf("%v are asked", ask)
	}
	if p.orphaned(69, vote(3), false) || !p.orphaned(70, vote(3), false) {
		t.Error("its gateway's lease does not count")
	}
	p.visit(70, nil, []*prepared{vote(1)})
	p.gatewayLives(70, 2, 60)
	if p.gateways.gone(109, 2) || !p.gateways.gone(110, 2) {
		t.Error("the lease does not go on from when its gateway was asked")
	}
	p.gatewayLives(90, 2, 0)
	if p.gateways.gone(139, 2) {
		t.Error("one that sends no stamp back does not count")
	}
}
