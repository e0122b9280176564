package yield

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// rules decide which holders conflict with a lock set, and the result. They change nothing.
type rules struct {
	policy  Policy
	rows    *rows
	holders *holders
	hot     *hotRows
	locks   *locks
	chains  *chains
	graph   *graph
	counts  *coverage.Counts
}

// judge applies the rules to a lock set and its conflicting holders, oldest first.
func (r *rules) judge(phase Phase, id txn.ID, age txn.Age, c *LockSet, conflicts []*Holder) verdict {
	if len(conflicts) == 0 {
		return verdict{}
	}
	v := r.policy.judge(phase, age, c.HoldsNothing, conflicts, r.wounds)
	if r.counts.On() {
		r.count(phase, age, v, conflicts)
	}
	if h := r.chains.follower(id, conflicts); h != nil && v.wait != nil {
		r.counts.Hit(coverage.HotFollower)
		return verdict{victims: []txn.ID{h.Txn}}
	}
	if v.wait != nil && phase == Execute && r.walks(id, c, conflicts) && r.graph.closesCycle(id, age, conflicts, c.Exclusive) {
		r.counts.Hit(coverage.LocalDeadlock)
		return verdict{die: v.wait}
	}
	if phase.holds() && !v.granted() {
		v.victims = append(v.victims, r.preemptedWaiters(age, c, conflicts)...)
	}
	return v
}

// count counts the policy's verdict.
func (r *rules) count(phase Phase, age txn.Age, v verdict, conflicts []*Holder) {
	r.counts.HitIf(phase == Reserving && v.wait != nil, coverage.ReservingWaits)
	r.counts.HitIf(phase == Reserving && v.granted(), coverage.ReservingProceeds)
	r.counts.HitIf(phase == Prepare && v.wait != nil && r.policy.Reserves != ReservesNothing, coverage.VoteWaits)
	r.counts.HitIf(len(v.victims) > 0, coverage.WoundsYounger)
	r.counts.HitIf(v.die != nil, coverage.PrepareConflict)
	r.counts.HitIf(v.wait != nil && !phase.holds(), coverage.ReadWaitsForVote)
	r.counts.HitIf(v.wait != nil && phase == Execute && !r.policy.Detect && v.wait.Age.Older(age), coverage.YoungerWaits)
	spared := func(h *Holder) bool { return h.Voted && age.Older(h.Age) }
	r.counts.HitIf(phase.holds() && slices.ContainsFunc(conflicts, spared), coverage.VotedNotWounded)
}

// walks reports whether a wait is checked for cycles: always under policies that detect deadlocks,
// except in the queue of a hot row; elsewhere wherever a chain is involved.
func (r *rules) walks(id txn.ID, c *LockSet, conflicts []*Holder) bool {
	if r.policy.Detect {
		return !c.HoldsNothing || !r.hot.alone(c)
	}
	return r.holders.get(id).inChain() || slices.ContainsFunc(conflicts, (*Holder).inChain)
}

// conflicts lists the conflicting holders, oldest first, each once.
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
	joins, known := false, false // computed once, and only where there is a chain
	for _, k := range c.Exclusive {
		if p, ok := r.rows.Get(k); ok {
			if !known && len(p.chain) > 0 {
				joins, known = !c.CommittedOnly && r.chains.joins(phase, id, c.Exclusive), true
			}
			r.inTheWay(p, phase, id, age, c.HoldsNothing, joins, add)
		}
		for _, s := range r.locks.spans {
			r.counts.HitIf(r.counts.On() && phase.holds() && s.holder.Txn != id && s.span.Contains(k), coverage.RangeLocked)
			if s.span.Contains(k) {
				add(s.holder)
			}
		}
	}
	for _, s := range c.Spans {
		r.rows.in(s, func(p *lockState) {
			add(p.exclusive)
			for _, h := range p.chain {
				add(h)
			}
			r.counts.HitIf(p.exclusive != nil && p.exclusive.Txn != id, coverage.RangeOverWrites)
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

// inTheWay adds the holders that conflict with an exclusive lock of a row.
func (r *rules) inTheWay(p *lockState, phase Phase, id txn.ID, age txn.Age, fresh, joins bool, add func(*Holder)) {
	if place := p.chainIndex(id); place >= 0 {
		for _, h := range p.chain[:place] { // successors in the chain wait for this transaction
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
