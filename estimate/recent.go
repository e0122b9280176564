package estimate

import (
	"strings"

	"github.com/tidwall/btree"

	"isochron/txn"
)

// recent is a bounded table of records with a V each, in key order; and in a list by the time of their
// last touch. Beyond its bounds the least recently touched record is evicted. A lookup or a
// touch costs O(log n).
type recent[V any] struct {
	all  btree.Map[txn.Key, *record[V]]
	ends record[V] // of the list: the newest is ends.older, the oldest ends.newer

	recordsMax  int // at least 1
	bytesMax    int // their memory, with keys, except for a single record; 0: unlimited
	recordBytes int // memory of a record besides its key's bytes
	bytes       int
}

// record is one record. A caller may keep a pointer to it after its eviction.
type record[V any] struct {
	key          txn.Key
	newer, older *record[V] // nil once it is evicted
	is           V
}

// init sets the bounds of an empty table.
func (t *recent[V]) init(recordsMax, bytesMax, recordBytes int) {
	t.recordsMax, t.bytesMax, t.recordBytes = recordsMax, bytesMax, recordBytes
	t.ends.newer, t.ends.older = &t.ends, &t.ends
}

// remember returns the record of a key and makes it the newest; a new one has the zero V.
func (t *recent[V]) remember(k txn.Key) (r *record[V], known bool) {
	r, known = t.all.Get(k)
	if !known {
		k = txn.Key(strings.Clone(string(k))) // not the whole message that contains it
		r = &record[V]{key: k}
		t.all.Set(k, r)
		t.bytes += t.recordBytes + len(k)
	}
	t.touch(r)
	for t.all.Len() > t.recordsMax || t.bytesMax > 0 && t.bytes > t.bytesMax && t.all.Len() > 1 {
		t.forget(t.ends.newer)
	}
	return r, known
}

// touch makes the record the newest, if it is in the table.
func (t *recent[V]) touch(r *record[V]) {
	r.unlink()
	r.older, r.newer = t.ends.older, &t.ends
	r.older.newer, t.ends.older = r, r
}

func (t *recent[V]) forget(r *record[V]) {
	t.all.Delete(r.key)
	t.bytes -= t.recordBytes + len(r.key)
	r.unlink()
}

func (r *record[V]) unlink() {
	if r.newer != nil {
		r.newer.older, r.older.newer = r.older, r.newer
		r.newer, r.older = nil, nil
	}
}

// evicted reports whether the record was evicted.
func (r *record[V]) evicted() bool { return r.newer == nil }
