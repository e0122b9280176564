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
func (a *Access) FetchValues(ctx context.Context, tx txn.Txn, m Mode, columns []int) (rows [][]Value, err error) {
	for p := a.Pieces(tx, m, columns, true); ; {
		more, err := p.Next(ctx)
		if err != nil || more == nil {
			return rows, err
		}
		if rows == nil {
			rows = more
		} else {
			rows = append(rows, more...)
		}
	}
}

// screener leaves out what ranges alone could not: rows that a restriction rejects, and those found twice.
type screener struct {
	*Access
	behind bool             // the keys of the rows behind the entries are needed
	taken  map[txn.Key]bool // the keys found, if one may be found twice
}

func (a *screener) screen(hits []found) (values [][]byte, keys []txn.Key, err error) {
	values = make([][]byte, 0, len(hits))
	if a.taken == nil && a.mayRepeat() {
		a.taken = map[txn.Key]bool{}
	}
	for _, h := range hits {
		if a.taken != nil {
			if a.taken[h.key] {
				continue
			}
			a.taken[h.key] = true
		}
		if rest := a.restOf(h); a.behind || len(rest) > 0 {
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
			if ok, err := a.passes(row, rest); err != nil {
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
