package shard

import (
	"fmt"

	"isochron/coverage"
	"isochron/decide"
	"isochron/txn"
	"isochron/yield"
)

// decisionHandler ends attempts at a leader: a decision is revealed and releases its locks immediately, then it
// is logged; requesters get the state of the log.
type decisionHandler struct {
	cfg   *Config
	clock *txn.Clock
	log   proposer

	known   *attempts
	depends *dependencyTracker
	locks   *locks
	orphans *decide.Orphans
	barrier *leaderBarrier
	replies replySender
	leases  *yield.Leases // nil: the protocol has no row leases
}

// OnDecide receives the outcome of an attempt. A commit is revealed and its locks are
// released immediately, before the decision is logged: it follows from logged
// votes, and any later leader derives the same outcome.
func (r *Replica) OnDecide(from txn.NodeID, d *txn.Decide) {
	if !r.Serving() {
		r.notLeader(from, txn.NotLeader{Attempt: d.Attempt})
		return
	}
	r.lead.decisions.decide(from, d)
}

func (e *decisionHandler) decide(from txn.NodeID, d *txn.Decide) {
	v, left := e.known.left(from, d.Attempt)
	switch {
	case left == leftToLog:
	case left == leftNothing:
		e.replies.ack(from, d.Attempt)
	case left == leftOpen:
		e.decideVote(from, d, v)
	case d.Commit && !e.barrier.leased(): // probably deposed: the coordinator resends it to the leader that has the vote
	case d.Commit:
		panic(fmt.Sprintf("shard %d: received a decision to commit %v, but the log has no vote for it", e.cfg.ID, d.Attempt))
	default:
		e.abortUnvoted(d)
		// An acknowledgement without a vote makes a statement about the log. A leader that may be
		// deposed does not know its successor's log.
		e.barrier.then(func() { e.replies.ack(from, d.Attempt) })
	}
}

// decideVote ends an attempt whose vote is undecided.
func (e *decisionHandler) decideVote(from txn.NodeID, d *txn.Decide, v *voteCmd) {
	a := d.Attempt
	if d.Commit && !e.abortAssumed(from, v) {
		return // the coordinator resends it
	}
	if !e.log.propose(command{Decide: &decideCmd{Attempt: a, Commit: d.Commit, At: d.At, Writes: d.Writes}}) {
		return // the coordinator resends it
	}
	e.known.deciding[a] = &decidingVote{commit: d.Commit, at: d.At, to: []txn.NodeID{from}}
	if d.Commit {
		v = v.with(d.Writes)
	}
	e.depends.ended(v, d.Commit)
	if d.Commit {
		e.clock.Observe(d.At)
		e.leases.Wrote(v.Writes, d.At)
	}
	switch {
	case d.Commit && e.cfg.Spec.Reveal.Logged():
		e.cfg.Env.Trace("shard %d: logs the commit of %v", e.cfg.ID, v.Txn)
		return // its locks are released when the log has it
	case !d.Commit && e.cfg.Params.AbortsLikeCommits && e.cfg.Spec.Reveal.Logged():
		e.cfg.Env.Trace("shard %d: logs the abort of %v", e.cfg.ID, v.Txn)
		return
	case d.Commit:
		// The vote may not be applied here yet: other nodes know a majority
		// that has it, and the decision follows it in the log.
		e.cfg.Env.Trace("shard %d: commits %v, its writes are revealed and its locks released", e.cfg.ID, v.Txn)
	default:
		e.cfg.Env.Trace("shard %d: aborts %v", e.cfg.ID, v.Txn)
	}
	// The next holder of these locks votes after the decision in the log, so
	// no log has both votes undecided, whether the decision is applied or not.
	e.locks.release(v.Txn, d.Commit)
}

// abortUnvoted ends an attempt that has no vote here, and ensures that it
// gets none in this term, the only one in which its Prepare is valid.
func (e *decisionHandler) abortUnvoted(d *txn.Decide) {
	e.known.refuse(d.Attempt)
	e.known.stopWaiting(e.locks.Table, d.Attempt)
	e.locks.drop(d.Txn)
}

// OnPreCommit ends an attempt's concurrency control, or only reveals its writes.
func (r *Replica) OnPreCommit(m *txn.PreCommit) {
	if r.Serving() && r.cfg.Spec.Reveal.WhenVoted() {
		r.lead.decisions.preCommit(m.Attempt, m.At)
	}
}

func (e *decisionHandler) preCommit(a txn.Attempt, at txn.Timestamp) {
	v := e.known.undecided(a)
	if v == nil || e.known.early.Revealed(a) || e.known.deciding[a] != nil || e.known.isRecord(a) {
		return
	}
	if _, doomed := e.known.conditional(a); doomed {
		e.cfg.Params.Rules.Hit(coverage.DoomedStays)
		return
	}
	e.clock.Observe(at)
	e.depends.reveal(v)
	if e.cfg.Spec.Reveal.KeepsLocks() {
		e.cfg.Params.Rules.Hit(coverage.RevealedByAll)
		e.cfg.Env.Trace("shard %d: %v is validated by all, its writes can be read and its locks are kept", e.cfg.ID, v.Txn)
		e.locks.Reveal(v.Txn)
		return
	}
	e.cfg.Env.Trace("shard %d: pre-commits %v, its writes can be read and its locks are released", e.cfg.ID, v.Txn)
	e.locks.release(v.Txn, true)
}

// OnInquire returns the state of an attempt in the log, and fences the attempt if the log
// has none.
func (r *Replica) OnInquire(from txn.NodeID, q *txn.Inquire) {
	if !r.Serving() {
		r.notLeader(from, txn.NotLeader{Attempt: q.Attempt})
		return
	}
	r.lead.decisions.inquire(from, q)
}

func (e *decisionHandler) inquire(from txn.NodeID, q *txn.Inquire) {
	a := q.Attempt
	if v := e.known.voting[a]; v != nil {
		v.inquirers = addNode(v.inquirers, from)
		return
	}
	if e.find(from, a) {
		return
	}
	e.known.stopWaiting(e.locks.Table, a)
	if e.cfg.Params.InjectedBugs.ForgetFence {
		e.replies.finding(from, txn.InquireReply{Attempt: a, Result: txn.OutcomeNo})
		return
	}
	e.known.refuse(a)
	if to := e.known.fencing[a]; to != nil {
		e.known.fencing[a] = addNode(to, from)
		return
	}
	if e.log.propose(command{Fence: &fenceCmd{Attempt: a}}) {
		e.known.fencing[a] = []txn.NodeID{from}
		e.cfg.Env.Trace("shard %d: has no vote of %v and fences it", e.cfg.ID, a)
	}
	e.locks.drop(q.Txn)
}

// find answers from the state; false if it does not contain the attempt.
func (e *decisionHandler) find(to txn.NodeID, a txn.Attempt) bool {
	f, ok := e.known.finding(a)
	if ok {
		e.replies.finding(to, f)
	}
	return ok
}

// applied handles the effect of an applied command on an attempt.
func (e *decisionHandler) applied(did effect) {
	switch {
	case did.voted != nil || did.void:
		e.appliedVote(did)
	case did.ended != nil:
		e.appliedDecision(did)
	case did.fenced:
		for _, to := range e.known.fencing[did.attempt] {
			e.find(to, did.attempt)
		}
		delete(e.known.fencing, did.attempt)
		e.ackDecision(did.attempt)
	}
}

func (e *decisionHandler) appliedVote(did effect) {
	a := did.attempt
	v, vote := e.known.voted(did)
	if v == nil {
		return // of an earlier leader; restore handles it
	}
	switch {
	case did.void:
		e.depends.ended(v.cmd, false)
	case did.voted.OnePhase:
		e.depends.committed(v.cmd)
		e.leases.Wrote(v.cmd.Writes, v.cmd.Proposed)
	}
	if did.void || did.voted.OnePhase {
		e.orphans.Ended(a)
		e.locks.release(v.id, !did.void)
	}
	for _, to := range v.to {
		e.replies.vote(to, vote)
	}
	for _, to := range v.inquirers {
		e.find(to, a)
	}
}

func (e *decisionHandler) appliedDecision(did effect) {
	a := did.attempt
	if e.known.deciding[a] == nil { // an earlier leader logged the decision
		e.depends.ended(&did.ended.voteCmd, did.commit)
	}
	if did.commit {
		e.depends.applied(&did.ended.voteCmd)
	}
	e.orphans.Ended(a)
	if did.commit && e.cfg.Spec.Reveal.Logged() {
		e.cfg.Env.Trace("shard %d: has the commit of %v in its log, its writes are revealed and its locks released", e.cfg.ID, did.ended.Txn)
	}
	e.locks.release(did.ended.Txn, did.commit) // also if an earlier leader decided it
	e.ackDecision(a)
}

// ackDecision acknowledges a logged decision to the nodes that wait for it.
func (e *decisionHandler) ackDecision(a txn.Attempt) {
	for _, to := range e.known.decided(a) {
		e.replies.ack(to, a)
	}
}
