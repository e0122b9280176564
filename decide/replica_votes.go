package decide

import (
	"isochron/coverage"
	"isochron/txn"
)

// Votes of replicas that validate each for itself. They count within one view: a newer view voids
// those of older ones, which it has settled.

// replicaVotes are the votes of one participant's replicas, in one view.
type replicaVotes struct {
	view     uint64
	answers  map[txn.NodeID]txn.ValidationResult
	accepted map[txn.NodeID]bool  // whether each has accepted Yes or No
	leads    txn.ValidationResult // of the view's leader
	above    txn.Timestamp
	// The coordinator's proposal in this view, which never changes.
	proposed, proposedYes bool
}

// inView drops the votes of older views; false: m is of an older one.
func (o *replicaVotes) inView(view uint64) bool {
	if view < o.view {
		return false
	}
	if view > o.view || o.answers == nil {
		*o = replicaVotes{view: view, answers: map[txn.NodeID]txn.ValidationResult{}, accepted: map[txn.NodeID]bool{}, above: o.above}
	}
	return true
}

func (o *replicaVotes) count(a txn.ValidationResult) (n int) {
	for _, have := range o.answers { // order: a sum
		if have == a {
			n++
		}
	}
	return n
}

// CountReplicaVote counts the vote of one of n replicas.
func (t *Tally) CountReplicaVote(c Policy, n int, m *txn.ReplicaVote) {
	p := t.part(m.Shard)
	t.rules.HitIf(p != nil && len(p.replicaVotes.answers) > 0 && m.View != p.replicaVotes.view, coverage.TwoViews)
	if p == nil || !p.replicaVotes.inView(m.View) {
		return
	}
	o := &p.replicaVotes
	o.answers[m.Replica] = m.Result
	o.above = max(o.above, m.Above)
	if m.Leads {
		o.leads = m.Result
	}
	ok := o.count(txn.ValidationOK)
	t.rules.HitIf(c == FastWithLeader && ok >= t.fastPath(c, n) && o.leads != txn.ValidationOK, coverage.LeaderInFastPath)
	switch {
	case o.proposed: // the proposal counts, and no votes beside it
	case ok >= t.fastPath(c, n) && (o.leads == txn.ValidationOK || c != FastWithLeader):
		t.Yes(m.Shard, m.At, false)
	case t.refusalsAgreed && c.HasFastPath() && !c.LeaderProposes():
		if m.Result != txn.ValidationOK && o.count(m.Result) >= c.FastPath(n) {
			t.No() // otherwise it takes the slow path, like a Yes
		}
	case len(o.answers)-ok > n-c.FastPathPossible(n) && (!c.LeaderProposes() || o.leads > txn.ValidationOK):
		t.No() // Yes is not proposed any more, and recovery finds too few that agreed in a majority
	}
}

// fastPath is the size of a fast path, except under an injected bug.
func (t *Tally) fastPath(c Policy, n int) int {
	if t.smallFastPath {
		return c.FastPath(n) - 1
	}
	return c.FastPath(n)
}

// Accepted counts one of n replicas that has accepted the proposal.
func (t *Tally) Accepted(n int, m *txn.Accepted) {
	p := t.part(m.Shard)
	if p == nil || !p.replicaVotes.inView(m.View) {
		return
	}
	o := &p.replicaVotes
	o.accepted[m.Replica] = m.Yes
	have := 0
	for _, yes := range o.accepted { // order: a sum
		if yes == m.Yes {
			have++
		}
	}
	switch {
	case have < Majority(n):
	case m.Yes:
		t.Yes(m.Shard, m.At, false)
	default:
		t.No()
	}
}

// Propose is the value that the coordinator is to have accepted by a majority of n replicas, and
// the view, once no fast path is possible any more (late: or is no longer awaited). ok is false
// while there is nothing to propose.
//
// Invariant: the proposal of a view never changes: two majorities that accept opposite values would
// be two decisions.
func (t *Tally) Propose(c Policy, s txn.ShardID, n int, late bool) (yes bool, view uint64, ok bool) {
	p := t.part(s)
	if p == nil || p.counts() || t.verdict != Open {
		return false, 0, false
	}
	o := &p.replicaVotes
	t.rules.HitIf(o.proposed, coverage.OneProposal)
	if !o.proposed {
		agree, answered := o.count(txn.ValidationOK), len(o.answers)
		hopeless := answered-agree > n-c.FastPath(n)
		if answered < Majority(n) || !hopeless && !late && answered < n {
			return false, 0, false
		}
		yes := o.count(txn.ValidationNo) == 0 && agree >= Majority(n) || t.ignoreNo && agree > 0
		t.rules.HitIf(!yes && agree >= Majority(n), coverage.NoHonoured)
		if !yes && (o.count(txn.ValidationNo) == 0 || t.refusalsAgreed) && answered < n && !late {
			return false, 0, false // enough may still agree
		}
		o.proposed, o.proposedYes = true, yes
	}
	return o.proposedYes, o.view, true
}

// Agreed reports whether a majority of the replicas of every participant has voted OK, or the
// participant counts already; replicas returns the number of a participant's replicas. silent: no
// more votes are awaited, and a participant whose majority has answered and does not agree aborts
// the attempt.
//
// Invariant: only a commit is ever proposed, and not of an attempt that has aborted here. So an
// attempt that was not proposed never counts, and may be aborted whatever votes arrive later.
func (t *Tally) Agreed(replicas func(txn.ShardID) int, silent bool) bool {
	if t.verdict != Open {
		return false
	}
	all, any := true, false
	for i, s := range t.Participants {
		p := &t.parts[i]
		switch n, ok := replicas(s), p.replicaVotes.count(txn.ValidationOK); {
		case p.counts(), p.replicaVotes.proposed, ok >= Majority(n):
			any = true
		case silent && len(p.replicaVotes.answers) >= Majority(n):
			t.No()
			return false
		default:
			all = false
		}
	}
	t.rules.HitIf(any && !all, coverage.AgreedByAll)
	return all
}

// ProposeYes records the proposal of a participant's Yes and returns its view; ok is false if the
// participant counts already.
func (t *Tally) ProposeYes(s txn.ShardID) (view uint64, ok bool) {
	p := t.part(s)
	if p == nil || p.counts() {
		return 0, false
	}
	t.rules.HitIf(!p.replicaVotes.proposed, coverage.AcceptedFirst)
	p.replicaVotes.proposed, p.replicaVotes.proposedYes = true, true
	return p.replicaVotes.view, true
}

// View is the newest view in which a participant's replica has answered.
func (t *Tally) View(s txn.ShardID) uint64 {
	if p := t.part(s); p != nil {
		return p.replicaVotes.view
	}
	return 0
}

// Above is a timestamp above which, by the replicas' answers, a refused attempt could commit; 0 if
// it was refused for anything else.
func (t *Tally) Above() (at txn.Timestamp) {
	for i := range t.parts {
		o := &t.parts[i].replicaVotes
		if o.count(txn.ValidationNo)+o.count(txn.ValidationAbstain) > 0 {
			return 0
		}
		at = max(at, o.above)
	}
	return at
}
