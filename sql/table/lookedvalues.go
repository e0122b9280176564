package table

import (
	"context"
	"slices"

	"isochron/txn"
)

// LookValues reads as FetchValues does, without locks, and leaves out rows that other transactions have locked. marks are
// what LockRows needs to lock the rows later.
func (a *Access) LookValues(ctx context.Context, tx txn.Txn, m Mode, columns []int) (rows [][]Value, marks []Looked, err error) {
	m.Look = true
	c, wanted := a.spans(), a.Limit
	if a.Index.Primary || wanted == 0 || !a.Exact() {
		rows, marks, _, err = c.lookValues(ctx, tx, m, columns)
		return rows, marks, err
	}
	for c.Limit = wanted + lookAhead; ; c.Limit *= 4 {
		rows, marks, hits, err := c.lookValues(ctx, tx, m, columns)
		if err != nil || len(rows) >= wanted || hits < c.Limit {
			n := min(len(rows), wanted)
			return rows[:n:n], marks[:n:n], err
		}
	}
}

func (a *Access) lookValues(ctx context.Context, tx txn.Txn, m Mode, columns []int) (rows [][]Value, marks []Looked, found int, err error) {
	hits, err := a.collect(ctx, tx, m, false)
	if err != nil {
		return nil, nil, 0, err
	}
	values, keys, err := (&screener{Access: a, behind: true}).screen(hits)
	if err == nil && !a.Index.Primary && len(keys) > 0 {
		values, err = m.values(ctx, tx, keys)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	for i, value := range values {
		if value != nil {
			marks = append(marks, Looked{keys[i], value})
		}
	}
	values = slices.DeleteFunc(values, func(v []byte) bool { return v == nil })
	rows, err = a.asValues(values, columns, false)
	return rows, marks, len(hits), err
}

// LockRows locks rows that were read without locks, in one round; false if one is locked by another transaction now, or is not
// as it was.
func LockRows(ctx context.Context, tx txn.Txn, m Mode, rows []Looked) (bool, error) {
	if len(rows) == 0 {
		return true, nil
	}
	return lockLooked(ctx, tx, m.read(), rows)
}
