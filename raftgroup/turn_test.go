package raftgroup

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// Of members that have lost the same leader, or know none in the same term, no two campaign at the
// same time; all campaign within the time-out.
func TestVotersTakeTurns(t *testing.T) {
	const all = 1500 * time.Millisecond
	for _, voters := range [][]uint64{{1, 2, 3}, {4, 7, 8, 11, 12}} {
		for _, leader := range append([]uint64{0}, voters...) {
			type window struct{ from, to time.Duration }
			var windows []window
			for _, self := range voters {
				if self == leader {
					continue
				}
				first, spread := turn(all, voters, txn.NodeID(self), txn.NodeID(leader), 7)
				windows = append(windows, window{first, first + spread})
			}
			slices.SortFunc(windows, func(a, b window) int { return int(a.from - b.from) })
			for i, w := range windows {
				if w.to > all || i > 0 && w.from < windows[i-1].to+all/time.Duration(2*len(voters)) {
					t.Errorf("%d voters, leader %d: %v", len(voters), leader, windows)
				}
			}
			if first := windows[0]; leader != 0 && first.to > all/time.Duration(len(voters)) {
				t.Errorf("%d voters, leader %d: the first waits for %v", len(voters), leader, first.to)
			}
		}
	}
}

// A member without a vote does not panic.
func TestAMemberWithoutAVoteTakesNoTurn(t *testing.T) {
	if first, spread := turn(time.Second, []uint64{1, 2, 3}, 9, 1, 7); first != 0 || spread != time.Second {
		t.Errorf("%v and %v", first, spread)
	}
}

// The preferred member campaigns before all others.
func TestThePreferredMemberCampaignsFirst(t *testing.T) {
	const timeout = time.Second
	at := func(preferred ...txn.NodeID) time.Duration {
		g := &member{log: &raftLog{meta: meta{Voters: []uint64{1, 2, 3}}}, leader: 3, desired: Desired{Preferred: preferred}}
		g.cfg.Self, g.cfg.Params.ElectionTimeout, g.election.rng = 2, timeout, rand.New(rand.NewPCG(1, 2))
		g.restartTimer(0)
		return g.election.campaignAt - g.election.forgetAt
	}
	if got := at(2); got >= timeout/4 {
		t.Errorf("preferred it waits for %v", got)
	}
	if got := at(1); got < timeout/3 {
		t.Errorf("though another is preferred, or before it in turn, it waits only for %v", got)
	}
}
