package replica

import (
	"slices"

	"isochron/reveal"
	"isochron/store"
	"isochron/txn"
)

// committed are the committed rows of a replica.
type committed struct {
	engine store.Engine
	rec    *record
}

func (c committed) row(k txn.Key) txn.Row { return c.rec.cache.Latest(c.engine, k) }

func (c committed) scan(s txn.Scan) txn.ScanRows {
	return reveal.NewWalk(store.ScanLatest(c.engine, c.rec.rows, s.Span, s.Reverse), nil, s.Reverse).Answer(s, nil)
}

// digest implements yield.SpanDigest.
func (c committed) digest(span txn.Span, most int) (count int, digest uint64) {
	return c.digestAsOf(span, most, store.Newest)
}

func (c committed) digestAsOf(span txn.Span, most int, at txn.Timestamp) (count int, digest uint64) {
	return reveal.NewWalk(store.ScanVersions(c.engine, c.rec.rows, span, at), nil, false).Digest(most)
}

// newest returns the timestamp of the newest version of the rows an attempt writes and, if byTimestamp,
// reads by key. Its range reads need no check: its timestamp is above every commit known to
// the replica that answered them.
func (c committed) newest(p *txn.Prepare, byTimestamp bool) (at txn.Timestamp) {
	for _, w := range p.Writes {
		at = max(at, c.rec.cache.NewestAt(c.engine, w.Key))
	}
	if byTimestamp {
		for _, check := range slices.Concat(p.Reads, p.SchemaChecks) {
			at = max(at, c.rec.cache.NewestAt(c.engine, check.Key))
		}
	}
	return at
}
