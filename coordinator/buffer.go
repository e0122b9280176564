package coordinator

import (
	"slices"

	"github.com/tidwall/btree"

	"isochron/txn"
)

// buffer holds a transaction's writes before its commit.
//
// Invariant: rows maps each key of the log to its last write.
type buffer struct {
	log  []txn.Write
	rows btree.Map[txn.Key, []byte] // nil: deleted
}

func (b *buffer) set(k txn.Key, value []byte) {
	b.log = append(b.log, txn.Write{Key: k, Value: value})
	b.rows.Set(k, value)
}

func (b *buffer) savepoint() int { return len(b.log) }

func (b *buffer) rollbackTo(savepoint int) {
	if savepoint < 0 || savepoint >= len(b.log) {
		return
	}
	b.log = b.log[:savepoint]
	b.rows = btree.Map[txn.Key, []byte]{}
	for _, w := range b.log {
		b.rows.Set(w.Key, w.Value)
	}
}

// writes are the last writes of each key, in key order.
func (b *buffer) writes() []txn.Write {
	out := make([]txn.Write, 0, b.rows.Len())
	b.rows.Scan(func(k txn.Key, v []byte) bool {
		out = append(out, txn.Write{Key: k, Value: v})
		return true
	})
	return out
}

// deletions counts the deleted keys of a span: a scan with a limit must read
// that many rows more.
func (b *buffer) deletions(s txn.Span) int {
	n := 0
	b.rows.Ascend(s.Start, func(k txn.Key, v []byte) bool {
		if k < s.End && v == nil {
			n++
		}
		return k < s.End
	})
	return n
}

// overlay lays the writes of a span over the rows that were read.
func (b *buffer) overlay(s txn.Scan, rows []txn.Row) []txn.Pair {
	var mine []txn.Pair
	b.rows.Ascend(s.Span.Start, func(k txn.Key, v []byte) bool {
		if k < s.Span.End {
			mine = append(mine, txn.Pair{Key: k, Value: v})
		}
		return k < s.Span.End
	})
	if s.Reverse {
		slices.Reverse(mine)
	}
	before := func(a, b txn.Key) bool { return s.Reverse && a > b || !s.Reverse && a < b }
	out := make([]txn.Pair, 0, len(rows)+len(mine))
	for len(rows) > 0 || len(mine) > 0 {
		switch {
		case len(mine) == 0 || len(rows) > 0 && before(rows[0].Key, mine[0].Key):
			out = append(out, txn.Pair{Key: rows[0].Key, Value: rows[0].Value})
			rows = rows[1:]
		default:
			if len(rows) > 0 && rows[0].Key == mine[0].Key {
				rows = rows[1:]
			}
			if mine[0].Value != nil {
				out = append(out, mine[0])
			}
			mine = mine[1:]
		}
		if s.Limit > 0 && len(out) == s.Limit {
			break
		}
	}
	return out
}
