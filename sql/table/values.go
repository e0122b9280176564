package table

import (
	"context"

	"isochron/sql/rowcodec"
	"isochron/txn"
)

// Value is a column's value in MySQL's text form.
type Value = rowcodec.Value

// FetchValues reads the columns at these positions of the rows of the access, in the order of the index. It costs the same
// rounds as Fetch. Text and bytes are those that were read, not copies.
func (a *Access) FetchValues(ctx context.Context, tx txn.Txn, m Mode, columns []int) ([][]Value, error) {
	if a.hides(columns) {
		return a.heldValues(ctx, tx, m, columns)
	}
	single := a.Rounds(m, columns) <= 1
	hits, err := a.collect(ctx, tx, m, single)
	if err != nil {
		return nil, err
	}
	values, keys, err := a.screen(hits, !single)
	if err != nil {
		return nil, err
	}
	entries := single && !a.Index.Primary
	if !single && len(keys) > 0 {
		if values, err = m.values(ctx, tx, keys); err != nil {
			return nil, err
		}
	}
	rows, err := a.asValues(values, columns, entries)
	if a.Limit > 0 && len(rows) > a.Limit {
		rows = rows[:a.Limit]
	}
	return rows, err
}

// screen leaves out what ranges alone could not: rows that a restriction rejects, and those found twice. behind: the keys
// of the rows behind the entries are needed.
func (a *Access) screen(hits []found, behind bool) (values [][]byte, keys []txn.Key, err error) {
	values = make([][]byte, 0, len(hits))
	var taken map[txn.Key]bool
	if a.mayRepeat() {
		taken = map[txn.Key]bool{}
	}
	for _, h := range hits {
		if taken != nil {
			if taken[h.key] {
				continue
			}
			taken[h.key] = true
		}
		if behind || len(h.rest) > 0 {
			var row []any
			var key txn.Key
			if a.Index.Primary {
				key = h.key
				row, err = a.Desc.DecodeRow(h.value)
			} else {
				row, key, err = a.Desc.DecodeEntry(a.Index, h.value)
			}
			if err != nil {
				return nil, nil, err
			}
			if ok, err := a.passes(row, h.rest); err != nil {
				return nil, nil, err
			} else if !ok {
				continue
			}
			keys = append(keys, key)
		}
		values = append(values, h.value)
	}
	return values, keys, nil
}

// asValues decodes stored rows, or entries of the index. A row that is gone by now is left out.
func (a *Access) asValues(stored [][]byte, columns []int, entries bool) ([][]Value, error) {
	layout, into := a.Desc.ValueLayout(a.Index, columns, entries)
	memory := make([]Value, len(stored)*len(columns))
	rows := make([][]Value, 0, len(stored))
	for _, b := range stored {
		if b == nil {
			continue
		}
		row := memory[:len(columns):len(columns)]
		memory = memory[len(columns):]
		if err := layout.Values(b, into, row); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
