package decide

import (
	"isochron/rulebook"
	"isochron/txn"
)

// Opinions of replicas that validate each for itself. They count within one
// view: a newer view makes those of older ones void, for it has settled them.

// opinions are those of one participant's replicas, in one view.
type opinions struct {
	view     uint64
	answers  map[txn.NodeID]txn.Answer
	accepted map[txn.NodeID]bool // what each has taken in: Yes or not
	leads    txn.Answer          // of the view's leader
	above    txn.Timestamp
	// What the coordinator has proposed in this view: it never proposes otherwise.
	proposed, proposedYes bool
}

// inView forgets what was said in older views; false: m is of an older one.
func (o *opinions) inView(view uint64) bool {
	if view < o.view {
		return false
	}
	if view > o.view || o.answers == nil {
		*o = opinions{view: view, answers: map[txn.NodeID]txn.Answer{}, accepted: map[txn.NodeID]bool{}, above: o.above}
	}
	return true
}

func (o *opinions) count(a txn.Answer) (n int) {
	for _, have := range o.answers { // order: a sum
		if have == a {
			n++
		}
	}
	return n
}

// Opine counts an opinion of one of n replicas.
func (t *Tally) Opine(c Choice, n int, m *txn.Opinion) {
	p := t.part(m.Shard)
	t.rules.BiteIf(p != nil && len(p.opinions.answers) > 0 && m.View != p.opinions.view, rulebook.TwoViews)
	if p == nil || !p.opinions.inView(m.View) {
		return
	}
	o := &p.opinions
	o.answers[m.Replica] = m.Answer
	o.above = max(o.above, m.Above)
	if m.Leads {
		o.leads = m.Answer
	}
	ok := o.count(txn.AnswerOK)
	t.rules.BiteIf(c == FastWithLeader && ok >= t.fastPath(c, n) && o.leads != txn.AnswerOK, rulebook.LeaderInFastPath)
	switch {
	case o.proposed: // what was proposed counts, and no opinion beside it
	case ok >= t.fastPath(c, n) && (o.leads == txn.AnswerOK || c != FastWithLeader):
		t.Yes(m.Shard, m.At, false)
	case t.refusalsAgreed && c.HasFastPath() && !c.LeaderProposes():
		if m.Answer != txn.AnswerOK && o.count(m.Answer) >= c.FastPath(n) {
			t.No() // else it takes the slow path, as what is agreed to does
		}
	case len(o.answers)-ok > n-c.Perhaps(n) && (!c.LeaderProposes() || o.leads > txn.AnswerOK):
		t.No() // nobody proposes Yes, and who asks a majority finds too few who agreed
	}
}

// fastPath is what makes a fast path, but for a planted bug.
func (t *Tally) fastPath(c Choice, n int) int {
	if t.smallFastPath {
		return c.FastPath(n) - 1
	}
	return c.FastPath(n)
}

// Accepted counts one of n replicas that has taken in what was proposed.
func (t *Tally) Accepted(n int, m *txn.Accepted) {
	p := t.part(m.Shard)
	if p == nil || !p.opinions.inView(m.View) {
		return
	}
	o := &p.opinions
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

// Propose is what the coordinator is to have a majority of n replicas take in,
// and in which view, once no fast path can come any more (late: or will be
// waited for no longer). ok is false while there is nothing to propose.
//
// Invariant: in one view it is always the same, for two majorities that take in
// opposite things would be two decisions.
func (t *Tally) Propose(c Choice, s txn.ShardID, n int, late bool) (yes bool, view uint64, ok bool) {
	p := t.part(s)
	if p == nil || p.counts() || t.verdict != Open {
		return false, 0, false
	}
	o := &p.opinions
	t.rules.BiteIf(o.proposed, rulebook.OneProposal)
	if !o.proposed {
		agree, answered := o.count(txn.AnswerOK), len(o.answers)
		hopeless := answered-agree > n-c.FastPath(n)
		if answered < Majority(n) || !hopeless && !late && answered < n {
			return false, 0, false
		}
		yes := o.count(txn.AnswerNo) == 0 && agree >= Majority(n) || t.ignoreNo && agree > 0
		t.rules.BiteIf(!yes && agree >= Majority(n), rulebook.NoHeeded)
		if !yes && (o.count(txn.AnswerNo) == 0 || t.refusalsAgreed) && answered < n && !late {
			return false, 0, false // enough may still agree
		}
		o.proposed, o.proposedYes = true, yes
	}
	return o.proposedYes, o.view, true
}

// Agreed reports whether a majority of the replicas of every participant has called the attempt
// OK, or counts already; replicas says how many a participant has. Silent is whether nobody else
// is waited for: a participant whose majority has answered and does not agree aborts then.
//
// Invariant: a commit alone is ever proposed, and not of an attempt that has aborted here. So one
// that was not proposed never comes to count, and it may be aborted whoever votes for it later.
func (t *Tally) Agreed(replicas func(txn.ShardID) int, silent bool) bool {
	if t.verdict != Open {
		return false
	}
	all, any := true, false
	for i, s := range t.Participants {
		p := &t.parts[i]
		switch n, ok := replicas(s), p.opinions.count(txn.AnswerOK); {
		case p.counts(), p.opinions.proposed, ok >= Majority(n):
			any = true
		case silent && len(p.opinions.answers) >= Majority(n):
			t.No()
			return false
		default:
			all = false
		}
	}
	t.rules.BiteIf(any && !all, rulebook.AgreedByAll)
	return all
}

// ProposeYes has a participant's Yes proposed, and says in which view; ok is false if it counts
// already.
func (t *Tally) ProposeYes(s txn.ShardID) (view uint64, ok bool) {
	p := t.part(s)
	if p == nil || p.counts() {
		return 0, false
	}
	t.rules.BiteIf(!p.opinions.proposed, rulebook.AcceptedFirst)
	p.opinions.proposed, p.opinions.proposedYes = true, true
	return p.opinions.view, true
}

// View is the newest in which a participant's replica has spoken.
func (t *Tally) View(s txn.ShardID) uint64 {
	if p := t.part(s); p != nil {
		return p.opinions.view
	}
	return 0
}

// Above is a timestamp above which, as far as replicas have said, a refused
// attempt would fit; 0 if it was refused for anything else.
func (t *Tally) Above() (at txn.Timestamp) {
	for i := range t.parts {
		o := &t.parts[i].opinions
		if o.count(txn.AnswerNo)+o.count(txn.AnswerAbstain) > 0 {
			return 0
		}
		at = max(at, o.above)
	}
	return at
}
