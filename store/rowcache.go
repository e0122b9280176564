package store

import "isochron/txn"

// rowCacheBytes bounds the rows that one cache keeps at hand, keys and values.
const rowCacheBytes = 16 << 20

// RowCache holds newest versions of the rows under a prefix, as the engine has
// them: a row that is read by many, or read and then written, is sought in the
// engine once.
//
// Invariant: what is written through Put is known here before anything can be
// read, so a row at hand is the one that the engine would give. Nothing else
// writes newer versions under the prefix.
type RowCache struct {
	prefix []byte
	rows   map[txn.Key]cachedRow
	bytes  int
}

// NewRowCache keeps rows under a prefix at hand.
func NewRowCache(prefix []byte) RowCache { return RowCache{prefix: prefix} }

type cachedRow struct {
	txn.Row
	at txn.Timestamp // of its newest version, deletions too
}

// Latest is the newest version of a row.
func (c *RowCache) Latest(r Reader, k txn.Key) txn.Row {
	if row, ok := c.rows[k]; ok {
		return row.Row
	}
	row, at := Latest(r, c.prefix, k)
	c.keep(cachedRow{row, at})
	return row
}

// NewestAt is the timestamp of the newest version of a row, deletions too, 0 if
// there is none.
func (c *RowCache) NewestAt(r Reader, k txn.Key) txn.Timestamp {
	if row, ok := c.rows[k]; ok {
		return row.at
	}
	return NewestAt(r, c.prefix, k)
}

// Put adds a version of a row to the batch; a nil value deletes the row.
func (c *RowCache) Put(b *Batch, w txn.Write, at txn.Timestamp, by txn.Version) {
	PutVersion(b, c.prefix, w, at, by)
	c.write(w, at, by)
}

func (c *RowCache) keep(row cachedRow) {
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
func (c *RowCache) write(w txn.Write, at txn.Timestamp, by txn.Version) {
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
