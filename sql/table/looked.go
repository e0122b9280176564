package table

import (
	"bytes"
	"context"
	"slices"

	"isochron/txn"
)

// A statement with SKIP LOCKED locks the rows that it returns, and no others that it has only read.
// So it first reads its rows without locks, skipping rows that others have locked. Then the returned rows are locked, and are valid if they have not changed meanwhile.

// Looked is a row that was read without a lock.
type Looked struct {
	Key   txn.Key
	Value []byte // its stored value
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
