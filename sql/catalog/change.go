package catalog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"isochron/routing"
	"isochron/sql/legacy"
	"isochron/txn"
)

// Change is one transaction that changes the catalogue, whole or not at all, for one statement.
// After an error of one of its steps it can only be rolled back.
type Change struct {
	ctx     context.Context
	store   *Store
	tx      txn.Txn
	base    *Snapshot
	wait    time.Duration // for other users of the changed objects
	written []*Descriptor
	edits   map[txn.Key][]byte // of the catalogue; nil: deleted
	left    []string           // prefixes of keys that nothing uses once it is committed
	placed  []uint64           // tables that were given ranges for it
	free    map[uint64]bool    // tables that no open transaction uses
}

// NewChange makes a change of what a snapshot shows, in a transaction that has not begun. Others
// that use a table are waited for until this long has passed.
func (s *Store) NewChange(ctx context.Context, tx txn.Txn, base *Snapshot, wait time.Duration) *Change {
	return &Change{ctx: ctx, store: s, tx: tx, base: base, wait: wait, edits: map[txn.Key][]byte{}, free: map[uint64]bool{}}
}

// change runs do in a transaction of the gateway's own.
func (s *Store) change(ctx context.Context, do func(*Change) error) error {
	var c *Change
	return retry(ctx, s.db, txn.Options{}, func(tx txn.Txn) error {
		c = s.NewChange(ctx, tx, nil, 0)
		if err := do(c); err != nil {
			return err
		}
		c.Seal()
		return nil
	}, func(txn.Txn) { c.Committed() })
}

func (c *Change) put(key txn.Key, value []byte) {
	c.tx.Put(key, value)
	c.edit(key, value)
}

func (c *Change) delete(key txn.Key) {
	c.tx.Delete(key)
	c.edit(key, nil)
}

func (c *Change) edit(key txn.Key, value []byte) {
	if SystemSpan().Contains(key) {
		c.edits[key] = value
	}
}

// Seal adds what every gateway is to see of it. The caller commits the transaction then, and calls
// Committed or RolledBack.
func (c *Change) Seal() {
	if len(c.edits) == 0 {
		return
	}
	c.tx.Put(versionKey, []byte(c.tx.ID().String()))
	for _, prefix := range c.left {
		c.tx.Put(leftKey(prefix), []byte{1})
	}
}

// Committed reads the catalogue again and clears the rows and ranges that the change has left. The change has happened: if
// this fails, another gateway does it later.
func (c *Change) Committed() {
	s, v := c.store, c.tx.Stats().CommitVersion
	if len(c.edits) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), catchUpLimit)
	defer cancel()
	for _, d := range c.written {
		d.version.Store(&v)
	}
	snap, err := s.Reload(ctx)
	if err != nil {
		s.forgetGlance()
		return
	}
	for _, d := range c.written {
		if now, ok := snap.Table(d.Record.Database, d.Record.Name); ok && slices.Equal(now.raw, d.raw) {
			now.version.Store(d.version.Load())
		}
	}
	s.clear(ctx, snap.left)
}

// RolledBack takes back the ranges that were given to tables for it. If they stay, they
// do no harm.
func (c *Change) RolledBack() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), catchUpLimit)
	defer cancel()
	for _, id := range c.placed {
		_ = c.store.purge(ctx, routing.TablePrefix(id), clearPatience)
	}
	c.placed = nil
}

// get reads keys of the catalogue.
func (c *Change) get(keys ...txn.Key) ([][]byte, error) {
	res, err := c.tx.Read(c.ctx, txn.Read{Gets: keys, ForWrite: true})
	return res.Values, err
}

// table reads a table's present definition once no other transaction uses it. A statement planned for another one must be
// planned again.
func (c *Change) table(db, name string) (*Record, error) {
	d, planned := c.base.Table(db, name)
	if _, edited := c.edits[tableKey(db, name)]; !planned || edited {
		return c.tableInUse(db, name)
	}
	if err := c.Alone(d); err != nil {
		return nil, err
	}
	rec, err := c.tableInUse(db, name)
	if legacy.ErrTableNotFound.Is(err) || err == nil && (rec.ID != d.ID() || rec.Generation != d.Record.Generation) {
		return nil, txn.Errorf(txn.KindStale, "the definition of table %s changed while the statement was planned", name)
	}
	return rec, err
}

// tableInUse is table without waiting for the table's users.
func (c *Change) tableInUse(db, name string) (*Record, error) {
	values, err := c.get(tableKey(db, name))
	if err != nil {
		return nil, err
	}
	if values[0] == nil {
		return nil, legacy.ErrTableNotFound.New(name)
	}
	rec := new(Record)
	return rec, txn.Decode(values[0], rec)
}

// write stores a table and its new version at every shard that holds it.
func (c *Change) write(rec *Record) (*Descriptor, error) {
	rec.Generation++
	rec.Format = rec.format()
	d, err := NewDescriptor(rec)
	if err != nil {
		return nil, err
	}
	c.put(tableKey(rec.Database, rec.Name), d.raw)
	c.written = append(c.written, d)
	return d, c.touch(d, d.raw)
}

// alter changes a table's record.
func (c *Change) alter(db, name string, do func(*Record) error) error {
	rec, err := c.table(db, name)
	if err != nil {
		return err
	}
	if err := do(rec); err != nil {
		return err
	}
	_, err = c.write(rec)
	return err
}

// touch makes a new version of a table's schema at every shard that holds it. A
// dropped table keeps its mark, so that no one takes it for never seen.
func (c *Change) touch(d *Descriptor, value []byte) error {
	err := waitFor(c.ctx, func() bool { return c.store.routed(d) })
	if err != nil {
		return err
	}
	for _, shard := range d.Shards(c.store.db.Directory()) {
		c.tx.Put(guardKey(shard, d.ID()), value)
	}
	return nil
}

// end is touch for a dropped table.
func (c *Change) end(rec *Record, mark string) error {
	d, err := NewDescriptor(rec.clone())
	if err != nil {
		return err
	}
	c.leave(routing.TablePrefix(rec.ID))
	c.tx.Delete(sequenceKey(rec.ID))
	return c.touch(d, []byte(mark))
}

// direct changes the directory and waits until this gateway routes by it.
func (s *Store) direct(ctx context.Context, do func(txn.Txn, *routing.Directory) error) error {
	var epoch uint64
	err := Retry(ctx, s.db, txn.Options{SystemTxn: true}, func(tx txn.Txn) error {
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
