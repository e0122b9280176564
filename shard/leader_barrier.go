package shard

import "isochron/coverage"

// leaderBarrier lets a leader say what only who leads for certain may say: under its lease
// at once, else when a barrier has come through the log, which proves that a majority had
// it lead after it was asked.
//
// Invariant: a barrier of another term proves nothing of this one, whatever its number.
type leaderBarrier struct {
	term    uint64
	leased  func() bool
	propose func(command) bool
	rules   *coverage.Counts

	waiting map[uint64]func() // by the number of their barrier
	last    uint64
}

func newConfirmation(term uint64, leased func() bool, propose func(command) bool) leaderBarrier {
	return leaderBarrier{term: term, leased: leased, propose: propose, waiting: map[uint64]func(){}}
}

// then calls f as soon as it is certain that this replica leads. If it does not, or if its
// log takes no more now, f is never called: whoever asked will ask again.
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

// applied hears that a barrier is applied which stood in an entry of a term.
func (c *leaderBarrier) applied(barrier, term uint64) {
	if f := c.waiting[barrier]; f != nil && term == c.term {
		delete(c.waiting, barrier)
		f()
	}
}
