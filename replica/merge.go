package replica

import (
	"slices"

	"isochron/coverage"
	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// Merging the records of a majority by the leader of a new view. Every
// attempt that may have been voted Yes keeps its vote; the others are refused.
//
//   - Decided attempts stay decided.
//   - An attempt accepted in the last view keeps that vote: no other was proposed there.
//   - An attempt with so many OK results in the last view that the other replicas
//     may have completed a fast path is Yes, if it does not conflict with the above.
//   - All others were not voted Yes and never will be: no replica of the majority
//     takes part in the last view any more.
//
// For open attempts only records of the last view in which any of the replicas took part
// count: a replica left behind in an older view was outvoted when the
// later one began.
//
// If an attempt X that may have had its fast path conflicts with an attempt Y that
// was accepted or committed, both may still have been voted Yes, one after
// the end of the other. But no replica accepts one of them while the other is open
// there (accept.go). So the replicas whose records have X open did not accept Y, unless
// they knew Y's end when they validated X as OK: then they do not conflict. Hence:
//
//   - if too few other replicas remain for a majority for Y, Y was not voted Yes
//     beside X. With three replicas this is always the case.
//   - otherwise the records of a majority are not sufficient, and the view waits for one more.
//     The records of all replicas are always sufficient.
//
// The commit of Y is dropped once all replicas know it. By timestamp Y leaves too
// little information then, because it may have read a row before X writes it; so a replica that learns of
// Y's commit marks X as overtaken (outvote), and X's OK no longer counts for a fast
// path; and during a change of views, after it has sent its record, a replica
// acknowledges no decision and drops none.

// endingsOf returns all decided entries in the records.
func endingsOf(records []*txn.ViewRecord) []txn.DecidedEntry {
	var out []txn.DecidedEntry
	for _, rec := range records {
		out = append(out, rec.Decided...)
	}
	return out
}

// open is the state of one attempt in the records.
type open struct {
	prepare txn.Prepare
	final   bool
	yes     bool
	agree   int
	leader  txn.ValidationResult // at the last view's leader
}

// merger computes the start of a view from records. It changes no state.
type merger struct {
	*member
	rows committed
}

// merge settles all open attempts in the records of a majority or more; enough is
// false if one more record is needed. The records' decided entries must have been learned before.
func (g *merger) merge(records []*txn.ViewRecord) (settled []txn.Entry, enough bool) {
	all, timestamps := g.openIn(records), yield.NewTimestampTable(0)
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
				keep(o, g.fits(timestamps, &o.prepare))
			}
		},
		func(o *open) {
			if o.final {
				keep(o, o.yes && !g.clash(timestamps, &o.prepare))
			}
		},
		func(o *open) {
			if o.final || g.fastPathPossible(o, len(records)) && g.excludes(o) {
				return
			}
			may := g.fastPathPossible(o, len(records))
			fits := may && g.fits(timestamps, &o.prepare)
			enough = enough && fits == may
			keep(o, fits)
		},
	} {
		all.All(func(_ txn.Attempt, o *open) bool {
			step(o)
			return true
		})
		for _, o := range kept {
			timestamps.Hold(o.prepare.Attempt, o.prepare.At, lockSetOf(&o.prepare))
		}
		kept = nil
	}
	return settled, enough
}

// openIn collects the undecided attempts in the records.
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

// openOf returns the entry of an attempt, new if needed; nil if the attempt is decided.
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

// fastPathPossible reports whether the replicas whose records are missing may have completed
// a fast path.
func (g *merger) fastPathPossible(o *open, received int) bool {
	if g.cfg.Spec.Decide.LeaderProposes() && o.leader > txn.ValidationOK {
		return false // a fast path needs the leader
	}
	return o.agree+g.n()-received >= g.cfg.Spec.Decide.FastPath(g.n())
}

// excludes reports whether so many replicas have an attempt open that no conflicting one
// was voted Yes.
func (g *merger) excludes(o *open) bool { return o.agree+g.majority() > g.n() }

func (g *merger) clash(timestamps *yield.TimestampTable, p *txn.Prepare) bool {
	return timestamps.Clashes(g.cfg.Spec.Yield, p.Attempt, p.At, lockSetOf(p))
}

// fits reports whether an attempt conflicts neither with committed transactions nor with
// those already kept.
func (g *merger) fits(timestamps *yield.TimestampTable, p *txn.Prepare) bool {
	switch {
	case g.clash(timestamps, p):
		return false
	case g.cfg.Spec.Yield.ByTimestamp:
		return g.fitsAt(p)
	}
	return g.rows.newest(p, false) < p.At && yield.Guarded(g.rows.row, p.SchemaChecks) && yield.StillValid(g.rows.row, g.rows.digest, p.Reads, p.Spans) == txn.NotRefused
}

// fitsAt is fits in timestamp order: commits after the attempt's
// timestamp may overwrite its reads, and must not have missed its writes.
func (g *merger) fitsAt(p *txn.Prepare) bool {
	before := p.At - 1
	row := func(k txn.Key) txn.Row { return store.AsOf(g.cfg.Engine, g.rec.rows, k, before) }
	digest := func(span txn.Span, most int) (int, uint64) { return g.rows.digestAsOf(span, most, before) }
	if !yield.Guarded(row, p.SchemaChecks) || yield.StillValid(row, digest, p.Reads, p.Spans) != txn.NotRefused {
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

// missed reports whether later has read a row that p writes, and not p's version.
func missed(later, p *txn.Prepare) bool {
	return slices.ContainsFunc(p.Writes, func(w txn.Write) bool {
		read := func(c txn.ReadCheck) bool { return c.Key == w.Key && c.Version != p.Attempt }
		return slices.ContainsFunc(later.Reads, read) || slices.ContainsFunc(later.SchemaChecks, read) ||
			slices.ContainsFunc(later.Spans, func(s txn.SpanCheck) bool { return s.Span.Contains(w.Key) })
	})
}
