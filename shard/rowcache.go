package shard

import (
	"isochron/store"
	"isochron/txn"
)

// rowCacheBytes bounds the rows that one replica keeps at hand, keys and values.
const rowCacheBytes = 16 << 20

// rowCache holds newest versions of rows as the engine has them: a row that is
// read by many, or read and then written, is sought in the engine once.
//
// Invariant: what is written through the state is written here before anything
// can be read, so a row at hand is the one that the engine would give.
type rowCache struct {
	rows  map[txn.Key]cachedRow
	bytes int
}

type cachedRow struct {
	txn.Row
	at txn.Timestamp // of its newest version, deletions too
}

// latest is the newest version of a row.
func (s *state) latest(r store.Reader, k txn.Key) txn.Row {
	if row, ok := s.cache.rows[k]; ok {
		return row.Row
	}
	row, at := store.Latest(r, s.rows, k)
	s.cache.keep(cachedRow{row, at})
	return row
}

// newestAt is the timestamp of the newest version of a row, deletions too, 0 if
// there is none.
func (s *state) newestAt(r store.Reader, k txn.Key) txn.Timestamp {
	if row, ok := s.cache.rows[k]; ok {
		return row.at
	}
	return store.NewestAt(r, s.rows, k)
}

func (c *rowCache) keep(row cachedRow) {
	size := cost(row)
	if size > rowCacheBytes/64 {
		return
	}
	if c.rows == nil || c.bytes+size > rowCacheBytes {
		c.rows, c.bytes = map[txn.Key]cachedRow{}, 0
	}
	c.rows[row.Key] = row
	c.bytes += size
}

// write takes over a new version of a row that is at hand.
func (c *rowCache) write(w txn.Write, at txn.Timestamp, by txn.Version) {
	old, ok := c.rows[w.Key]
	if !ok || at < old.at {
		return
	}
	c.bytes -= cost(old)
	delete(c.rows, w.Key)
	row := cachedRow{txn.Row{Key: w.Key}, at}
	if w.Value != nil { // a deleted row is one that was never written
		row.Value, row.Version = w.Value, by
	}
	c.keep(row)
}

// cost is what a row takes, with its place in the map.
func cost(row cachedRow) int { return 2*len(row.Key) + len(row.Value) + 104 }
