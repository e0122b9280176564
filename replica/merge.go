package replica

import (
	"slices"

	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// What the leader of a new view makes of the records of a majority. Every
// attempt that may have come to count stays what it was; the others are refused.
//
//   - What is decided stays so.
//   - What was accepted in the last view stays so: nothing else was proposed there.
//   - What so many have called OK, in the last view, that the rest of the replicas
//     may have made a fast path of it counts, if it fits with all of the above. If
//     it does not, it has not come to count: for whoever took in the others' end
//     would have refused it.
//   - All else has not come to count and never will: no replica of the majority
//     takes part in the last view any more.
//
// Only records of the last view in which anybody of them took part say anything
// of open attempts: whoever was left behind in an older one was outvoted when the
// later one began.

// endingsOf are all that anybody remembers.
func endingsOf(records []*txn.ViewRecord) []txn.Ending {
	var out []txn.Ending
	for _, rec := range records {
		out = append(out, rec.Endings...)
	}
	return out
}

// open is what the records say of one attempt.
type open struct {
	prepare txn.Prepare
	final   bool
	yes     bool
	agree   int
	leader  txn.Answer // of the last view's leader
}

func (r *Replica) merge(records []*txn.ViewRecord) []txn.Entry {
	for _, end := range endingsOf(records) {
		r.learn(end)
	}
	last := uint64(0)
	for _, rec := range records {
		last = max(last, rec.Normal)
	}
	all := txn.NewByAttempt[*open]()
	for _, rec := range records {
		for _, q := range rec.Fence {
			r.openOf(all, &txn.Prepare{Shard: r.cfg.ID, Attempt: q.Attempt, Txn: q.Txn, Participants: q.Participants})
		}
		if rec.Normal != last {
			continue
		}
		for _, e := range rec.Entries {
			if o := r.openOf(all, &e.Prepare); o != nil {
				o.add(e, rec.Replica == r.leaderOf(last))
			}
		}
	}
	var out []txn.Entry
	stamps := yield.NewStamps(0)
	keep := func(o *open, yes bool) {
		if yes {
			stamps.Hold(o.prepare.Attempt, o.prepare.At, claimOf(&o.prepare))
		}
		out = append(out, txn.Entry{Prepare: o.prepare, View: r.view(), Final: true, Yes: yes})
	}
	all.All(func(_ txn.Attempt, o *open) bool {
		if o.final {
			keep(o, o.yes)
		}
		return true
	})
	all.All(func(_ txn.Attempt, o *open) bool {
		if !o.final {
			keep(o, r.perhaps(o) && r.fits(stamps, &o.prepare))
		}
		return true
	})
	return out
}

// openOf finds or makes the place of an attempt; nil if it is decided.
func (r *Replica) openOf(all *txn.ByAttempt[*open], p *txn.Prepare) *open {
	if _, over := r.rec.endings.Get(p.Attempt); over || r.rec.isRetired(p.Attempt) {
		return nil
	}
	o, listed := all.Get(p.Attempt)
	if !listed {
		o = &open{prepare: *p}
		all.Set(p.Attempt, o)
	}
	if !known(&o.prepare) {
		o.prepare = *p
	}
	return o
}

func (o *open) add(e txn.Entry, leads bool) {
	if e.Final {
		o.final, o.yes = true, e.Yes
	}
	if e.Answer == txn.AnswerOK {
		o.agree++
	}
	if leads {
		o.leader = e.Answer
	}
}

// perhaps reports whether the replicas that are not heard may have made a fast
// path of what these have said.
func (r *Replica) perhaps(o *open) bool {
	need := r.cfg.Row.Decide.Perhaps(r.n())
	if r.cfg.Row.Decide.LeaderProposes() && o.leader > txn.AnswerOK {
		return false // without the leader there is no fast path
	}
	return o.agree >= need
}

// fits asks whether an attempt still fits with what is committed and with what
// counts already.
func (r *Replica) fits(stamps *yield.Stamps, p *txn.Prepare) bool {
	for _, g := range p.Guards {
		if row := r.row(g.Key); row.Value != nil && row.Version != g.Version {
			return false
		}
	}
	if answer, _ := stamps.Judge(r.cfg.Row.Yield, p.Attempt, p.At, claimOf(p)); answer != txn.AnswerOK {
		return false
	}
	if !r.cfg.Row.Yield.ByTimestamp {
		return r.newest(p) < p.At && yield.Stands(r.row, r.scan, p.Reads, p.Spans) == ""
	}
	return r.fitsAt(p)
}

// fitsAt is fits in the order of timestamps: what is committed after the attempt's
// own may have been written over what it read, and may not have read what it writes.
func (r *Replica) fitsAt(p *txn.Prepare) bool {
	before := p.At - 1
	row := func(k txn.Key) txn.Row { return store.AsOf(r.cfg.Engine, r.rec.rows, k, before) }
	scan := func(s txn.Scan) txn.ScanRows { return r.scanAsOf(s, before) }
	if yield.Stands(row, scan, p.Reads, p.Spans) != "" {
		return false
	}
	fits := true
	r.rec.endings.All(func(_ txn.Attempt, end txn.Ending) bool {
		if end.Result == txn.OutcomeCommitted && end.At > p.At {
			c := claimOf(end.Prepare)
			fits = !slices.ContainsFunc(p.Writes, func(w txn.Write) bool {
				return slices.Contains(c.Shared, w.Key) || slices.ContainsFunc(c.Spans, func(s txn.Span) bool { return s.Contains(w.Key) })
			})
		}
		return fits
	})
	return fits
}
