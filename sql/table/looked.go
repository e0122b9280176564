package table

import (
	"bytes"
	"context"
	"slices"

	"isochron/sql/catalog"
	"isochron/txn"
)

// A statement with SKIP LOCKED locks the rows that it returns, and no others that it has only read.
// So it first reads its rows without locks, skipping rows that others have locked. Each row carries
// its key. Then the returned rows are locked, and are valid if they have not changed meanwhile.

// Looked is a row that was read without a lock.
type Looked struct {
	Key   txn.Key
	Value []byte // its stored value
}

// look fetches without locks. Entries of an index represent rows that may be locked: more of them
// are read than requested.
func (a *Access) look(ctx context.Context, tx txn.Txn, m Mode, columns []int) ([]Row, error) {
	c, wanted := a.spans(), a.Limit
	if a.Index.Primary || wanted == 0 || !a.Exact() {
		rows, _, err := c.fetch(ctx, tx, m, columns)
		return rows, err
	}
	for c.Limit = wanted + lookAhead; ; c.Limit *= 4 {
		rows, hits, err := c.fetch(ctx, tx, m, columns)
		if err != nil || len(rows) >= wanted || hits < c.Limit {
			return a.cut(rows), err
		}
	}
}

// lookAhead is the number of entries of an index that are read beyond the requested ones.
const lookAhead = 32

// spans is the access with spans in the place of single keys.
func (a *Access) spans() *Access {
	c := *a
	c.Gets, c.Scans = nil, slices.Clone(a.Scans)
	for _, k := range a.Gets {
		c.Scans = append(c.Scans, Range{Span: only(k)})
	}
	return &c
}

func only(k txn.Key) txn.Span { return txn.Span{Start: k, End: k + "\x00"} }

// Holds reports whether a key is one of a table's rows.
func Holds(d *catalog.Descriptor, k txn.Key) bool {
	for part := range d.Partitions(d.Primary) {
		if prefixSpan(d.Prefix(d.Primary, part)).Contains(k) {
			return true
		}
	}
	return false
}

func lockLooked(ctx context.Context, tx txn.Txn, read txn.Read, rows []Looked) (bool, error) {
	for _, r := range rows {
		read.Gets = append(read.Gets, r.Key)
	}
	res, err := tx.Read(ctx, read)
	if err != nil {
		return false, err
	}
	for i, value := range res.Values {
		if value == nil || !bytes.Equal(value, rows[i].Value) {
			return false, nil
		}
	}
	return true, nil
}
