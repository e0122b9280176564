package shard

import (
	"isochron/coverage"
	"isochron/reveal"
	"isochron/store"
	"isochron/txn"
)

// latestRows reads the newest rows that a replica knows: at a leader, revealed ones first.
type latestRows struct {
	state  *state
	engine store.Engine
	early  *reveal.Early // nil: nothing is revealed here
}

func (r *Replica) latest() latestRows {
	n := latestRows{state: r.state, engine: r.cfg.Engine}
	if r.lead != nil {
		n.early = r.lead.early
	}
	return n
}

// row returns the newest version of a row.
func (n *latestRows) row(k txn.Key) txn.Row {
	if n.early != nil {
		if row, ok := n.early.Get(k); ok {
			return row
		}
	}
	return n.state.cache.Latest(n.engine, k)
}

// nearest answers a nearest read and sets HasUndecidedWrite if the answer may be stale.
func (n *latestRows) nearest(m *txn.Access, warm []txn.WarmKey) *txn.AccessReply {
	out := &txn.AccessReply{Shard: n.state.id, Request: m.Request, Warm: warm}
	for _, k := range m.Keys {
		out.Rows = append(out.Rows, n.row(k))
		out.HasUndecidedWrite = out.HasUndecidedWrite || n.state.pending.Touches(k)
	}
	for _, s := range m.Scans {
		rows := n.scan(s, nil, false)
		out.Scans = append(out.Scans, rows)
		out.HasUndecidedWrite = out.HasUndecidedWrite || n.state.pending.TouchesSpan(txn.Covered(s, rows))
	}
	n.state.rules.HitIf(out.HasUndecidedWrite, coverage.UndecidedNear)
	return out
}

// at returns the timestamp of the newest version of a row in the engine.
func (n *latestRows) at(k txn.Key) txn.Timestamp { return n.state.cache.NewestAt(n.engine, k) }

// scan returns the newest live rows of a span, up to the bounds of one answer.
// skip selects rows to omit. validated: digest will be asked for the rows.
func (n *latestRows) scan(s txn.Scan, skip func(txn.Key) bool, validated bool) txn.ScanRows {
	revealed := n.revealed(s.Span)
	rows := reveal.NewWalk(store.ScanLatest(n.engine, n.state.rows, s.Span, s.Reverse), revealed, s.Reverse).Answer(s, skip)
	if validated && skip == nil && len(revealed) == 0 {
		n.state.cache.Scanned(txn.Covered(s, rows), rows.Rows, s.Reverse)
	}
	return rows
}

// revealed are the rows of a span that are revealed before they are applied.
func (n *latestRows) revealed(s txn.Span) []txn.Row {
	if n.early == nil {
		return nil
	}
	return n.early.Span(s)
}

// digest implements yield.SpanDigest.
func (n *latestRows) digest(span txn.Span, most int) (count int, digest uint64) {
	revealed := n.revealed(span)
	if len(revealed) == 0 {
		return n.state.cache.Digest(n.engine, span, most)
	}
	return reveal.NewWalk(store.ScanVersions(n.engine, n.state.rows, span, store.Newest), revealed, false).Digest(most)
}
