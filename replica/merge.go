package replica

import (
	"slices"

	"isochron/coverage"
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
//     may have made a fast path of it counts, if it fits with all of the above.
//   - All else has not come to count and never will: no replica of the majority
//     takes part in the last view any more.
//
// Only records of the last view in which anybody of them took part say anything
// of open attempts: whoever was left behind in an older one was outvoted when the
// later one began.
//
// If an attempt X that may have had its fast path clashes with an attempt Y that
// was accepted or committed, both may have come to count all the same, one after
// the end of the other. But no replica takes in one of them while the other is open
// there (accept.go). So those in whose records X is open were none of Y's, unless
// they knew Y's end when they called X OK: then they do not clash. Hence:
//
//   - if too few others are left to have made a majority for Y, Y has not come to
//     count beside X. With three replicas it is always so.
//   - else the records of a majority cannot tell, and the view waits for one more.
//     Of all replicas' records some can always tell.
//
// That Y was committed is forgotten once all replicas know it. By timestamp Y leaves too
// little behind then, for it may have read a row before X writes it; so whoever hears of
// Y's commit remembers with X that it was overtaken (outvote), and its OK is no part of a fast
// path any more; and in a change of views, after it has told what it remembers, it
// acknowledges no end and forgets none.

// endingsOf are all that anybody remembers.
func endingsOf(records []*txn.ViewRecord) []txn.DecidedEntry {
	var out []txn.DecidedEntry
	for _, rec := range records {
		out = append(out, rec.Decided...)
	}
	return out
}

// open is what the records say of one attempt.
type open struct {
	prepare txn.Prepare
	final   bool
	yes     bool
	agree   int
	leader  txn.ValidationResult // of the last view's leader
}

// merger makes the beginning of a view out of records. It changes nothing here.
type merger struct {
	*member
	rows committed
}

// merge settles all that is open in the records of a majority or more; enough is
// false if one more is needed for that. The records' endings have been learned before.
func (g *merger) merge(records []*txn.ViewRecord) (settled []txn.Entry, enough bool) {
	all, stamps := g.openIn(records), yield.NewTimestampTable(0)
	var kept []*open
	keep := func(o *open, yes bool) {
		g.cfg.Params.Rules.HitIf(o.final, coverage.AcceptedKept)
		g.cfg.Params.Rules.HitIf(!o.final && yes, coverage.FastPathKept)
		if yes {
			kept = append(kept, o)
		}
		settled = append(settled, txn.Entry{Prepare: o.prepare, View: g.view(), Final: true, Yes: yes})
	}
	enough = true
	for _, step := range []func(o *open){
		func(o *open) {
			if !o.final && g.fastPathPossible(o, len(records)) && g.excludes(o) {
				keep(o, g.fits(stamps, &o.prepare))
			}
		},
		func(o *open) {
			if o.final {
				keep(o, o.yes && !g.clash(stamps, &o.prepare))
			}
		},
		func(o *open) {
			if o.final || g.fastPathPossible(o, len(records)) && g.excludes(o) {
				return
			}
			may := g.fastPathPossible(o, len(records))
			fits := may && g.fits(stamps, &o.prepare)
			enough = enough && fits == may
			keep(o, fits)
		},
	} {
		all.All(func(_ txn.Attempt, o *open) bool {
			step(o)
			return true
		})
		for _, o := range kept {
			stamps.Hold(o.prepare.Attempt, o.prepare.At, lockSetOf(&o.prepare))
		}
		kept = nil
	}
	return settled, enough
}

// openIn collects what the records say of attempts that are not decided.
func (g *merger) openIn(records []*txn.ViewRecord) *txn.ByAttempt[*open] {
	last := uint64(0)
	for _, rec := range records {
		last = max(last, rec.Normal)
	}
	all := txn.NewByAttempt[*open]()
	for _, rec := range records {
		for _, q := range rec.Fence {
			g.openOf(all, &txn.Prepare{Shard: g.cfg.ID, Attempt: q.Attempt, Txn: q.Txn, Participants: q.Participants})
		}
		if rec.Normal != last {
			g.cfg.Params.Rules.HitIf(len(rec.Entries) > 0, coverage.OldRecords)
			continue
		}
		for _, e := range rec.Entries {
			if o := g.openOf(all, &e.Prepare); o != nil {
				o.add(e, rec.Replica == g.leaderOf(last))
			}
		}
	}
	return all
}

// openOf finds or makes the place of an attempt; nil if it is decided.
func (g *merger) openOf(all *txn.ByAttempt[*open], p *txn.Prepare) *open {
	if _, over := g.rec.decidedEntries.Get(p.Attempt); over || g.rec.isRetired(p.Attempt) {
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
	if e.Result == txn.ValidationOK && !e.Overtaken {
		o.agree++
	}
	if leads {
		o.leader = e.Result
	}
}

// fastPathPossible reports whether the replicas that are not among the heard may have made
// a fast path of what these have said.
func (g *merger) fastPathPossible(o *open, received int) bool {
	if g.cfg.Spec.Decide.LeaderProposes() && o.leader > txn.ValidationOK {
		return false // without the leader there is no fast path
	}
	return o.agree+g.n()-received >= g.cfg.Spec.Decide.FastPath(g.n())
}

// excludes reports whether so many have an attempt open that what clashes with it
// has not come to count.
func (g *merger) excludes(o *open) bool { return o.agree+g.majority() > g.n() }

func (g *merger) clash(stamps *yield.TimestampTable, p *txn.Prepare) bool {
	return stamps.Clashes(g.cfg.Spec.Yield, p.Attempt, p.At, lockSetOf(p))
}

// fits asks whether an attempt still fits with what is committed and with what
// counts already.
func (g *merger) fits(stamps *yield.TimestampTable, p *txn.Prepare) bool {
	switch {
	case g.clash(stamps, p):
		return false
	case g.cfg.Spec.Yield.ByTimestamp:
		return g.fitsAt(p)
	}
	return g.rows.newest(p, false) < p.At && yield.Guarded(g.rows.row, p.SchemaChecks) && yield.StillValid(g.rows.row, g.rows.scan, p.Reads, p.Spans) == txn.NotRefused
}

// fitsAt is fits in the order of timestamps: what is committed after the attempt's
// own may have been written over what it read, and may not have missed what it writes.
func (g *merger) fitsAt(p *txn.Prepare) bool {
	before := p.At - 1
	row := func(k txn.Key) txn.Row { return store.AsOf(g.cfg.Engine, g.rec.rows, k, before) }
	scan := func(s txn.Scan) txn.ScanRows { return g.rows.scanAsOf(s, before) }
	if !yield.Guarded(row, p.SchemaChecks) || yield.StillValid(row, scan, p.Reads, p.Spans) != txn.NotRefused {
		return false
	}
	fits := true
	g.rec.decidedEntries.All(func(_ txn.Attempt, end txn.DecidedEntry) bool {
		if end.Result == txn.OutcomeCommitted && end.At > p.At {
			fits = !missed(end.Prepare, p)
		}
		return fits
	})
	return fits
}

// missed reports whether a later one has read a row that p writes, and not from p.
func missed(later, p *txn.Prepare) bool {
	return slices.ContainsFunc(p.Writes, func(w txn.Write) bool {
		read := func(c txn.ReadCheck) bool { return c.Key == w.Key && c.Version != p.Attempt }
		return slices.ContainsFunc(later.Reads, read) || slices.ContainsFunc(later.SchemaChecks, read) ||
			slices.ContainsFunc(later.Spans, func(s txn.SpanCheck) bool { return s.Span.Contains(w.Key) })
	})
}
