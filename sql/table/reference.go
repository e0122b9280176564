package table

import (
	"context"

	"isochron/sql/catalog"
	"isochron/txn"
)

// Starting is the access to the rows of which the first columns of an index have these values.
func Starting(d *catalog.Descriptor, x *catalog.IndexInfo, values []any) (*Access, error) {
	intervals := make([]Interval, len(values))
	for i, v := range values {
		intervals[i] = One(v)
	}
	return ForRange(d, x, intervals)
}

// Exists reports whether the access finds something. A lock is taken on what it finds first: rows, or with entries also the
// entry alone, which is as good against one who deletes it but not against one who has read the row to be deleted.
func (a *Access) Exists(ctx context.Context, tx txn.Txn, m Mode, entries bool) (bool, error) {
	first := *a
	first.Limit = 1
	if entries || m.Lock == txn.LockNone {
		hits, err := first.collect(ctx, tx, m, false)
		return len(hits) > 0, err
	}
	held, err := first.FetchHeld(ctx, tx, m)
	return len(held) > 0, err
}

// Find finds a row that has one of the unique keys which a row gets in the place of another; old nil: a new row.
func (w *Writer) Find(ctx context.Context, key txn.Key, old, row []any) (*Conflict, error) {
	if old == nil {
		images, err := w.images(row, "")
		if err != nil {
			return nil, err
		}
		return w.conflict(ctx, row, images, nil)
	}
	before, err := w.images(old, key)
	if err != nil {
		return nil, err
	}
	after, err := w.moved(key, row)
	if err != nil {
		return nil, err
	}
	return w.conflict(ctx, row, after, before)
}

// Claims adds the unique keys that a row gets which the one before it has not, to what is to be read.
func (w *Writer) Claims(r *Reading, key txn.Key, old, row []any) error {
	before, err := w.images(old, key)
	if err != nil {
		return err
	}
	after, err := w.moved(key, row)
	if err != nil {
		return nil // its update reports the error
	}
	for i, m := range after {
		if m.Unique && before[i].Key != m.Key {
			r.Get(m.Key)
		}
	}
	return nil
}

// RowsBehind adds the keys of the rows that entries of an index stand for, to what is to be read.
func RowsBehind(r *Reading, d *catalog.Descriptor, x *catalog.IndexInfo, entries []txn.Pair) error {
	for _, p := range entries {
		_, key, err := d.DecodeEntry(x, p.Value)
		if err != nil {
			return err
		}
		r.Get(key)
	}
	return nil
}

// Entries are the entries of the index that the access asks for, read as r says, without its keys and spans.
func (a *Access) Entries(ctx context.Context, tx txn.Txn, r txn.Read) ([]txn.Pair, error) {
	hits, err := a.collect(ctx, tx, Mode{Lock: r.Lock, ForWrite: r.ForWrite}, false)
	out := make([]txn.Pair, len(hits))
	for i, h := range hits {
		out[i] = txn.Pair{Key: h.key, Value: h.value}
	}
	return out, err
}
