package catalog

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"isochron/routing"
	"isochron/sql/legacy"
	"isochron/sql/rowcodec"
	"isochron/txn"
)

// Definition is the content of a CREATE TABLE.
type Definition struct {
	Database   string
	Name       string
	Columns    []legacy.Column
	PrimaryKey []int // positions of its columns
	Indexes    []legacy.Index
	Checks     []Check
	ForeignKey []ForeignKey
	Collation  uint16
	Comment    string
	// AutoIncrement is the first value of the column that counts by itself; 0 and 1: 1.
	AutoIncrement uint64
	// Parents are the tables that foreign keys were checked against.
	Parents []*Descriptor
	// Request is the placement where the comment has none; nil: the default.
	Request *PlacementRequest
}

// Draft is the table that a definition would make. It is in no catalogue.
func Draft(def Definition) (*Descriptor, error) {
	rec, err := newRecord(def)
	if err != nil {
		return nil, err
	}
	return NewDescriptor(rec)
}

// CreateTable makes a table.
func (c *Change) CreateTable(def Definition) error {
	request, err := ParsePlacementRequest(def.Comment)
	if err != nil {
		return err
	}
	if def.Request != nil && !strings.Contains(def.Comment, requestMark) {
		if request = *def.Request; request.check() != nil {
			return request.check()
		}
	}
	rec, err := newRecord(def)
	if err != nil {
		return err
	}
	dir := c.store.db.Directory()
	if rec.Placement, err = request.resolve(rec, dir.StorageRegions(), dir.HomeOf(string(c.store.db.Region()))); err != nil {
		return err
	}
	if rec.Placement.Splits, err = rec.splits(request.Split); err != nil {
		return err
	}
	for i := range rec.Indexes {
		rec.Indexes[i].Global = rec.mustBeGlobal(rec.Indexes[i])
	}
	if err := c.placeNew(rec, def.AutoIncrement); err != nil {
		return err
	}
	if err := c.mayCreate(rec, def.Parents); err != nil {
		return err
	}
	_, err = c.write(rec)
	return err
}

// mayCreate fails if a table cannot be made as it was drafted.
func (c *Change) mayCreate(rec *Record, parents []*Descriptor) error {
	if err := c.nameIsFree(rec.Database, rec.Name); err != nil {
		return err
	}
	return c.unchanged(parents)
}

// unchanged fails if one of the tables is not as it was.
func (c *Change) unchanged(tables []*Descriptor) error {
	for _, d := range tables {
		now, err := c.tableInUse(d.Record.Database, d.Record.Name)
		if err != nil {
			return err
		}
		if now.ID != d.Record.ID || now.Generation != d.Record.Generation {
			return txn.Errorf(txn.KindStale, "the definition of table %s changed while a foreign key to it was made; try again", d.Name())
		}
	}
	return nil
}

// placeNew gives a table an id, its first number if it has one, and its ranges to shards.
func (c *Change) placeNew(rec *Record, first uint64) error {
	err := c.store.direct(c.ctx, func(tx txn.Txn, dir *routing.Directory) error {
		res, err := tx.Read(c.ctx, txn.Read{Gets: []txn.Key{nextTableKey}, ForWrite: true})
		if err != nil {
			return err
		}
		rec.ID = 1
		if b := res.Values[0]; len(b) == 8 {
			rec.ID = binary.BigEndian.Uint64(b)
		}
		tx.Put(nextTableKey, binary.BigEndian.AppendUint64(nil, rec.ID+1))
		if first > 1 {
			tx.Put(sequenceKey(rec.ID), binary.BigEndian.AppendUint64(nil, first))
		}
		placeTable(dir, rec)
		return nil
	})
	if err == nil {
		c.placed = append(c.placed, rec.ID)
	}
	return err
}

func (c *Change) nameIsFree(db, name string) error {
	values, err := c.get(databaseKey(db), tableKey(db, name), viewKey(db, name), foreignKey(db, name))
	switch {
	case err != nil:
		return err
	case values[0] == nil:
		return legacy.ErrDatabaseNotFound.New(db)
	case values[1] != nil, values[2] != nil, values[3] != nil:
		return legacy.ErrTableAlreadyExists.New(name)
	}
	return nil
}

func newRecord(def Definition) (*Record, error) {
	rec := &Record{
		Format: recordFormat, Database: def.Database, Name: def.Name, Collation: def.Collation,
		Comment: def.Comment, Checks: def.Checks, ForeignKey: def.ForeignKey, NextColumn: 1, NextIndex: 1,
	}
	if strings.ContainsRune(def.Name, 0) {
		return nil, fmt.Errorf("a table name cannot hold a zero byte")
	}
	for i := range def.Columns {
		col, err := storeColumn(rec.NextColumn, &def.Columns[i])
		if err != nil {
			return nil, err
		}
		rec.Columns = append(rec.Columns, col)
		rec.NextColumn++
	}
	for _, at := range def.PrimaryKey {
		if err := indexable(&rec.Columns[at]); err != nil {
			return nil, err
		}
		rec.PrimaryKey = append(rec.PrimaryKey, rec.Columns[at].ID)
	}
	rec.Padded = rec.pads(rec.PrimaryKey)
	for _, def := range def.Indexes {
		if err := rec.addIndex(def); err != nil {
			return nil, err
		}
	}
	return rec, nil
}

func indexable(c *Column) error {
	t, err := c.definition().CoreType()
	if err != nil {
		return err
	}
	if err := rowcodec.Indexable(t); err != nil {
		return fmt.Errorf("column %s: %w", c.Name, err)
	}
	return nil
}

// addIndex adds a secondary index to the record.
func (r *Record) addIndex(def legacy.Index) error {
	x := Index{ID: r.NextIndex, Name: def.Name, Unique: def.Unique, Comment: def.Comment}
	for _, c := range def.Columns {
		at := r.columnNamed(c.Name)
		if at < 0 {
			return legacy.ErrKeyColumnDoesNotExist.New(c.Name)
		}
		if err := indexable(&r.Columns[at]); err != nil {
			return err
		}
		x.Columns = append(x.Columns, r.Columns[at].ID)
		x.Lengths = append(x.Lengths, c.Length)
	}
	if !slices.ContainsFunc(x.Lengths, func(n int) bool { return n > 0 }) {
		x.Lengths = nil
	}
	x.Padded = r.mayPad(x)
	if x.Name == "" {
		x.Name = r.freeIndexName(r.Columns[r.column(x.Columns[0])].Name)
	}
	if r.indexNamed(x.Name) >= 0 {
		return legacy.ErrDuplicateKey.New(x.Name)
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
	var out [][]byte
	for _, point := range points {
		if len(point) == 0 || len(point) > len(r.PrimaryKey) {
			return nil, fmt.Errorf("the placement splits table %s at %v, which must have 1 to %d values, one for each column of the primary key", r.Name, point, len(r.PrimaryKey))
		}
		var key []byte
		for i, v := range point {
			c := r.Columns[r.column(r.PrimaryKey[i])].definition()
			t, err := c.CoreType()
			if err != nil {
				return nil, err
			}
			value, err := c.Parse(fmt.Sprint(v))
			if err == nil {
				key, err = appendKey(key, t, value, 0, r.Padded)
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

// DropTable removes a table.
func (c *Change) DropTable(db, name string) error {
	rec, err := c.table(db, name)
	if err != nil {
		return err
	}
	c.delete(tableKey(db, name))
	return c.end(rec, "dropped")
}

// Truncate gives a table a new, empty key range and leaves the old one.
func (c *Change) Truncate(db, name string) error {
	rec, err := c.table(db, name)
	if err != nil {
		return err
	}
	fresh := rec.clone()
	fresh.padAll()
	if err := c.placeNew(fresh, 0); err != nil {
		return err
	}
	if err := c.end(rec, "truncated"); err != nil {
		return err
	}
	_, err = c.write(fresh)
	return err
}

// RenameTable gives a table another name, perhaps in another database. Names of its checks and foreign keys that were made of its
// own follow it, and so do the foreign keys that refer to it.
func (c *Change) RenameTable(db, from, toDatabase, to string) error {
	rec, err := c.table(db, from)
	if err != nil {
		return err
	}
	if same := fold(from) == fold(to) && fold(db) == fold(toDatabase); !same {
		if err := c.nameIsFree(toDatabase, to); err != nil {
			return err
		}
	}
	c.delete(tableKey(db, from))
	rec.follows(db, from, toDatabase, to)
	rec.Database, rec.Name = toDatabase, to
	rec.Checks, rec.ForeignKey = slices.Clone(rec.Checks), slices.Clone(rec.ForeignKey)
	for i := range rec.Checks {
		rec.Checks[i].Name = named(rec.Checks[i].Name, from, to, "_chk_")
	}
	for i := range rec.ForeignKey {
		rec.ForeignKey[i].Name = named(rec.ForeignKey[i].Name, from, to, "_ibfk_")
	}
	if _, err = c.write(rec); err != nil {
		return err
	}
	return c.childrenFollow(rec.ID, db, from, toDatabase, to)
}

// named is a name that was made of a table's, after that table's new name.
func named(name, from, to, infix string) string {
	rest, ok := strings.CutPrefix(name, from+infix)
	if !ok || rest == "" || strings.Trim(rest, "0123456789") != "" {
		return name
	}
	return to + infix + rest
}

// follows has the foreign keys of a table refer to a renamed table. It reports whether one does.
func (r *Record) follows(db, from, toDatabase, to string) (any bool) {
	r.ForeignKey = slices.Clone(r.ForeignKey)
	for i := range r.ForeignKey {
		if k := &r.ForeignKey[i]; fold(k.ParentDatabase) == fold(db) && fold(k.ParentTable) == fold(from) {
			k.ParentDatabase, k.ParentTable, any = toDatabase, to, true
		}
	}
	return any
}

// childrenFollow has the foreign keys of other tables refer to a renamed table.
func (c *Change) childrenFollow(id uint64, db, from, toDatabase, to string) error {
	snap, err := c.Snapshot()
	if err != nil {
		return err
	}
	for _, d := range snap.Sorted() {
		if d.ID() == id || !d.Record.clone().follows(db, from, toDatabase, to) {
			continue
		}
		err := c.alter(d.Record.Database, d.Name(), func(rec *Record) error {
			rec.follows(db, from, toDatabase, to)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
