package table

import (
	"context"
	"slices"
	"testing"

	"isochron/txn"
)

// counted is a transaction of a few rows that counts reads.
type counted struct {
	txn.Txn
	rows  map[txn.Key]string
	reads int
}

func (c *counted) Read(_ context.Context, r txn.Read) (res txn.ReadResult, err error) {
	c.reads++
	for _, k := range r.Gets {
		var v []byte
		if s, ok := c.rows[k]; ok {
			v = []byte(s)
		}
		res.Values = append(res.Values, v)
	}
	for _, s := range r.Scans {
		var pairs []txn.Pair
		for k, v := range c.rows { // order: sorted
			if s.Span.Contains(k) {
				pairs = append(pairs, txn.Pair{Key: k, Value: []byte(v)})
			}
		}
		slices.SortFunc(pairs, func(a, b txn.Pair) int { return map[bool]int{true: -1, false: 1}[a.Key < b.Key] })
		if s.Reverse {
			slices.Reverse(pairs)
		}
		if s.Limit > 0 && len(pairs) > s.Limit {
			pairs = pairs[:s.Limit]
		}
		res.Pairs = append(res.Pairs, pairs)
	}
	return res, nil
}

func (c *counted) Put(k txn.Key, v []byte) { c.rows[k] = string(v) }
func (c *counted) Delete(k txn.Key)        { delete(c.rows, k) }
func (c *counted) Savepoint() int          { return 0 }
func (c *counted) RollbackTo(int)          {}

func keysOf(pairs []txn.Pair) (out string) {
	for _, p := range pairs {
		out += string(p.Key)
	}
	return out
}

// What was read is answered without a read, with the writes since; a stronger lock, or more of a span than was read, is not.
func TestCached(t *testing.T) {
	real := &counted{rows: map[txn.Key]string{"b": "1", "c": "2", "e": "3"}}
	c := NewCached(real)
	all := txn.Scan{Span: txn.Span{Start: "a", End: "z"}}
	scan := func(limit int, want string, reads int) {
		t.Helper()
		before := real.reads
		s := all
		s.Limit = limit
		res, err := c.Read(t.Context(), txn.Read{Scans: []txn.Scan{s}})
		if got := keysOf(res.Pairs[0]); err != nil || got != want || real.reads-before != reads {
			t.Errorf("limit %d: %q after %d reads, expected %q after %d (%v)", limit, got, real.reads-before, want, reads, err)
		}
	}
	get := func(lock txn.Lock, want string, reads int) {
		t.Helper()
		before := real.reads
		res, err := c.Read(t.Context(), txn.Read{Gets: []txn.Key{"e"}, Lock: lock})
		if got := string(res.Values[0]); err != nil || got != want || real.reads-before != reads {
			t.Errorf("%q after %d reads, expected %q after %d (%v)", got, real.reads-before, want, reads, err)
		}
	}
	scan(1, "b", 1)
	scan(1, "b", 0)
	scan(2, "bc", 1)
	scan(3, "bce", 1)
	scan(4, "bce", 1) // three were all that were asked for
	scan(0, "bce", 0)
	mark := c.Mark()
	c.Put("d", []byte("4"))
	c.Delete("b")
	scan(0, "cde", 0)
	scan(1, "c", 0)
	c.Undo(mark)
	scan(0, "bce", 0)
	get(txn.LockShared, "3", 1)
	get(txn.LockNone, "3", 0)
	get(txn.LockExclusive, "3", 1)
	get(txn.LockShared, "3", 0)
	c.Put("e", []byte("5"))
	get(txn.LockExclusive, "5", 0)
}
