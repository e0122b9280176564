package table

import (
	"context"
	"errors"
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/txn"
)

// Mode is the way in which rows are read.
type Mode struct {
	Lock     txn.Lock
	Wait     txn.Wait
	ForWrite bool
	OnlyRead bool // the only read of its transaction
	Look     bool // lock nothing (lookedvalues.go)
}

// locking reports whether rows, not only what the statement needs of them, must
// be read.
func (m Mode) locking() bool { return m.Lock != txn.LockNone || m.ForWrite }

func (m Mode) read() txn.Read {
	r := txn.Read{Lock: m.Lock, Wait: m.Wait, ForWrite: m.ForWrite, OnlyRead: m.OnlyRead}
	if m.Look {
		r.Wait = txn.LookLocked
	}
	return r
}

// scanChunk is the number of keys that one round requests of one span. A span with more costs more
// rounds.
const scanChunk = 20_000

// ErrNotFinal is the error of a read that promised to be the only one of its transaction, and found more than one round
// carries.
var ErrNotFinal = errors.New("the result is longer than one round carries")

// Covers reports whether the entries of the access's index hold all the columns
// at these positions (nil: all of the table).
func (a *Access) Covers(columns []int) bool {
	if a.Index.Primary {
		return true
	}
	if columns == nil {
		return len(a.Index.Held) == len(a.Desc.Schema.Schema)
	}
	return !slices.ContainsFunc(columns, func(pos int) bool { return !slices.Contains(a.Index.Held, pos) })
}

// Rounds returns the number of rounds of Fetch if no span has more than one chunk of keys and
// something is found.
func (a *Access) Rounds(m Mode, columns []int) int {
	switch {
	case len(a.Gets) == 0 && len(a.Scans) == 0:
		return 0
	case a.Index.Primary || a.Covers(columns) && !m.locking():
		return 1
	}
	return 2
}

// found is a key of the index with its stored value.
type found struct {
	key   txn.Key
	value []byte
	of    int // the access's span that has it, -1: none
}

// Fetch reads the rows, in the order of the index. columns are the positions of the requested
// columns; the others may be nil in the rows.
func (a *Access) Fetch(ctx context.Context, tx txn.Txn, m Mode, columns []int) ([][]any, error) {
	hits, err := a.collect(ctx, tx, m, a.Rounds(m, columns) == 1)
	if err != nil {
		return nil, err
	}
	rows, keys, err := a.decode(hits)
	if err != nil || a.Rounds(m, columns) <= 1 || len(keys) == 0 {
		return a.cut(rows), err
	}
	values, err := m.values(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	out := rows[:0]
	for _, value := range values {
		// A row that is gone by now, or locked and to be skipped, is left out:
		// if it matters, the transaction will not pass its validation.
		if value == nil {
			continue
		}
		decoded, err := a.Desc.DecodeRow(value)
		if err != nil {
			return nil, err
		}
		out = append(out, decoded)
	}
	return a.cut(out), nil
}

// values reads rows by their keys.
func (m Mode) values(ctx context.Context, tx txn.Txn, keys []txn.Key) ([][]byte, error) {
	read := m.read()
	read.OnlyRead = false
	if m.Look {
		for _, k := range keys {
			read.Scans = append(read.Scans, txn.Scan{Span: only(k)})
		}
	} else {
		read.Gets = keys
	}
	res, err := tx.Read(ctx, read)
	if err != nil || !m.Look {
		return res.Values, err
	}
	out := make([][]byte, len(keys))
	for i, pairs := range res.Pairs {
		if len(pairs) > 0 {
			out[i] = pairs[0].Value
		}
	}
	return out, nil
}

func (a *Access) cut(rows [][]any) [][]any {
	if a.Limit > 0 && len(rows) > a.Limit {
		return rows[:a.Limit]
	}
	return rows
}

// sort sorts rows of several partitions and spans in the order of the index.
func (a *Access) sort(hits []found) {
	slices.SortStableFunc(hits, func(x, y found) int {
		c := strings.Compare(string(x.key[catalog.PartitionBytes:]), string(y.key[catalog.PartitionBytes:]))
		if a.Reverse {
			return -c
		}
		return c
	})
}

// decode makes rows of the found entries and, in a secondary index, the keys of their rows.
func (a *Access) decode(hits []found) ([][]any, []txn.Key, error) {
	rows := make([][]any, 0, len(hits))
	var keys []txn.Key
	taken := map[txn.Key]bool{}
	for _, h := range hits {
		if taken[h.key] {
			continue
		}
		var decoded []any
		var key txn.Key
		var err error
		if a.Index.Primary {
			decoded, err = a.Desc.DecodeRow(h.value)
		} else {
			decoded, key, err = a.Desc.DecodeEntry(a.Index, h.value)
		}
		if err != nil {
			return nil, nil, err
		}
		if ok, err := a.passes(decoded, a.restOf(h)); err != nil {
			return nil, nil, err
		} else if !ok {
			continue
		}
		if rows, keys = append(rows, decoded), append(keys, key); a.mayRepeat() {
			taken[h.key] = true
		}
	}
	return rows, keys, nil
}

// restOf is what remains to be looked at in a row.
func (a *Access) restOf(h found) []restriction {
	if h.of < 0 {
		return nil
	}
	return a.Scans[h.of].rest
}

func (a *Access) passes(row []any, rest []restriction) (bool, error) {
	for _, r := range rest {
		form, err := a.Desc.AppendColumn(nil, a.Index, r.column, row[a.Index.Columns[r.column]])
		if err != nil {
			return false, err
		}
		if s := string(form); s < r.from || r.to != "" && s >= r.to {
			return false, nil
		}
	}
	return true, nil
}
