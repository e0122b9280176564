package shard

import (
	"slices"

	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// Snapshot isolation: who has read at a moment may lock and write only what nobody
// has written since. A locking read is refused if it meets such a row, or a range
// from which one is gone; so is a Prepare that writes one.

// forbids is why a read cannot be answered whatever locks are free, if it cannot.
func (l *leadership) forbids(m *txn.Access, c yield.Claim) txn.Refusal {
	if !yield.Guarded(l.r.row, m.Guards) {
		return txn.WhySchemaChanged.Refusal()
	}
	return l.refusedSince(m.Txn, m.Since, slices.Concat(c.Shared, c.Exclusive), c.Spans)
}

// refusedSince is why a read with locks or a Prepare of a transaction that reads at
// a moment cannot be, if it cannot.
func (l *leadership) refusedSince(id txn.ID, since txn.Timestamp, keys []txn.Key, spans []txn.Span) txn.Refusal {
	r := l.r
	switch {
	case since == 0:
		return txn.Refusal{}
	case since < r.state.applied.Keep:
		return txn.WhyMomentTooOld.Refusal() // deletions may have been collected
	}
	for _, k := range keys {
		if r.newestAt(k) > since {
			return txn.WhyWrittenSince.Refusal()
		}
	}
	for _, s := range spans {
		if store.WrittenSince(r.cfg.Engine, r.state.rows, s, since) {
			return txn.WhyWrittenSince.Refusal()
		}
	}
	for _, k := range keys {
		if _, uncommitted := l.locks.Last(k, id); uncommitted {
			return txn.WhyWrittenSince.Refusal() // by one before it in the chain of the row
		}
	}
	if l.known.writingSince(since, asked{setOf(keys), scansOf(spans)}) {
		return txn.WhyWrittenSince.Refusal()
	}
	return txn.Refusal{}
}

func setOf(keys []txn.Key) map[txn.Key]bool {
	out := make(map[txn.Key]bool, len(keys))
	for _, k := range keys {
		out[k] = true
	}
	return out
}

func scansOf(spans []txn.Span) []txn.Scan {
	out := make([]txn.Scan, len(spans))
	for i, s := range spans {
		out[i].Span = s
	}
	return out
}

// writtenKeys are the keys that a Prepare writes.
func writtenKeys(p *txn.Prepare) []txn.Key {
	keys := make([]txn.Key, len(p.Writes))
	for i, w := range p.Writes {
		keys[i] = w.Key
	}
	return keys
}
