package store

import "isochron/txn"

// Bounds of the cached rows of one cache without a pool, keys and values:
// over a disk, and over an engine in memory, which is nearly as fast itself.
const (
	RowCacheBytes       = 64 << 20
	RowCacheMemoryBytes = 16 << 20
)

// RowCache caches newest versions of the rows under a prefix, as the engine has
// them: a row that is read by many, or read and then written, is read from the
// engine once. When the young rows take half of the room, they become the old ones
// and the old ones are evicted; an old row that is used becomes young.
//
// Invariant: writes through Put reach the cache before the next
// read, so a cached row equals the engine's. Nothing else
// writes newer versions under the prefix. A row is young or old, not both.
type RowCache struct {
	prefix     []byte
	young, old map[txn.Key]cachedRow
	bytes      int   // of young
	oldBytes   int   // of old, an upper bound
	own        int   // room for both, where there is no pool
	pool       *Pool // may be nil
	spans      spanSums
}

// NewRowCache returns a cache of rows under a prefix, bounded by its share of a pool or, without
// one, by room bytes.
func NewRowCache(prefix []byte, room int, pool *Pool) RowCache {
	return RowCache{prefix: prefix, own: room, pool: pool}
}

// room is the bound of young and old rows together, in bytes.
func (c *RowCache) room() int { return int(c.pool.Share(int64(c.own))) }

// Held is the memory of the cache, in bytes.
func (c *RowCache) Held() int { return c.bytes + c.oldBytes }

// Trim evicts rows beyond the bound, after the number of members of
// the pool has grown.
func (c *RowCache) Trim() {
	if c.Held() <= c.room() {
		return
	}
	c.old, c.oldBytes = nil, 0
	if c.bytes > c.room() {
		c.young, c.bytes = nil, 0
	}
}

type cachedRow struct {
	txn.Row
	at txn.Timestamp // of its newest version, including deletions
}

// Latest returns the newest version of a row.
func (c *RowCache) Latest(r Reader, k txn.Key) txn.Row {
	if row, ok := c.find(k); ok {
		return row.Row
	}
	row, at := Latest(r, c.prefix, k)
	c.keep(cachedRow{row, at})
	return row
}

// NewestAt returns the timestamp of the newest version of a row, including deletions, 0 if
// there is none.
func (c *RowCache) NewestAt(r Reader, k txn.Key) txn.Timestamp {
	if row, ok := c.find(k); ok {
		return row.at
	}
	return NewestAt(r, c.prefix, k)
}

// Put adds a version of a row to the batch; a nil value deletes the row.
func (c *RowCache) Put(b *Batch, w txn.Write, at txn.Timestamp, by txn.Version) {
	PutVersion(b, c.prefix, w, at, by)
	c.spans.wrote(w.Key)
	c.write(w, at, by)
}

// find returns a cached row.
func (c *RowCache) find(k txn.Key) (cachedRow, bool) {
	if row, ok := c.young[k]; ok {
		return row, true
	}
	row, ok := c.old[k]
	if ok {
		delete(c.old, k)
		c.oldBytes -= cost(row)
		c.keep(row)
	}
	return row, ok
}

// keep adds a row that is neither young nor old as a young one.
func (c *RowCache) keep(row cachedRow) {
	size := cost(row)
	room := c.room()
	if size > room/64 {
		return
	}
	if c.young == nil || c.bytes+size > room/2 {
		c.young, c.old, c.bytes, c.oldBytes = map[txn.Key]cachedRow{}, c.young, 0, c.bytes
	}
	c.young[row.Key] = row
	c.bytes += size
}

// write replaces a cached row by a new version.
func (c *RowCache) write(w txn.Write, at txn.Timestamp, by txn.Version) {
	old, ok := c.find(w.Key)
	if !ok || at < old.at {
		return
	}
	row := cachedRow{txn.Row{Key: w.Key}, at}
	if w.Value != nil { // a deleted row reads as never written
		row.Value, row.Version = w.Value, by
	}
	if _, young := c.young[w.Key]; young {
		c.bytes -= cost(old)
		delete(c.young, w.Key)
	}
	c.keep(row)
}

// cost estimates the memory of a row, with its place in the map.
func cost(row cachedRow) int { return 2*len(row.Key) + len(row.Value) + 104 }
