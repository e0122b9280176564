package estimate

import (
	"strings"

	"github.com/tidwall/btree"

	"isochron/txn"
)

// recent is what is known of records, V of each, in the order of their keys; and in a list by when each
// was last touched. Beyond its bounds the record is forgotten that was longest not touched. A key or a
// touch costs O(log n).
type recent[V any] struct {
	all  btree.Map[txn.Key, *record[V]]
	ends record[V] // of the list: the newest is the older one beside it, the oldest the newer one

	recordsMax  int // at least 1
	bytesMax    int // what they take, with their keys, but for one that is alone; 0: any
	recordBytes int // what one takes beside its key's bytes
	bytes       int
}

// record is what is known of one. Who holds it may keep it when it is forgotten.
type record[V any] struct {
	key          txn.Key
	newer, older *record[V] // nil once it is forgotten
	is           V
}

// init bounds a table that is empty.
func (t *recent[V]) init(recordsMax, bytesMax, recordBytes int) {
	t.recordsMax, t.bytesMax, t.recordBytes = recordsMax, bytesMax, recordBytes
	t.ends.newer, t.ends.older = &t.ends, &t.ends
}

// remember is the record of a key, which is the newest now; one that was not known has the zero V.
func (t *recent[V]) remember(k txn.Key) (r *record[V], known bool) {
	r, known = t.all.Get(k)
	if !known {
		k = txn.Key(strings.Clone(string(k))) // not all of the message that it came in
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

// touch has the record be the newest, if it is known.
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

// forgotten reports whether the table has the record no more.
func (r *record[V]) forgotten() bool { return r.newer == nil }
