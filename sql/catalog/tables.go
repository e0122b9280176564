package catalog

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/routing"
	"isochron/sql/rowcodec"
	"isochron/txn"
)

// Definition is what CREATE TABLE says.
type Definition struct {
	Database   string
	Name       string
	Schema     gms.PrimaryKeySchema
	Indexes    []gms.IndexDef
	Checks     []Check
	ForeignKey []ForeignKey
	Collation  gms.CollationID
	Comment    string
	// AutoIncrement is the first value of the column that counts by itself; 0 and 1: 1.
	AutoIncrement uint64
	// Parents are the tables that foreign keys were checked against.
	Parents []*Descriptor
}

// Draft is the table that a definition would make. It is in no catalogue.
func Draft(def Definition) (*Descriptor, error) {
	rec, err := newRecord(def)
	if err != nil {
		return nil, err
	}
	return NewDescriptor(rec)
}

// CreateTable makes a table, or nothing.
func (s *Store) CreateTable(ctx context.Context, def Definition) error {
	request, err := ParsePlacementRequest(def.Comment)
	if err != nil {
		return err
	}
	rec, err := newRecord(def)
	if err != nil {
		return err
	}
	dir := s.db.Directory()
	if rec.Placement, err = request.resolve(rec, dir.StorageRegions(), dir.HomeOf(string(s.db.Region()))); err != nil {
		return err
	}
	if rec.Placement.Splits, err = rec.splits(request.Split); err != nil {
		return err
	}
	for i := range rec.Indexes {
		rec.Indexes[i].Global = rec.mustBeGlobal(rec.Indexes[i])
	}
	if err := s.placeNew(ctx, rec); err != nil {
		return err
	}
	var refused error
	err = s.change(ctx, func(c *change) error {
		if refused = c.mayCreate(rec, def.Parents); refused != nil {
			return refused
		}
		if def.AutoIncrement > 1 {
			c.tx.Put(sequenceKey(rec.ID), binary.BigEndian.AppendUint64(nil, def.AutoIncrement))
		}
		_, err := c.write(rec)
		return err
	})
	if err != nil && refused != nil { // its ranges stand in the directory already; if they stay, they are in nobody's way
		if e := s.purge(context.WithoutCancel(ctx), rec.ID); e != nil {
			return fmt.Errorf("%w (and its place could not be freed: %v)", err, e)
		}
	}
	return err
}

// mayCreate fails if a table cannot be made as it was drafted.
func (c *change) mayCreate(rec *Record, parents []*Descriptor) error {
	if err := c.nameIsFree(rec.Database, rec.Name); err != nil {
		return err
	}
	return c.unchanged(parents)
}

// unchanged fails if one of the tables is not as it was.
func (c *change) unchanged(tables []*Descriptor) error {
	for _, d := range tables {
		now, err := c.table(d.Record.Database, d.Record.Name)
		if err != nil {
			return err
		}
		if now.ID != d.Record.ID || now.Generation != d.Record.Generation {
			return txn.Errorf(txn.KindStale, "the definition of table %s changed while a foreign key to it was made; try again", d.Name())
		}
	}
	return nil
}

// placeNew gives a table an id and its ranges to shards.
func (s *Store) placeNew(ctx context.Context, rec *Record) error {
	return s.direct(ctx, func(tx txn.Txn, dir *routing.Directory) error {
		c := &change{ctx: ctx, store: s, tx: tx}
		values, err := c.get(nextTableKey)
		if err != nil {
			return err
		}
		rec.ID = 1
		if b := values[0]; len(b) == 8 {
			rec.ID = binary.BigEndian.Uint64(b)
		}
		tx.Put(nextTableKey, binary.BigEndian.AppendUint64(nil, rec.ID+1))
		placeTable(dir, rec)
		return nil
	})
}

func (c *change) nameIsFree(db, name string) error {
	values, err := c.get(databaseKey(db), tableKey(db, name), viewKey(db, name), foreignKey(db, name))
	switch {
	case err != nil:
		return err
	case values[0] == nil:
		return gms.ErrDatabaseNotFound.New(db)
	case values[1] != nil, values[2] != nil, values[3] != nil:
		return gms.ErrTableAlreadyExists.New(name)
	}
	return nil
}

func newRecord(def Definition) (*Record, error) {
	rec := &Record{
		Format: recordFormat, Database: def.Database, Name: def.Name, Collation: uint16(def.Collation),
		Comment: def.Comment, Checks: def.Checks, ForeignKey: def.ForeignKey, NextColumn: 1, NextIndex: 1,
	}
	if strings.ContainsRune(def.Name, 0) {
		return nil, fmt.Errorf("a table name cannot hold a zero byte")
	}
	for _, c := range def.Schema.Schema {
		col, err := storeColumn(rec.NextColumn, c)
		if err != nil {
			return nil, err
		}
		rec.Columns = append(rec.Columns, col)
		rec.NextColumn++
	}
	for _, at := range def.Schema.PkOrdinals {
		if err := indexable(def.Schema.Schema[at]); err != nil {
			return nil, err
		}
		rec.PrimaryKey = append(rec.PrimaryKey, rec.Columns[at].ID)
	}
	for _, def := range def.Indexes {
		if def.IsPrimary() {
			continue
		}
		if err := rec.addIndex(def); err != nil {
			return nil, err
		}
	}
	return rec, nil
}

func indexable(c *gms.Column) error {
	if _, err := rowcodec.KeyKind(c.Type); err != nil {
		return fmt.Errorf("column %s: %w", c.Name, err)
	}
	return nil
}

// addIndex adds a secondary index to the record.
func (r *Record) addIndex(def gms.IndexDef) error {
	if def.IsFullText() || def.IsSpatial() || def.IsVector() {
		return fmt.Errorf("index %s: full-text, spatial and vector indexes are not supported", def.Name)
	}
	if def.Predicate != nil {
		return fmt.Errorf("index %s: partial indexes are not supported", def.Name)
	}
	x := Index{ID: r.NextIndex, Name: def.Name, Unique: def.IsUnique(), Comment: def.Comment}
	for _, c := range def.Columns {
		if c.Expression != nil {
			return fmt.Errorf("index %s: an index on an expression is not supported; add a generated column and index it", def.Name)
		}
		at := r.columnNamed(c.Name)
		if at < 0 {
			return gms.ErrKeyColumnDoesNotExist.New(c.Name)
		}
		t, err := loadType(r.Columns[at])
		if err != nil {
			return err
		}
		if err := indexable(&gms.Column{Name: c.Name, Type: t}); err != nil {
			return err
		}
		x.Columns = append(x.Columns, r.Columns[at].ID)
		x.Lengths = append(x.Lengths, int(c.Length))
	}
	if !slices.ContainsFunc(x.Lengths, func(n int) bool { return n > 0 }) {
		x.Lengths = nil
	}
	if x.Name == "" {
		x.Name = r.freeIndexName(r.Columns[r.column(x.Columns[0])].Name)
	}
	if r.indexNamed(x.Name) >= 0 {
		return gms.ErrDuplicateKey.New(x.Name)
	}
	r.NextIndex++
	x.Global = r.mustBeGlobal(x)
	r.Indexes = append(r.Indexes, x)
	return nil
}

func (r *Record) freeIndexName(base string) string {
	name := base
	for n := 2; r.indexNamed(name) >= 0; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	return name
}

// mustBeGlobal: rows of equal unique key may stand in different partitions
// unless the key decides the partition, so its entries must stand together.
func (r *Record) mustBeGlobal(x Index) bool {
	p := r.Placement
	if !x.Unique || p.partitions() <= 1 {
		return false
	}
	if len(p.Columns) == 0 {
		return true
	}
	return slices.ContainsFunc(p.Columns, func(id uint32) bool { return !slices.Contains(x.Columns, id) })
}

// splits encodes the points where a table's key range is divided.
func (r *Record) splits(points [][]any) ([][]byte, error) {
	ctx := gms.NewEmptyContext()
	var out [][]byte
	for _, point := range points {
		if len(point) == 0 || len(point) > len(r.PrimaryKey) {
			return nil, fmt.Errorf("the placement splits table %s at %v, which must have 1 to %d values, one for each column of the primary key", r.Name, point, len(r.PrimaryKey))
		}
		var key []byte
		for i, v := range point {
			t, err := loadType(r.Columns[r.column(r.PrimaryKey[i])])
			if err != nil {
				return nil, err
			}
			value, _, err := t.Convert(ctx, fmt.Sprint(v))
			if err == nil {
				key, err = rowcodec.AppendKey(key, t, value, 0)
			}
			if err != nil {
				return nil, fmt.Errorf("the placement splits table %s at %v, which is not a value of its primary key: %w", r.Name, point, err)
			}
		}
		if n := len(out); n > 0 && string(out[n-1]) >= string(key) {
			return nil, fmt.Errorf("the placement's split points of table %s must rise", r.Name)
		}
		out = append(out, key)
	}
	return out, nil
}

// DropTable removes a table, then its rows and its ranges.
func (s *Store) DropTable(ctx context.Context, db, name string) error {
	var id uint64
	err := s.change(ctx, func(c *change) error {
		rec, err := c.table(db, name)
		if err != nil {
			return err
		}
		id = rec.ID
		c.tx.Delete(tableKey(db, name))
		c.tx.Delete(sequenceKey(id))
		return c.end(rec, "dropped")
	})
	if err != nil {
		return err
	}
	return s.purge(ctx, id)
}

// Truncate gives a table a new, empty key range and drops the old one.
func (s *Store) Truncate(ctx context.Context, db, name string) error {
	snap, err := s.Reload(ctx)
	if err != nil {
		return err
	}
	d, ok := snap.Table(db, name)
	if !ok {
		return gms.ErrTableNotFound.New(name)
	}
	fresh := *d.Record
	if err := s.placeNew(ctx, &fresh); err != nil {
		return err
	}
	err = s.change(ctx, func(c *change) error {
		rec, err := c.table(db, name)
		if err != nil {
			return err
		}
		if rec.Generation != d.Record.Generation {
			return txn.Errorf(txn.KindStale, "the definition of table %s changed while it was truncated; try again", name)
		}
		next := fresh
		if err := c.end(rec, "truncated"); err != nil {
			return err
		}
		_, err = c.write(&next)
		return err
	})
	if err != nil {
		return err
	}
	return s.purge(ctx, d.Record.ID)
}

// purgeChunk is how many keys one transaction of purge deletes.
const purgeChunk = 2000

// purge deletes what a table that nobody can reach any more has left.
func (s *Store) purge(ctx context.Context, table uint64) error {
	return s.purgeSpan(ctx, spanOf(routing.TablePrefix(table)))
}

func (s *Store) purgeSpan(ctx context.Context, span txn.Span) error {
	ranges := s.db.Directory().Ranges
	first := slices.IndexFunc(ranges, func(r routing.Range) bool { return span.Contains(txn.Key(r.Start)) })
	if first < 0 {
		return nil
	}
	span.Start = txn.Key(ranges[first].Start) // no shard holds what is below
	for more := true; more; {
		err := Retry(ctx, s.db, txn.Options{}, func(tx txn.Txn) error {
			res, err := tx.Read(ctx, txn.Read{Scans: []txn.Scan{{Span: span, Limit: purgeChunk}}, ForWrite: true})
			if err != nil {
				return err
			}
			more = len(res.Pairs[0]) == purgeChunk
			for _, p := range res.Pairs[0] {
				tx.Delete(p.Key)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.direct(ctx, func(_ txn.Txn, dir *routing.Directory) error {
		dir.Ranges = slices.DeleteFunc(dir.Ranges, func(r routing.Range) bool {
			return span.Contains(txn.Key(r.Start))
		})
		return nil
	})
}

// RenameTable gives a table another name in its database.
func (s *Store) RenameTable(ctx context.Context, db, from, to string) error {
	return s.change(ctx, func(c *change) error {
		rec, err := c.table(db, from)
		if err != nil {
			return err
		}
		if err := c.nameIsFree(db, to); err != nil && fold(from) != fold(to) {
			return err
		}
		c.tx.Delete(tableKey(db, from))
		rec.Name = to
		_, err = c.write(rec)
		return err
	})
}
