package store

import "isochron/txn"

// The bounds of the rows that one cache without a pool keeps at hand, keys and values:
// above a disk, and above an engine in memory, which is nearly as quick itself.
const (
	RowCacheBytes       = 64 << 20
	RowCacheMemoryBytes = 16 << 20
)

// RowCache holds newest versions of the rows under a prefix, as the engine has
// them: a row that is read by many, or read and then written, is sought in the
// engine once. When the young rows take half of the room, they become the old ones
// and the old ones go; an old row that is asked for becomes young.
//
// Invariant: what is written through Put is known here before anything can be
// read, so a row at hand is the one that the engine would give. Nothing else
// writes newer versions under the prefix. A row is young or old, not both.
type RowCache struct {
	prefix     []byte
	young, old map[txn.Key]cachedRow
	bytes      int   // of young
	oldBytes   int   // of old, at most
	own        int   // room for both, where there is no pool
	pool       *Pool // may be nil
}

// NewRowCache keeps rows under a prefix at hand, in its share of a pool, or, without
// one, in so many bytes.
func NewRowCache(prefix []byte, room int, pool *Pool) RowCache {
	return RowCache{prefix: prefix, own: room, pool: pool}
}

// room is what young and old rows may take together, in bytes.
func (c *RowCache) room() int { return int(c.pool.Share(int64(c.own))) }

// Held is what the cache takes, in bytes.
func (c *RowCache) Held() int { return c.bytes + c.oldBytes }

// Trim forgets rows for which there is no room any more, because others have come that
// share the pool.
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
	at txn.Timestamp // of its newest version, deletions too
}

// Latest is the newest version of a row.
func (c *RowCache) Latest(r Reader, k txn.Key) txn.Row {
	if row, ok := c.find(k); ok {
		return row.Row
	}
	row, at := Latest(r, c.prefix, k)
	c.keep(cachedRow{row, at})
	return row
}

// NewestAt is the timestamp of the newest version of a row, deletions too, 0 if
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
	c.write(w, at, by)
}

// find gives a row that is at hand.
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

// keep makes a row young that is neither young nor old.
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

// write takes over a new version of a row that is at hand.
func (c *RowCache) write(w txn.Write, at txn.Timestamp, by txn.Version) {
	old, ok := c.find(w.Key)
	if !ok || at < old.at {
		return
	}
	row := cachedRow{txn.Row{Key: w.Key}, at}
	if w.Value != nil { // a deleted row is one that was never written
		row.Value, row.Version = w.Value, by
	}
	if _, young := c.young[w.Key]; young {
		c.bytes -= cost(old)
		delete(c.young, w.Key)
	}
	c.keep(row)
}

// cost is what a row takes, with its place in the map.
func cost(row cachedRow) int { return 2*len(row.Key) + len(row.Value) + 104 }
