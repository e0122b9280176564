package table

import (
	"cmp"
	"context"

	"github.com/tidwall/btree"

	"isochron/txn"
)

// Cached is a transaction that answers again, without a round, what one statement has read of it, with what the statement has
// written since. A statement that knows beforehand what its rows will be checked against reads it in a few rounds, and then
// checks its rows one by one. It is for reads without a wait policy.
//
// Invariant: an answer was read under a lock that is at least the requested one, or is a write of this statement.
type Cached struct {
	txn.Txn
	gets   map[txn.Key]keptRow
	scans  map[txn.Span]keptScan
	writes btree.Map[txn.Key, []byte] // nil: deleted
	undo   []undone
}

// keptRow is a row that was read; nil: there is none.
type keptRow struct {
	value    []byte
	strength strength
}

// keptScan is what was read of a span; all: nothing more was in it.
type keptScan struct {
	pairs    []txn.Pair
	all      bool
	strength strength
}

// undone is what a key had before a write of the statement.
type undone struct {
	key    txn.Key
	before []byte
	had    bool
}

// strength orders locks that reads request.
type strength uint8

func strengthOf(r txn.Read) strength {
	if r.ForWrite {
		return strength(txn.LockExclusive)
	}
	return strength(r.Lock)
}

// NewCached is a transaction that keeps what a statement reads of another.
func NewCached(tx txn.Txn) *Cached {
	return &Cached{Txn: tx, gets: map[txn.Key]keptRow{}, scans: map[txn.Span]keptScan{}}
}

// Read implements txn.Txn.
func (c *Cached) Read(ctx context.Context, r txn.Read) (txn.ReadResult, error) {
	want := strengthOf(r)
	res := txn.ReadResult{Values: make([][]byte, len(r.Gets)), Pairs: make([][]txn.Pair, len(r.Scans))}
	missing := r
	missing.Gets, missing.Scans = nil, nil
	var gets, scans []int
	for i, k := range r.Gets {
		if v, ok := c.row(k, want); ok {
			res.Values[i] = v
			continue
		}
		gets, missing.Gets = append(gets, i), append(missing.Gets, k)
	}
	for i, s := range r.Scans {
		if pairs, ok := c.span(s, want); ok {
			res.Pairs[i] = pairs
			continue
		}
		scans, missing.Scans = append(scans, i), append(missing.Scans, s)
	}
	if len(gets)+len(scans) == 0 {
		return res, nil
	}
	read, err := c.Txn.Read(ctx, missing)
	if err != nil {
		return read, err
	}
	for j, i := range gets {
		res.Values[i] = read.Values[j]
		c.gets[r.Gets[i]] = keptRow{read.Values[j], want}
	}
	for j, i := range scans {
		s := r.Scans[i]
		res.Pairs[i] = read.Pairs[j]
		if !s.Reverse {
			c.scans[s.Span] = keptScan{read.Pairs[j], s.Limit == 0 || len(read.Pairs[j]) < s.Limit, want}
		}
	}
	return res, nil
}

// row is a row that is known.
func (c *Cached) row(k txn.Key, want strength) (value []byte, ok bool) {
	if v, ok := c.writes.Get(k); ok {
		return v, true
	}
	kept, ok := c.gets[k]
	return kept.value, ok && kept.strength >= want
}

// span is what is known of a span, if it answers the scan.
func (c *Cached) span(s txn.Scan, want strength) (pairs []txn.Pair, ok bool) {
	kept, ok := c.scans[s.Span]
	if !ok || s.Reverse || kept.strength < want {
		return nil, false
	}
	base, end := kept.pairs, s.Span.End
	if !kept.all && len(base) > 0 {
		end = base[len(base)-1].Key + "\x00"
	}
	add := func(p txn.Pair) bool {
		if p.Value != nil {
			pairs = append(pairs, p)
		}
		return s.Limit == 0 || len(pairs) < s.Limit
	}
	c.writes.Ascend(s.Span.Start, func(k txn.Key, v []byte) bool {
		if k >= end {
			return false
		}
		for len(base) > 0 && base[0].Key < k {
			if p := base[0]; !add(p) {
				return false
			}
			base = base[1:]
		}
		if len(base) > 0 && base[0].Key == k {
			base = base[1:]
		}
		return add(txn.Pair{Key: k, Value: v})
	})
	for _, p := range base {
		if s.Limit > 0 && len(pairs) >= s.Limit {
			break
		}
		pairs = append(pairs, p)
	}
	return pairs, kept.all || s.Limit > 0 && len(pairs) >= s.Limit
}

// Put implements txn.Txn.
func (c *Cached) Put(k txn.Key, value []byte) {
	c.note(k, value)
	c.Txn.Put(k, value)
}

// Delete implements txn.Txn.
func (c *Cached) Delete(k txn.Key) {
	c.note(k, nil)
	c.Txn.Delete(k)
}

func (c *Cached) note(k txn.Key, value []byte) {
	before, had := c.writes.Set(k, value)
	c.undo = append(c.undo, undone{k, before, had})
}

// Savepoint is a place in the statement's writes.
type Savepoint struct{ real, own int }

// Mark returns the present place.
func (c *Cached) Mark() Savepoint { return Savepoint{c.Txn.Savepoint(), len(c.undo)} }

// Undo drops the writes behind a mark.
func (c *Cached) Undo(m Savepoint) {
	c.Txn.RollbackTo(m.real)
	for len(c.undo) > m.own {
		u := c.undo[len(c.undo)-1]
		c.undo = c.undo[:len(c.undo)-1]
		if u.had {
			c.writes.Set(u.key, u.before)
		} else {
			c.writes.Delete(u.key)
		}
	}
}

// Reading collects reads of several accesses for one round.
type Reading struct {
	txn.Read
	known map[txn.Span]bool
}

// Add adds the keys and spans of an access, each once; most bounds what is read of each span: 0 is what one round carries.
func (r *Reading) Add(a *Access, most int) {
	if r.known == nil {
		r.known = map[txn.Span]bool{}
	}
	most = cmp.Or(most, scanChunk)
	for _, k := range a.Gets {
		r.Get(k)
	}
	for _, s := range a.Scans {
		if !r.known[s.Span] {
			r.known[s.Span] = true
			r.Scans = append(r.Scans, txn.Scan{Span: s.Span, Limit: most})
		}
	}
}

// Get adds a key.
func (r *Reading) Get(k txn.Key) {
	if r.known == nil {
		r.known = map[txn.Span]bool{}
	}
	if point := (txn.Span{Start: k}); !r.known[point] {
		r.known[point] = true
		r.Gets = append(r.Gets, k)
	}
}

// Empty reports whether there is nothing to be read.
func (r *Reading) Empty() bool { return len(r.Gets)+len(r.Scans) == 0 }
