package coordinator

import (
	"slices"

	"github.com/tidwall/btree"

	"isochron/txn"
)

// The bounds of one transaction. One shard may have to take all of its writes in one log entry,
// which travels in one message: two such messages fit into the queue of a connection (64 MiB), and
// one into raft's limit besides others.
const (
	maxWriteBytes = 32 << 20
	maxWrites     = 1_000_000
	// writeOverheadBytes is the size of a write besides its key and value, in memory or in a
	// message.
	writeOverheadBytes = 16
	// MaxPrepareBytes bounds one shard's part of a commit: the writes, and the checks of reads.
	MaxPrepareBytes = 40 << 20
	// maxReadBytes bounds the rows of a transaction's reads that a gateway keeps.
	maxReadBytes = 256 << 20
	// rowOverheadBytes is the size of such a row besides its key and value.
	rowOverheadBytes = 128
)

// buffer holds a transaction's writes before its commit.
//
// Invariant: rows maps each key of the log to its last write; bytes is the cost of the log.
type buffer struct {
	log   []txn.Write
	bytes int
	full  *txn.Error                 // the first write that exceeded a bound
	rows  btree.Map[txn.Key, []byte] // nil: deleted
}

func writeBytes(k txn.Key, value []byte) int { return len(k) + len(value) + writeOverheadBytes }

// set adds a write; one beyond a bound is dropped, and full is set.
func (b *buffer) set(k txn.Key, value []byte) {
	size := writeBytes(k, value)
	if b.full != nil || b.bytes+size > maxWriteBytes || len(b.log) >= maxWrites {
		if b.full == nil {
			b.full = txn.Errorf(txn.KindTooLarge, "a transaction holds at most %d writes and %d bytes of them; split it into several", maxWrites, maxWriteBytes)
		}
		return
	}
	b.bytes += size
	b.log = append(b.log, txn.Write{Key: k, Value: value})
	b.rows.Set(k, value)
}

func (b *buffer) savepoint() int { return len(b.log) }

func (b *buffer) rollbackTo(savepoint int) {
	if savepoint < 0 || savepoint > len(b.log) {
		return
	}
	b.full = nil // the write that exceeded a bound was the last
	if savepoint == len(b.log) {
		return
	}
	for _, w := range b.log[savepoint:] {
		b.bytes -= writeBytes(w.Key, w.Value)
	}
	clear(b.log[savepoint:]) // release the values
	b.log = b.log[:savepoint]
	b.rows = btree.Map[txn.Key, []byte]{}
	for _, w := range b.log {
		b.rows.Set(w.Key, w.Value)
	}
}

// writes returns the last write of each key, in key order.
func (b *buffer) writes() []txn.Write {
	out := make([]txn.Write, 0, b.rows.Len())
	b.rows.Scan(func(k txn.Key, v []byte) bool {
		out = append(out, txn.Write{Key: k, Value: v})
		return true
	})
	return out
}

// deletions counts the deleted keys of a span: a scan with a limit must read that many rows more.
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

// overlay merges the writes of a span into the rows read.
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
