package enginetable

import (
	"errors"
	"io"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
	"isochron/sql/table"
)

// Table is a table as the engine sees it during one statement.
type Table struct {
	store *catalog.Store
	desc  *catalog.Descriptor
	mode  table.Mode
	// columns are the positions of the columns read; nil is all.
	columns []int
	names   []string
}

var (
	_ gms.Table                 = (*Table)(nil)
	_ gms.CommentedTable        = (*Table)(nil)
	_ gms.PrimaryKeyTable       = (*Table)(nil)
	_ gms.IndexAddressableTable = (*Table)(nil)
	_ gms.IndexedTable          = (*Table)(nil)
	_ gms.ProjectedTable        = (*Table)(nil)
	_ gms.TemporaryTable        = (*Table)(nil)
	_ gms.StatisticsTable       = (*Table)(nil)
)

// New is a table of the catalogue.
func New(store *catalog.Store, d *catalog.Descriptor) *Table { return &Table{store: store, desc: d} }

// Descriptor is the table's definition.
func (t *Table) Descriptor() *catalog.Descriptor { return t.desc }

// ForWrite is the table read by a statement that will write the rows it reads.
func (t *Table) ForWrite() *Table {
	c := *t
	c.mode.ForWrite = true
	return &c
}

// Name implements gms.Nameable.
func (t *Table) Name() string { return t.desc.Record.Name }

// String implements fmt.Stringer.
func (t *Table) String() string { return t.desc.Record.Name }

// Comment implements gms.CommentedTable.
func (t *Table) Comment() string { return t.desc.Record.Comment }

// Collation implements gms.Table.
func (t *Table) Collation() gms.CollationID { return gms.CollationID(t.desc.Record.Collation) }

// IsTemporary implements gms.TemporaryTable.
func (t *Table) IsTemporary() bool { return false }

// Schema implements gms.Table.
func (t *Table) Schema(*gms.Context) gms.Schema {
	if t.columns == nil {
		return t.desc.Schema.Schema
	}
	out := make(gms.Schema, len(t.columns))
	for i, pos := range t.columns {
		out[i] = t.desc.Schema.Schema[pos]
	}
	return out
}

// PrimaryKeySchema implements gms.PrimaryKeyTable.
func (t *Table) PrimaryKeySchema(*gms.Context) gms.PrimaryKeySchema { return t.desc.Schema }

// WithProjections implements gms.ProjectedTable.
func (t *Table) WithProjections(_ *gms.Context, names []string) (gms.Table, error) {
	c := *t
	c.names, c.columns = names, make([]int, 0, len(names))
	for _, name := range names {
		pos := slices.IndexFunc(t.desc.Schema.Schema, func(col *gms.Column) bool { return strings.EqualFold(col.Name, name) })
		if pos < 0 {
			return nil, gms.ErrTableColumnNotFound.New(t.Name(), name)
		}
		c.columns = append(c.columns, pos)
	}
	return &c, nil
}

// Projections implements gms.ProjectedTable.
func (t *Table) Projections() []string { return t.names }

// PreciseMatch implements gms.IndexAddressable: filters are always checked again,
// which is cheap against a round.
func (t *Table) PreciseMatch() bool { return false }

// GetIndexes implements gms.IndexAddressable.
func (t *Table) GetIndexes(*gms.Context) ([]gms.Index, error) {
	var out []gms.Index
	if !t.desc.Keyless() {
		out = append(out, &Index{t.desc, t.desc.Primary})
	}
	for _, x := range t.desc.Indexes {
		out = append(out, &Index{t.desc, x})
	}
	return out, nil
}

// IndexedAccess implements gms.IndexAddressable.
func (t *Table) IndexedAccess(*gms.Context, gms.IndexLookup) gms.IndexedTable { return t }

// The planner receives the same size for every table: its choice must not depend on the time of the estimate.
const (
	assumedRows     = 10_000
	assumedRowBytes = 100
)

// RowCount implements gms.StatisticsTable.
func (t *Table) RowCount(*gms.Context) (uint64, bool, error) { return assumedRows, false, nil }

// DataLength implements gms.StatisticsTable.
func (t *Table) DataLength(*gms.Context) (uint64, error) { return assumedRows * assumedRowBytes, nil }

// partition is the whole of a read: partitions are not the engine's business.
type partition struct{ access *table.Access }

// Key implements gms.Partition.
func (partition) Key() []byte { return []byte{0} }

// Partitions implements gms.Table.
func (t *Table) Partitions(*gms.Context) (gms.PartitionIter, error) {
	return gms.PartitionsToPartitionIter(partition{table.All(t.desc)}), nil
}

// LookupPartitions implements gms.IndexedTable.
func (t *Table) LookupPartitions(ctx *gms.Context, lookup gms.IndexLookup) (gms.PartitionIter, error) {
	a, err := ForLookup(ctx, t.desc, lookup)
	if err != nil {
		return nil, err
	}
	return gms.PartitionsToPartitionIter(partition{a}), nil
}

// PartitionRows implements gms.Table. Nothing is read before the first row is
// asked for.
func (t *Table) PartitionRows(_ *gms.Context, p gms.Partition) (gms.RowIter, error) {
	return &rowIter{t: t, access: p.(partition).access}, nil
}

// Read fetches the rows of an access as this table reads them.
func (t *Table) Read(ctx *gms.Context, a *table.Access) ([]gms.Row, error) {
	s := sessionOf(ctx)
	tx, err := s.Use(ctx, t.desc)
	if err != nil {
		return nil, err
	}
	m := t.mode
	m.OnlyRead = s.FinalRead()
	read, err := a.Fetch(ctx, tx, m, t.columns)
	switch {
	case errors.Is(err, table.ErrNotFinal):
		return nil, s.NotFinal()
	case err != nil:
		return nil, err
	}
	rows := make([]gms.Row, len(read))
	for i, r := range read {
		rows[i] = t.narrow(t.desc.ToEngine(r))
	}
	return rows, nil
}

// narrow is a row with the columns that are read.
func (t *Table) narrow(row gms.Row) gms.Row {
	if t.columns == nil {
		return row
	}
	out := make(gms.Row, len(t.columns))
	for i, pos := range t.columns {
		out[i] = row[pos]
	}
	return out
}

type rowIter struct {
	t      *Table
	access *table.Access
	rows   []gms.Row
	read   bool
}

func (i *rowIter) Next(ctx *gms.Context) (gms.Row, error) {
	if !i.read {
		var err error
		if i.rows, err = i.t.Read(ctx, i.access); err != nil {
			return nil, err
		}
		i.read = true
	}
	if len(i.rows) == 0 {
		return nil, io.EOF
	}
	row := i.rows[0]
	i.rows = i.rows[1:]
	return row, nil
}

func (i *rowIter) Close(*gms.Context) error { return nil }
