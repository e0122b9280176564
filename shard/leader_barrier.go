package shard

import "isochron/coverage"

// leaderBarrier delays an action until this replica is certainly the leader: immediately under its
// lease, otherwise when a barrier entry is applied, which proves that a majority followed it after the
// request (as Raft's ReadIndex).
//
// Invariant: a barrier of another term proves nothing for this one, whatever its number.
type leaderBarrier struct {
	term    uint64
	leased  func() bool
	propose func(command) bool
	rules   *coverage.Counts

	waiting map[uint64]func() // by the number of their barrier
	last    uint64
}

func newLeaderBarrier(term uint64, leased func() bool, propose func(command) bool) leaderBarrier {
	return leaderBarrier{term: term, leased: leased, propose: propose, waiting: map[uint64]func(){}}
}

// then calls f as soon as it is certain that this replica leads. If it does not lead, or if its
// log accepts no proposals now, f is never called: the requester will ask again.
func (c *leaderBarrier) then(f func()) {
	if c.leased() {
		f()
		return
	}
	c.rules.Hit(coverage.Barrier)
	c.last++
	if c.propose(command{Barrier: c.last}) {
		c.waiting[c.last] = f
	}
}

// applied runs the action of a barrier that was applied in an entry of a term.
func (c *leaderBarrier) applied(barrier, term uint64) {
	if f := c.waiting[barrier]; f != nil && term == c.term {
		delete(c.waiting, barrier)
		f()
	}
}
