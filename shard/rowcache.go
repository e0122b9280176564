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
// Invariant: what is written through the state is dropped here before anything
// can be read, so a row at hand is the one that the engine would give.
type rowCache struct {
	rows  map[txn.Key]txn.Row
	bytes int
}

// latest is the newest version of a row.
func (s *state) latest(r store.Reader, k txn.Key) txn.Row {
	if row, ok := s.cache.rows[k]; ok {
		return row
	}
	row := store.Latest(r, s.rows, k)
	s.cache.keep(row)
	return row
}

func (c *rowCache) keep(row txn.Row) {
	size := cost(row)
	if size > rowCacheBytes/64 {
		return
	}
	if c.rows == nil || c.bytes+size > rowCacheBytes {
		c.rows, c.bytes = map[txn.Key]txn.Row{}, 0
	}
	c.rows[row.Key] = row
	c.bytes += size
}

func (c *rowCache) drop(k txn.Key) {
	if row, ok := c.rows[k]; ok {
		c.bytes -= cost(row)
		delete(c.rows, k)
	}
}

// cost is what a row takes, with its place in the map.
func cost(row txn.Row) int { return 2*len(row.Key) + len(row.Value) + 96 }
