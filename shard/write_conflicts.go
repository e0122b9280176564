package shard

import (
	"isochron/store"
	"isochron/txn"
)

// Snapshot isolation: a transaction with a read timestamp may lock and write only rows that were not
// written after it. A locking read is refused if it meets such a row, or a range
// from which one was deleted; so is a Prepare that writes one.

// written finds writes after a read timestamp: in the engine, in the chain of a hot row,
// or by a vote that is revealed and not applied.
type written struct {
	rows  *latestRows
	locks *locks
	known *attempts
}

// since returns the reason for which a read with locks or a Prepare of a transaction with a read timestamp
// conflicts with a later write, if it does.
func (w *written) since(id txn.ID, since txn.Timestamp, keys []txn.Key, spans []txn.Span) txn.Refusal {
	switch {
	case since == 0:
		return txn.Refusal{}
	case since < w.rows.state.applied.Keep:
		return txn.ReasonReadTSTooOld.Refusal() // deletions may have been collected
	}
	for _, k := range keys {
		if w.rows.at(k) > since {
			return txn.Refusal{Reason: txn.ReasonWriteConflict, OverwrittenBy: w.rows.row(k).Version}
		}
	}
	for _, s := range spans {
		if store.WrittenSince(w.rows.engine, w.rows.state.rows, s, since) {
			return txn.ReasonWriteConflict.Refusal()
		}
	}
	for _, k := range keys {
		if _, uncommitted := w.locks.Last(k, id); uncommitted {
			return txn.ReasonWriteConflict.Refusal() // by an earlier transaction in the chain of the row
		}
	}
	if w.known.writingSince(since, asked{setOf(keys), scansOf(spans)}) {
		return txn.ReasonWriteConflict.Refusal()
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

// writtenKeys returns the keys that a Prepare writes.
func writtenKeys(p *txn.Prepare) []txn.Key {
	keys := make([]txn.Key, len(p.Writes))
	for i, w := range p.Writes {
		keys[i] = w.Key
	}
	return keys
}
