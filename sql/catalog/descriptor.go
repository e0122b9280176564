package catalog

import (
	"slices"
	"sync/atomic"

	"vitess.io/vitess/go/sqltypes"

	"isochron/routing"
	"isochron/sql/coltype"
	"isochron/sql/legacy"
	"isochron/sql/rowcodec"
	"isochron/txn"
)

// hiddenID is the column id of the hidden row id of a table without primary key.
const hiddenID = 0

// Descriptor is a table made ready for use.
type Descriptor struct {
	Record  *Record
	Schema  legacy.Schema // the columns as the engine has them
	Primary *IndexInfo
	Indexes []*IndexInfo // secondary
	stored  []rowcodec.Column
	layout  *rowcodec.Layout
	json    []int  // positions of the columns of JSON
	differ  []int  // positions of the columns whose values the engine has in another form
	raw     []byte // the stored record: equal bytes are one version
	guard   string // GuardName, which every transaction asks for
	version atomic.Pointer[txn.Version]
	divide  []int // positions of the columns that the partition depends on
	// routedBy is a directory known to have all ranges of the table.
	routedBy atomic.Pointer[routing.Directory]
}

// IndexInfo is an index made ready for use. Columns are positions in the row.
type IndexInfo struct {
	ID      uint32
	Name    string
	Columns []int
	Lengths []int
	Unique  bool
	Primary bool
	Global  bool
	Padded  bool // its keys are padded, see Index
	Comment string
	// Held are the positions of the columns that an entry's value holds.
	Held   []int
	stored []rowcodec.Column
	layout *rowcodec.Layout
	keyPos []int // positions of the primary key in the held columns
}

// PrefixLength returns the length of the i-th column's prefix in the index; 0 is all.
func (x *IndexInfo) PrefixLength(i int) int {
	if i < len(x.Lengths) {
		return x.Lengths[i]
	}
	return 0
}

// HasPrefixes reports whether any column is held in part.
func (x *IndexInfo) HasPrefixes() bool {
	return slices.ContainsFunc(x.Lengths, func(n int) bool { return n > 0 })
}

// NewDescriptor makes a record ready for use.
func NewDescriptor(r *Record) (*Descriptor, error) {
	d := &Descriptor{Record: r, raw: txn.Encode(r), guard: guardName(r.ID)}
	var err error
	if d.Schema, d.stored, err = r.schema(); err != nil {
		return nil, err
	}
	d.layout = rowcodec.NewLayout(d.stored)
	for pos, c := range d.stored {
		switch c.Type.Kind {
		case coltype.KindJSON:
			d.json, d.differ = append(d.json, pos), append(d.differ, pos)
		case coltype.KindTimespan:
			d.differ = append(d.differ, pos)
		}
	}
	d.Primary = &IndexInfo{Name: "PRIMARY", Unique: true, Primary: true, Padded: r.Padded, Columns: d.Schema.PkOrdinals}
	for _, id := range r.Placement.Columns {
		d.divide = append(d.divide, r.column(id))
	}
	for _, x := range r.Indexes {
		d.Indexes = append(d.Indexes, d.newIndex(x))
	}
	return d, nil
}

func (d *Descriptor) newIndex(x Index) *IndexInfo {
	info := &IndexInfo{ID: x.ID, Name: x.Name, Lengths: x.Lengths, Unique: x.Unique, Global: x.Global, Padded: x.Padded, Comment: x.Comment}
	for _, id := range x.Columns {
		info.Columns = append(info.Columns, d.Record.column(id))
	}
	info.Held = slices.Clone(info.Columns)
	for _, pos := range d.Schema.PkOrdinals {
		if !slices.Contains(info.Held, pos) {
			info.Held = append(info.Held, pos)
		}
	}
	for _, pos := range info.Held {
		info.stored = append(info.stored, d.stored[pos])
	}
	for _, pos := range d.Schema.PkOrdinals {
		info.keyPos = append(info.keyPos, slices.Index(info.Held, pos))
	}
	if d.Keyless() {
		info.keyPos = []int{len(info.stored)}
		info.stored = append(info.stored, hiddenColumn)
	}
	info.layout = rowcodec.NewLayout(info.stored)
	return info
}

var hiddenColumn = func() rowcodec.Column {
	c, err := rowcodec.NewColumn(hiddenID, &coltype.Type{Kind: coltype.KindBytes, SQL: sqltypes.Blob, Name: "longblob"})
	if err != nil {
		panic(err) // a blob can always be stored
	}
	return c
}()

// Keyless reports whether rows have a hidden id instead of a primary key.
func (d *Descriptor) Keyless() bool { return len(d.Record.PrimaryKey) == 0 }

// ID is the table's id.
func (d *Descriptor) ID() uint64 { return d.Record.ID }

// Name is the table's name.
func (d *Descriptor) Name() string { return d.Record.Name }

// GuardName is the name of the table's schema version at each of its shards.
func (d *Descriptor) GuardName() string { return d.guard }

// Index finds a secondary index or the primary one by name.
func (d *Descriptor) Index(name string) *IndexInfo {
	if name == d.Primary.Name {
		return d.Primary
	}
	for _, x := range d.Indexes {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Type is the type of the column at a position.
func (d *Descriptor) Type(pos int) *coltype.Type { return d.stored[pos].Type }

// AutoIncrement is the position of the AUTO_INCREMENT column, -1 if none.
func (d *Descriptor) AutoIncrement() int {
	return slices.IndexFunc(d.Record.Columns, func(c Column) bool { return c.AutoInc })
}

// Shards are the shards that hold the table, by the directory.
func (d *Descriptor) Shards(dir *routing.Directory) []uint64 { return shardsOf(dir, d.Record.ID) }

func shardsOf(dir *routing.Directory, table uint64) []uint64 {
	prefix := routing.TablePrefix(table)
	end := routing.PrefixEnd(prefix)
	var out []uint64
	for _, r := range dir.Ranges {
		if s := string(r.Start); s >= prefix && s < end && !slices.Contains(out, r.Shard) {
			out = append(out, r.Shard)
		}
	}
	slices.Sort(out)
	return out
}

// ValueLayout is the layout of stored rows, or of an index's entries, and where each of its columns is among the columns
// at these positions: -1 if it is not.
func (d *Descriptor) ValueLayout(x *IndexInfo, columns []int, entries bool) (layout *rowcodec.Layout, into []int) {
	if !entries {
		into = make([]int, len(d.stored))
		for pos := range into {
			into[pos] = slices.Index(columns, pos)
		}
		return d.layout, into
	}
	into = make([]int, len(x.stored))
	for i := range into {
		into[i] = -1
		if i < len(x.Held) {
			into[i] = slices.Index(columns, x.Held[i])
		}
	}
	return x.layout, into
}

// TextOf is a value of the column at a position in MySQL's text form.
func (d *Descriptor) TextOf(pos int, v any) (rowcodec.Value, error) { return d.stored[pos].TextOf(v) }
