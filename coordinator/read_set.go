package coordinator

import (
	"cmp"
	"slices"

	"isochron/txn"
)

// readSet is the set of rows that a transaction has read, the newest or those of a read timestamp.
// Most transactions read one or two rows, so a list suffices until there are many.
type readSet struct {
	rows  []readRow
	index map[txn.Key]int // of rows; nil while they are few
	scans map[scanKey][]txn.Row
	bytes int // size of rows
}

type readRow struct {
	row  txn.Row
	lock txn.Lock
	// spanned: it was read with a span, whose check covers it.
	spanned bool
}

type scanKey struct {
	scan txn.Scan
	lock txn.Lock
}

// fewRows are found faster by a linear search.
const fewRows = 8

func (v *readSet) find(k txn.Key) int {
	if v.index != nil {
		if i, ok := v.index[k]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(v.rows, func(r readRow) bool { return r.row.Key == k })
}

func (v *readSet) get(k txn.Key) (readRow, bool) {
	if i := v.find(k); i >= 0 {
		return v.rows[i], true
	}
	return readRow{}, false
}

// note adds a row read under a lock; false if it contradicts an earlier read.
func (v *readSet) note(row txn.Row, lock txn.Lock, spanned bool) bool {
	i := v.find(row.Key)
	if i < 0 {
		v.add(readRow{row, lock, spanned})
		return true
	}
	have := &v.rows[i]
	if have.row.Version != row.Version {
		return false
	}
	have.row, have.lock, have.spanned = row, max(have.lock, lock), have.spanned && spanned
	return true
}

// grow makes room for so many more rows.
func (v *readSet) grow(n int) {
	v.rows = slices.Grow(v.rows, n)
	if v.index == nil && len(v.rows)+n > fewRows {
		v.makeIndex(len(v.rows) + n)
	}
}

func (v *readSet) makeIndex(room int) {
	v.index = make(map[txn.Key]int, room)
	for i := range v.rows {
		v.index[v.rows[i].row.Key] = i
	}
}

func (v *readSet) add(r readRow) {
	v.bytes += len(r.row.Key) + len(r.row.Value) + rowOverheadBytes
	v.rows = append(v.rows, r)
	switch {
	case v.index != nil:
		v.index[r.row.Key] = len(v.rows) - 1
	case len(v.rows) > fewRows:
		v.makeIndex(4 * fewRows)
	}
}

// rising returns the rows in key order.
func (v *readSet) rising() []readRow {
	if len(v.rows) < 2 {
		return v.rows
	}
	out := slices.Clone(v.rows)
	slices.SortFunc(out, func(a, b readRow) int { return cmp.Compare(a.row.Key, b.row.Key) })
	return out
}

// scanned records the result of a scan.
func (v *readSet) scanned(k scanKey, rows []txn.Row) {
	if v.scans == nil {
		v.scans = map[scanKey][]txn.Row{}
	}
	v.scans[k] = rows
}
