package table

import (
	"context"

	"isochron/txn"
)

// Begin reads the first piece of each of several reads of one transaction, in the rounds of one read. It leaves for later what
// holds all its rows, or reads in another mode than the first of them.
func Begin(ctx context.Context, list []*Pieces) error {
	var of []*Pieces
	for _, p := range list {
		c := &p.collector
		if p.whole || p.Ended() || c.mode.OnlyRead || c.mode.Look || len(of) > 0 && c.mode != of[0].collector.mode {
			continue
		}
		of = append(of, p)
	}
	if len(of) < 2 {
		return nil
	}
	tx, mode := of[0].collector.tx, of[0].collector.mode
	all := newUnion(mode.read())
	asked := make([][]pendingSpan, len(of))
	parts := make([]part, len(of))
	for i, p := range of {
		var own txn.Read
		asked[i] = p.collector.request(&own)
		parts[i] = all.add(own)
	}
	res, err := tx.Read(ctx, all.read)
	if err != nil {
		return err
	}
	values, keys := make([][][]byte, len(of)), make([][]txn.Key, len(of))
	for i, p := range of {
		got, pairs := parts[i].of(res)
		p.collector.accept(asked[i], got, pairs)
		if values[i], keys[i], err = p.screen(p.collector.complete()); err != nil {
			return err
		}
	}
	if err := behind(ctx, of, values, keys); err != nil {
		return err
	}
	for i, p := range of {
		if p.first, err = p.collector.asValues(values[i], p.columns, p.single && !p.collector.Index.Primary); err != nil {
			return err
		}
		p.begun = true
	}
	return nil
}

// behind reads the rows behind the entries of all indexes, in one round.
func behind(ctx context.Context, of []*Pieces, values [][][]byte, keys [][]txn.Key) error {
	all := newUnion(txn.Read{})
	parts := make([]part, len(of))
	for i, p := range of {
		if !p.single {
			parts[i] = all.add(txn.Read{Gets: keys[i]})
		}
	}
	if len(all.read.Gets) == 0 {
		return nil
	}
	got, err := of[0].collector.mode.values(ctx, of[0].collector.tx, all.read.Gets)
	if err != nil {
		return err
	}
	for i, p := range of {
		if !p.single && len(keys[i]) > 0 {
			values[i], _ = parts[i].of(txn.ReadResult{Values: got})
		}
	}
	return nil
}

// union is a read of what several reads request. A key or scan of several is in it once.
type union struct {
	read  txn.Read
	gets  map[txn.Key]int
	scans map[txn.Scan]int
}

func newUnion(read txn.Read) *union {
	return &union{read: read, gets: map[txn.Key]int{}, scans: map[txn.Scan]int{}}
}

// part is the places in a union of what one of the reads requests.
type part struct{ gets, scans []int }

func (u *union) add(of txn.Read) (p part) {
	for _, k := range of.Gets {
		at, ok := u.gets[k]
		if !ok {
			at = len(u.read.Gets)
			u.gets[k], u.read.Gets = at, append(u.read.Gets, k)
		}
		p.gets = append(p.gets, at)
	}
	for _, s := range of.Scans {
		at, ok := u.scans[s]
		if !ok {
			at = len(u.read.Scans)
			u.scans[s], u.read.Scans = at, append(u.read.Scans, s)
		}
		p.scans = append(p.scans, at)
	}
	return p
}

// of is the part's own answer.
func (p part) of(res txn.ReadResult) (values [][]byte, pairs [][]txn.Pair) {
	for _, at := range p.gets {
		values = append(values, res.Values[at])
	}
	for _, at := range p.scans {
		pairs = append(pairs, res.Pairs[at])
	}
	return values, pairs
}
