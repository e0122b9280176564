package source

import "isochron/txn"

// The restart barrier. Strict two-phase locking makes transactions over several sources
// serializable: a branch keeps all its locks, those of its reads too, until it has ended. A
// prepared branch of PostgreSQL keeps them over a restart of the server. One of MariaDB or MySQL
// has only the locks of its writes after it (Facts.ForgetsReads); a transaction that begins then
// could change rows the prepared one has read, although that one commits first.
//
// So the agent blocks in their stead: after such a restart no branch begins until every branch that was
// prepared before has ended. The restart rolled back all others, and a branch that begins later follows
// them in every order a client can observe. No restart may be missed: a branch begins only at the
// incarnation that the agent has seen last (BranchOptions.Incarnation). Clients of the database that do
// not use the agent are not blocked.

// restartBarrier has an agent's knowledge of its source's incarnations.
type restartBarrier struct {
	incarnation string // seen last
	open        int    // branches prepared, or possibly prepared, at an earlier incarnation and not ended
}

// arm records a source's facts. If it has restarted, or its incarnation is unknown, new branches wait
// for all branches that may be prepared.
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

// disarm records the end of a branch; if it was the last of the barrier, blocked branches proceed.
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

// blocks reports whether a branch must wait before it begins.
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

// blockedTooLong aborts a branch that has waited behind the barrier for its bound of a lock wait.
func (s *state) blockedTooLong(b *branch) {
	m := b.todo
	b.todo = nil
	s.refuse(b.gateway, m.Request, txn.KindAborted, "the source's server restarted and its prepared transactions have not ended yet; retry the transaction",
		&txn.Fault{Code: lockWaitTimeout, State: "HY000"}, txn.CauseLockTimeout)
	s.warn(b)
	s.forget(b, txn.OutcomeAborted)
}
