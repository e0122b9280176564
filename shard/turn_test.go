package shard

import (
	"slices"
	"testing"
	"time"

	"isochron/participant"
	"isochron/txn"
)

// No two of those who have lost the same leader, or who know of none in the same term, call
// an election at the same time; all do within the time-out.
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
				r := &Replica{cfg: Config{Self: txn.NodeID(self)}, log: &raftLog{}, leader: txn.NodeID(leader), term: 7}
				r.log.meta.Voters = voters
				first, spread := r.turn(all)
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

// Who is preferred goes first, and who has no vote does not fail.
func TestTurnsOfOthers(t *testing.T) {
	r := &Replica{cfg: Config{Self: 3}, log: &raftLog{}, leader: 1, wish: participant.Desired{Preferred: []txn.NodeID{3}}}
	r.log.meta.Voters = []uint64{1, 2, 3}
	if first, spread := r.turn(time.Second); first != 0 || spread != time.Second/4 {
		t.Errorf("preferred: %v and %v", first, spread)
	}
	r.wish.Preferred, r.cfg.Self = nil, 9
	if first, spread := r.turn(time.Second); first != 0 || spread != time.Second {
		t.Errorf("without a vote: %v and %v", first, spread)
	}
}
