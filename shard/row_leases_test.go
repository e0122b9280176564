package shard

import (
	"testing"

	"isochron/txn"
)

// Where rows have leases a vote has its coordinator's timestamp and locks the written rows
// exclusively. It renews the leases of the rows read, unless another transaction has locked the
// row, and a later writer of the row gets a larger timestamp.
func TestVotesRenewLeases(t *testing.T) {
	c := newHarness(t, "r4+sundial")
	writes := func(seq uint64, at txn.Timestamp) *txn.Prepare {
		p := asksFor(seq, "old")
		p.At = at
		return p
	}
	reads := func(seq uint64, at txn.Timestamp) *txn.Prepare {
		p := writes(seq, at)
		p.Writes, p.Reads = nil, []txn.ReadCheck{{Key: "old", Version: c.prepareHandler.rows.row("old").Version}}
		p.Leases = []txn.Lease{c.prepareHandler.leases.Of("old")}
		return p
	}
	logged := func(what string, p *txn.Prepare) {
		t.Helper()
		before := len(c.paper.commands)
		if c.prepares(p); len(c.paper.commands) != before+1 {
			t.Fatalf("%s is refused: %+v", what, c.world.last(t, 1).Vote)
		}
		if v := c.paper.commands[before].Vote; v.Proposed != p.At || len(v.Reads)+len(v.Spans) != 0 {
			t.Errorf("%s: %+v is logged", what, v)
		}
	}
	refused := func(what string, p *txn.Prepare, least txn.Timestamp) {
		t.Helper()
		before := len(c.paper.commands)
		c.prepares(p)
		if v := c.world.all[len(c.world.all)-1].Vote; len(c.paper.commands) != before || v == nil || v.Yes || v.Proposed != least {
			t.Errorf("%s: it replies %+v, and %d votes are logged", what, v, len(c.paper.commands)-before)
		}
	}
	first := writes(1, 50)
	logged("a write", first)
	refused("a read under a voted write", reads(2, 60), 0)
	c.decisionHandler.decide(1, &txn.Decide{Attempt: first.Attempt, Txn: first.Txn, Commit: true, At: 50})
	if got := c.prepareHandler.leases.Of("old"); got.From != 50 || got.Until != 50 {
		t.Errorf("the new version has the lease %+v", got)
	}
	logged("a read of it", reads(3, 60))
	refused("a write inside the lease", writes(4, 60), 61)
	logged("a write above it", writes(5, 61))
}
