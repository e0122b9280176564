package yield

import (
	"slices"

	"isochron/rulebook"
	"isochron/txn"
)

// rules say who is in the way of a lock set, and what comes of that. They change nothing.
type rules struct {
	policy  Policy
	rows    *rows
	holders *holders
	hot     *hotRows
	locks   *locks
	chains  *chains
	graph   *graph
	counts  *rulebook.Counts
}

// judge is what the rules say of a lock set with which these are in conflict, oldest first.
func (r *rules) judge(phase Phase, id txn.ID, age txn.Age, c *LockSet, conflicts []*Holder) verdict {
	if len(conflicts) == 0 {
		return verdict{}
	}
	v := r.policy.judge(phase, age, c.Fresh, conflicts, r.wounds)
	if r.counts.On() {
		r.count(phase, age, v, conflicts)
	}
	if h := r.chains.follower(id, conflicts); h != nil && v.wait != nil {
		r.counts.Bite(rulebook.HotFollower)
		return verdict{victims: []txn.ID{h.Txn}}
	}
	if v.wait != nil && phase == Execute && r.walks(id, c, conflicts) && r.graph.closesCycle(id, age, conflicts, c.Exclusive) {
		r.counts.Bite(rulebook.LocalDeadlock)
		return verdict{die: v.wait}
	}
	if phase.holds() && !v.granted() {
		v.victims = append(v.victims, r.preemptedWaiters(age, c, conflicts)...)
	}
	return v
}

// count counts what the policy has said of a lock set.
func (r *rules) count(phase Phase, age txn.Age, v verdict, conflicts []*Holder) {
	r.counts.BiteIf(phase == Reserving && v.wait != nil, rulebook.ReservingWaits)
	r.counts.BiteIf(phase == Reserving && v.granted(), rulebook.ReservingProceeds)
	r.counts.BiteIf(phase == Prepare && v.wait != nil && r.policy.Reserves != ReservesNothing, rulebook.VoteWaits)
	r.counts.BiteIf(len(v.victims) > 0, rulebook.WoundsYounger)
	r.counts.BiteIf(v.die != nil, rulebook.VoteGivesWay)
	r.counts.BiteIf(v.wait != nil && !phase.holds(), rulebook.ReadWaitsForVote)
	r.counts.BiteIf(v.wait != nil && phase == Execute && !r.policy.Detect && v.wait.Age.Older(age), rulebook.YoungerWaits)
	spared := func(h *Holder) bool { return h.Voted && age.Older(h.Age) }
	r.counts.BiteIf(phase.holds() && slices.ContainsFunc(conflicts, spared), rulebook.VotedNotWounded)
}

// walks reports whether a wait is to be looked at for cycles: always where the
// policy detects them, but in the queue of a hot row; and wherever chains have a part.
func (r *rules) walks(id txn.ID, c *LockSet, conflicts []*Holder) bool {
	if r.policy.Detect {
		return !c.Fresh || !r.hot.alone(c)
	}
	return r.holders.get(id).inChain() || slices.ContainsFunc(conflicts, (*Holder).inChain)
}

// conflicts lists the holders in the way, oldest first, each once.
func (r *rules) conflicts(phase Phase, id txn.ID, age txn.Age, c *LockSet) []*Holder {
	var out []*Holder
	add := func(h *Holder) {
		if h != nil && h.Txn != id && (h.Voted || phase.holds()) && !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	for _, k := range c.Shared {
		if p, ok := r.rows.Get(k); ok {
			add(p.exclusive)
			for _, h := range p.chain {
				add(h)
			}
		}
	}
	joins, known := false, false // it is asked where there is a chain, and once
	for _, k := range c.Exclusive {
		if p, ok := r.rows.Get(k); ok {
			if !known && len(p.chain) > 0 {
				joins, known = !c.Sure && r.chains.joins(phase, id, c.Exclusive), true
			}
			r.inTheWay(p, phase, id, age, c.Fresh, joins, add)
		}
		for _, s := range r.locks.spans {
			r.counts.BiteIf(r.counts.On() && phase.holds() && s.holder.Txn != id && s.span.Contains(k), rulebook.RangeLocked)
			if s.span.Contains(k) {
				add(s.holder)
			}
		}
	}
	for _, s := range c.Spans {
		r.rows.in(s, func(p *point) {
			add(p.exclusive)
			for _, h := range p.chain {
				add(h)
			}
			r.counts.BiteIf(p.exclusive != nil && p.exclusive.Txn != id, rulebook.RangeOverWrites)
		})
	}
	if len(out) > 1 {
		slices.SortFunc(out, func(a, b *Holder) int {
			if a.Age.Older(b.Age) {
				return -1
			}
			return 1
		})
	}
	return out
}

// inTheWay adds who is in the way of a row's exclusive lock.
func (r *rules) inTheWay(p *point, phase Phase, id txn.ID, age txn.Age, fresh, joins bool, add func(*Holder)) {
	if place := p.place(id); place >= 0 {
		for _, h := range p.chain[:place] { // whoever stands behind waits for this one
			add(h)
		}
		return
	}
	add(p.exclusive)
	for _, h := range p.shared {
		add(h)
	}
	if len(p.chain) == 0 || p.exclusive != nil && p.exclusive.Txn == id && phase == Execute {
		return
	}
	if !joins || r.chains.closed(p, age, fresh) {
		for _, h := range p.chain {
			add(h)
		}
		return
	}
	if r.policy.Hot == Retire {
		for _, h := range p.chain {
			if age.Older(h.Age) {
				add(h)
			}
		}
	}
}
