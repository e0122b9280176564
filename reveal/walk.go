package reveal

import (
	"isochron/store"
	"isochron/txn"
)

// The bounds of one reply to a scan.
const (
	MaxAnswerRows  = 4096
	MaxAnswerBytes = 4 << 20
)

// answerRoom is how many rows the first memory of an answer has room for.
const answerRoom = 32

// Walk merges engine rows and revealed rows.
type Walk struct {
	base     *store.Rows
	head     txn.Row
	ok       bool
	revealed []txn.Row
	reverse  bool
}

// NewWalk begins a walk, in key order or its reverse.
func NewWalk(base *store.Rows, revealed []txn.Row, reverse bool) *Walk {
	w := &Walk{base: base, revealed: revealed, reverse: reverse}
	if reverse {
		for i, j := 0, len(revealed)-1; i < j; i, j = i+1, j-1 {
			revealed[i], revealed[j] = revealed[j], revealed[i]
		}
	}
	w.head, w.ok = base.Next()
	return w
}

// Answer takes the rows of a scan from a walk, which it closes, up to the bounds of one reply.
// skip, if not nil, leaves rows out.
func (w *Walk) Answer(s txn.Scan, skip func(txn.Key) bool) txn.ScanRows {
	defer w.base.Close()
	limit := MaxAnswerRows
	if s.Limit > 0 {
		limit = min(limit, s.Limit)
	}
	var out txn.ScanRows
	size := 0
	for {
		row, ok := w.Next()
		if !ok {
			return out
		}
		if skip != nil && skip(row.Key) {
			continue
		}
		if len(out.Rows) >= limit || size >= MaxAnswerBytes {
			out.More = true
			return out
		}
		size += len(row.Key) + len(row.Value)
		if out.Rows == nil {
			out.Rows = make([]txn.Row, 0, min(limit, answerRoom))
		}
		out.Rows = append(out.Rows, row)
	}
}

// Digest counts the rows of a walk in key order, which it closes (txn.DigestNext).
func (w *Walk) Digest(most int) (count int, digest uint64) {
	defer w.base.Close()
	return txn.DigestNext(w.Next, most)
}

// Next is the next live row; ok is false at the end.
func (w *Walk) Next() (txn.Row, bool) {
	for {
		useRevealed := len(w.revealed) > 0 && (!w.ok || !w.before(w.head.Key, w.revealed[0].Key))
		if !useRevealed {
			row, ok := w.head, w.ok
			if ok {
				w.head, w.ok = w.base.Next()
			}
			return row, ok
		}
		row := w.revealed[0]
		w.revealed = w.revealed[1:]
		if w.ok && w.head.Key == row.Key {
			w.head, w.ok = w.base.Next()
		}
		if row.Value != nil {
			return row, true
		}
	}
}

func (w *Walk) before(a, b txn.Key) bool { return w.reverse && a > b || !w.reverse && a < b }
