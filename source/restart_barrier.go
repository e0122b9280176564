package source

import "isochron/txn"

// Fences. Strict two-phase locking makes what sources do serializable as a whole: a branch has
// every lock, of what it has read too, until it has ended. A prepared branch of PostgreSQL has
// them over a restart of the server; one of MariaDB or MySQL comes back with the locks of what
// it has written alone (Facts.ForgetsReads), and a transaction that begins then could change
// what it has read, although it is to commit before.
//
// So the agent has the locks in their stead: when such a source has started anew, no branch is
// begun there before each that was prepared before has ended. What was not prepared the restart
// has rolled back, and whoever begins later comes after those in every order that anybody can
// see. That a source has started anew must not be missed: a branch is begun only on the
// incarnation of the source at which the agent has looked last (BranchOptions.Incarnation).
// Clients of the database that do not come through the agent are not held back.

// restartBarrier is what an agent knows of its source's incarnations.
type restartBarrier struct {
	incarnation string // at which it has looked last
	open        int    // branches that were prepared at an earlier one, or may have been
}

// arm takes in what a source has said of itself: if it has started anew since, or nobody
// knows, the branches that may be prepared are waited for.
func (s *state) arm(f Facts) {
	again := f.Incarnation == "" || f.Incarnation != s.barrier.incarnation
	s.barrier.incarnation = f.Incarnation
	if !f.ForgetsReads || !again || s.at.Params.InjectedBugs.UnfencedReads {
		return
	}
	for _, b := range s.branches.inOrder() {
		if b.phase != working && !b.blocksNewBranches {
			b.blocksNewBranches = true
			s.barrier.open++
		}
	}
}

// disarm takes in that a branch has ended, and lets the others go on if it was the last.
func (s *state) disarm(b *branch) {
	if !b.blocksNewBranches {
		return
	}
	if s.barrier.open--; s.barrier.open > 0 {
		return
	}
	for _, o := range s.branches.inOrder() {
		o.blockedAt = 0
		s.proceed(o)
	}
}

// blocks reports whether a branch waits before it begins.
func (s *state) blocks(b *branch) bool {
	if s.barrier.open == 0 || b.handle != nil {
		return false
	}
	if b.blockedAt == 0 {
		s.counts.FenceWaits++
		b.blockedAt = s.now()
	}
	return true
}

// blockedTooLong ends a branch that has waited as long as it may wait for a lock.
func (s *state) blockedTooLong(b *branch) {
	m := b.todo
	b.todo = nil
	s.refuse(b.gateway, m.Request, txn.KindAborted, "the source has started anew, and what was prepared there before has not ended in time",
		&txn.Fault{Code: lockWaitTimeout, State: "HY000"}, txn.CauseLockTimeout)
	s.warn(b)
	s.forget(b, txn.OutcomeAborted)
}
