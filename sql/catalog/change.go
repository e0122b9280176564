package catalog

import (
	"context"
	"fmt"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/routing"
	"isochron/txn"
)

// change is one transaction that changes the catalogue.
type change struct {
	ctx     context.Context
	store   *Store
	tx      txn.Txn
	written []*Descriptor
}

// change runs do in a transaction, tells every gateway that the catalogue has
// changed, and reads it anew here.
func (s *Store) change(ctx context.Context, do func(*change) error) error {
	var c *change
	err := retry(ctx, s.db, txn.Options{}, func(tx txn.Txn) error {
		c = &change{ctx: ctx, store: s, tx: tx}
		if err := do(c); err != nil {
			return err
		}
		tx.Put(versionKey, []byte(tx.ID().String()))
		return nil
	}, func(tx txn.Txn) {
		v := tx.Stats().CommitVersion
		for _, d := range c.written {
			d.version.Store(&v)
		}
	})
	if err != nil {
		return err
	}
	snap, err := s.Reload(ctx)
	if err != nil {
		return err
	}
	for _, d := range c.written {
		if now, ok := snap.Table(d.Record.Database, d.Record.Name); ok && slices.Equal(now.raw, d.raw) {
			now.version.Store(d.version.Load())
		}
	}
	return nil
}

// get reads keys of the catalogue.
func (c *change) get(keys ...txn.Key) ([][]byte, error) {
	res, err := c.tx.Read(c.ctx, txn.Read{Gets: keys, ForWrite: true})
	return res.Values, err
}

// table reads a table as it is now.
func (c *change) table(db, name string) (*Record, error) {
	values, err := c.get(tableKey(db, name))
	if err != nil {
		return nil, err
	}
	if values[0] == nil {
		return nil, gms.ErrTableNotFound.New(name)
	}
	rec := new(Record)
	return rec, txn.Decode(values[0], rec)
}

// write stores a table and its new version at every shard that holds it.
func (c *change) write(rec *Record) (*Descriptor, error) {
	rec.Generation++
	rec.Format = recordFormat
	d, err := NewDescriptor(rec)
	if err != nil {
		return nil, err
	}
	c.tx.Put(tableKey(rec.Database, rec.Name), d.raw)
	c.written = append(c.written, d)
	return d, c.touch(d, d.raw)
}

// touch makes a new version of a table's schema at every shard that holds it. A
// dropped table keeps its mark, so that no one takes it for never seen.
func (c *change) touch(d *Descriptor, value []byte) error {
	err := waitFor(c.ctx, func() bool { return c.store.routed(d) })
	if err != nil {
		return err
	}
	for _, shard := range d.Shards(c.store.db.Directory()) {
		c.tx.Put(guardKey(shard, d.ID()), value)
	}
	return nil
}

// end is touch for a table that there will be no more.
func (c *change) end(rec *Record, mark string) error {
	d, err := NewDescriptor(rec.clone())
	if err != nil {
		return err
	}
	return c.touch(d, []byte(mark))
}

// direct changes the directory and waits until this gateway routes by it.
func (s *Store) direct(ctx context.Context, do func(txn.Txn, *routing.Directory) error) error {
	var epoch uint64
	err := Retry(ctx, s.db, txn.Options{Upkeep: true}, func(tx txn.Txn) error {
		res, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{directoryKey}, ForWrite: true})
		if err != nil {
			return err
		}
		if res.Values[0] == nil {
			return fmt.Errorf("the cluster has no directory of shards; was it initialised?")
		}
		dir, err := routing.Decode(res.Values[0])
		if err != nil {
			return err
		}
		dir = dir.Clone()
		if err := do(tx, dir); err != nil {
			return err
		}
		dir.Epoch++
		epoch = dir.Epoch
		tx.Put(directoryKey, dir.Encode())
		return nil
	})
	if err != nil {
		return err
	}
	return waitFor(ctx, func() bool { return s.db.Directory().Epoch >= epoch })
}

// placeIndex gives the ranges of an index to shards.
func placeIndex(dir *routing.Directory, r *Record, index uint32, global bool) {
	p := r.Placement
	n := p.partitions()
	if global {
		n = 1
	}
	for part := range n {
		leader, slot := p.Leader, 0
		if !global {
			switch p.Spread {
			case SpreadHash:
				slot = part
			case SpreadRegion:
				leader = p.Regions[part]
			}
		}
		dir.AddRange(string(PartitionPrefix(r.ID, index, part)), dir.EnsureShardIn(p.Replicas, leader, slot))
	}
	if index == 0 {
		prefix := string(PartitionPrefix(r.ID, 0, 0))
		for i, split := range p.Splits {
			dir.AddRange(prefix+string(split), dir.EnsureShardIn(p.Replicas, p.Leader, i+1))
		}
	}
}

// placeTable gives all ranges of a table to shards.
func placeTable(dir *routing.Directory, r *Record) {
	placeIndex(dir, r, 0, false)
	for _, x := range r.Indexes {
		placeIndex(dir, r, x.ID, x.Global)
	}
}
