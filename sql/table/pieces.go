package table

import (
	"context"
	"slices"

	"isochron/sql/catalog"
	"isochron/txn"
)

// collector reads the keys and spans of an access, a chunk of each span in a round.
type collector struct {
	*Access
	tx      txn.Txn
	mode    Mode
	final   bool // what one round carries may be the only read of its transaction
	several bool // keys or spans
	ordered bool // in the order of the index; else each round's part is
	chunk   int  // keys of a span that a round requests
	gets    []txn.Key
	pending []pendingSpan
	hits    []found // read and not yielded: others before them may come
}

// pendingSpan is what is yet to be read of a span.
type pendingSpan struct {
	txn.Span
	of, ahead int // the access's span, and how many hits of it are not yielded
}

func (a *Access) collector(tx txn.Txn, m Mode, final, ordered bool) collector {
	c := collector{Access: a, tx: tx, mode: m, final: final, several: len(a.Gets)+len(a.Scans) > 1, ordered: ordered, chunk: scanChunk, gets: a.Gets}
	if a.Limit > 0 && a.Exact() {
		c.chunk = min(c.chunk, a.Limit)
	}
	for i, s := range a.Scans {
		c.pending = append(c.pending, pendingSpan{Span: s.Span, of: i})
	}
	return c
}

// ended reports whether everything was read.
func (c *collector) ended() bool { return len(c.gets) == 0 && len(c.pending) == 0 }

// next costs a round. It yields what follows in the order of the index.
func (c *collector) next(ctx context.Context) ([]found, error) {
	read := c.mode.read()
	asked := c.request(&read)
	read.OnlyRead = c.mode.OnlyRead && c.final
	res, err := c.tx.Read(ctx, read)
	if err != nil {
		return nil, err
	}
	c.accept(asked, res.Values, res.Pairs)
	if read.OnlyRead && len(c.pending) > 0 {
		return nil, ErrNotFinal
	}
	return c.complete(), nil
}

// request puts into a read what is read next, and returns the spans among it.
func (c *collector) request(read *txn.Read) []pendingSpan {
	read.Gets = c.gets
	asked := slices.Clone(c.pending)
	asked = slices.DeleteFunc(asked, func(s pendingSpan) bool { return s.ahead >= c.chunk }) // never all: some hold others up
	for _, s := range asked {
		read.Scans = append(read.Scans, txn.Scan{Span: s.Span, Limit: c.chunk, Reverse: c.Reverse})
	}
	return asked
}

// accept takes the answer to a request.
func (c *collector) accept(asked []pendingSpan, values [][]byte, pairs [][]txn.Pair) {
	for i, value := range values {
		if value != nil {
			c.hits = append(c.hits, found{c.gets[i], value, -1})
		}
	}
	c.gets = nil
	for i, s := range asked {
		c.take(s, pairs[i])
	}
	if c.several {
		c.sort(c.hits)
	}
}

// take takes what a round has read of a span.
func (c *collector) take(s pendingSpan, pairs []txn.Pair) {
	c.hits = slices.Grow(c.hits, len(pairs))
	for _, p := range pairs {
		c.hits = append(c.hits, found{p.Key, p.Value, s.of})
	}
	at := slices.IndexFunc(c.pending, func(p pendingSpan) bool { return p.of == s.of })
	if n := len(pairs); n < c.chunk || c.Limit > 0 && c.Exact() {
		c.pending = slices.Delete(c.pending, at, at+1)
	} else if last := pairs[n-1].Key; c.Reverse {
		c.pending[at].End = last
	} else {
		c.pending[at].Start = last + "\x00"
	}
}

// complete are the hits that have none before them which is yet to be read.
func (c *collector) complete() []found {
	n := len(c.hits)
	if c.several && c.ordered && !c.ended() {
		of := func(k txn.Key) string { return string(k[min(catalog.PartitionBytes, len(k)):]) }
		n = slices.IndexFunc(append(c.hits, found{}), func(h found) bool {
			return h.key == "" || slices.ContainsFunc(c.pending, func(s pendingSpan) bool {
				return c.Reverse && of(s.End) > of(h.key) || !c.Reverse && of(s.Start) <= of(h.key)
			})
		})
	}
	out := c.hits[:n:n]
	c.hits = c.hits[n:]
	for i := range c.pending {
		c.pending[i].ahead = 0
		for _, h := range c.hits {
			if h.of == c.pending[i].of {
				c.pending[i].ahead++
			}
		}
	}
	return out
}

// collect reads all keys and spans of the access.
func (a *Access) collect(ctx context.Context, tx txn.Txn, m Mode, final bool) (hits []found, err error) {
	c := a.collector(tx, m, final, true)
	for !c.ended() {
		more, err := c.next(ctx)
		if err != nil {
			return nil, err
		}
		if hits == nil {
			hits = more
		} else {
			hits = append(hits, more...)
		}
	}
	return hits, nil
}

// Pieces yields what an access reads in pieces: each costs the rounds of Fetch, and holds no more than the chunks of its spans
// that one round carries.
type Pieces struct {
	collector collector
	columns   []int
	single    bool
	screener
	left  int       // rows that the limit leaves
	whole bool      // all rows in one piece
	first [][]Value // the first piece, if begun
	begun bool      // Begin has read the first piece
}

// Pieces begins to read the columns at these positions, as FetchValues does. ordered: in the order of the index.
func (a *Access) Pieces(tx txn.Txn, m Mode, columns []int, ordered bool) *Pieces {
	single := a.Rounds(m, columns) <= 1
	return &Pieces{
		collector: a.collector(tx, m, single, ordered), columns: columns, single: single, screener: screener{Access: a, behind: !single},
		left: a.Limit, whole: a.hides(columns),
	}
}

// Next returns the next piece; nil: there is none. Text and bytes are those that were read, not copies.
func (p *Pieces) Next(ctx context.Context) ([][]Value, error) {
	c := &p.collector
	if p.whole { // changes hold all their rows
		p.whole, c.gets, c.pending = false, nil, nil
		return c.heldValues(ctx, c.tx, c.mode, p.columns)
	}
	for !p.Ended() {
		rows, err := p.piece(ctx)
		if err != nil {
			return nil, err
		}
		if c.Limit > 0 {
			rows = rows[:min(len(rows), p.left)]
			p.left -= len(rows)
		}
		if len(rows) > 0 {
			return rows, nil
		}
	}
	return nil, nil
}

// Begun reports whether the first piece is there without a round.
func (p *Pieces) Begun() bool { return p.begun }

// Ended reports whether no piece follows.
func (p *Pieces) Ended() bool {
	return !p.begun && !p.whole && (p.collector.ended() || p.collector.Limit > 0 && p.left <= 0)
}

func (p *Pieces) piece(ctx context.Context) ([][]Value, error) {
	if rows := p.first; p.begun {
		p.begun, p.first = false, nil
		return rows, nil
	}
	hits, err := p.collector.next(ctx)
	if err != nil {
		return nil, err
	}
	values, keys, err := p.screen(hits)
	if err != nil {
		return nil, err
	}
	if !p.single && len(keys) > 0 {
		if values, err = p.collector.mode.values(ctx, p.collector.tx, keys); err != nil {
			return nil, err
		}
	}
	return p.collector.asValues(values, p.columns, p.single && !p.collector.Index.Primary)
}
