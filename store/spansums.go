package store

import (
	"strings"

	"isochron/txn"
)

// spanSums remembers the digests of spans that were read, until a row of them is written: a transaction that validates what it
// has read does not walk over it again.
//
// Invariant: a digest equals that of the newest rows of its span, for no row of it was written since.
type spanSums struct {
	young, old map[txn.Span]spanSum // as the rows of a RowCache
	recent     []txn.Key            // the last keys written: number n is at n % len
	writes     uint64               // keys written
}

type spanSum struct {
	count  int
	digest uint64
	writes uint64 // when it was computed, or found still valid
}

// Bounds: of the spans of one generation, and of the writes after which a span is unknown.
const (
	spanSumsMax  = 512
	recentWrites = 512
)

// wrote notes that a row is written.
func (c *spanSums) wrote(k txn.Key) {
	if c.recent == nil {
		c.recent = make([]txn.Key, recentWrites)
	}
	c.recent[c.writes%recentWrites] = txn.Key(strings.Clone(string(k)))
	c.writes++
}

// put remembers the digest of a span.
func (c *spanSums) put(s txn.Span, count int, digest uint64) {
	if c.young == nil || len(c.young) >= spanSumsMax {
		c.young, c.old = make(map[txn.Span]spanSum, spanSumsMax), c.young
	}
	s = txn.Span{Start: txn.Key(strings.Clone(string(s.Start))), End: txn.Key(strings.Clone(string(s.End)))}
	c.young[s] = spanSum{count, digest, c.writes}
}

// get returns the digest of a span; false: it is not known.
func (c *spanSums) get(s txn.Span) (spanSum, bool) {
	sum, ok := c.young[s]
	if !ok {
		if sum, ok = c.old[s]; !ok {
			return sum, false
		}
	}
	if c.writes-sum.writes > recentWrites {
		return sum, false
	}
	for n := sum.writes; n < c.writes; n++ {
		if s.Contains(c.recent[n%recentWrites]) {
			return sum, false
		}
	}
	return sum, true
}

// Scanned remembers that these are all newest rows of a span, in key order or its reverse.
func (c *RowCache) Scanned(s txn.Span, rows []txn.Row, reverse bool) {
	var d txn.Digester
	for i := range rows {
		at := i
		if reverse {
			at = len(rows) - 1 - i
		}
		d.Add(&rows[at])
	}
	c.spans.put(s, len(rows), d.Sum())
}

// Digest counts the newest live rows of a span and returns their txn.Digest. It may stop behind more than most rows.
func (c *RowCache) Digest(r Reader, s txn.Span, most int) (count int, digest uint64) {
	if sum, ok := c.spans.get(s); ok {
		return sum.count, sum.digest
	}
	walk := ScanVersions(r, c.prefix, s, Newest)
	defer walk.Close()
	if count, digest = txn.DigestNext(walk.Next, most); count <= most {
		c.spans.put(s, count, digest)
	}
	return count, digest
}
