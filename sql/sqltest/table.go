package sqltest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/rowcodec"
	"isochron/sql/store"
	"isochron/sql/table"
	"isochron/txn"
)

// Table is a table in memory for tests of planning and executing: a descriptor without a catalogue, and rows that are
// read by an access, with a count of the reads.
type Table struct {
	Desc   *catalog.Descriptor
	Reads  int // that left the gateway
	Keys   int // that they returned
	Access *table.Access
	rows   int
	pairs  map[txn.Key][]byte
}

// Index is a secondary index of a Table.
type Index struct {
	Columns []string // "s", or "s(3)" of a prefix
	Unique  bool
	Padded  bool // as the catalogue's
}

// NewTable makes a table of the database shop. columns are as in CREATE TABLE, with NOT NULL or nothing behind the type;
// key is empty for a table without a primary key.
func NewTable(name string, columns, key []string, indexes ...Index) (*Table, error) {
	return NewPaddedTable(name, columns, key, false, indexes...)
}

// NewPaddedTable is NewTable with a primary key that is padded, or not.
func NewPaddedTable(name string, columns, key []string, padded bool, indexes ...Index) (*Table, error) {
	r := &catalog.Record{Format: 1, ID: 7, Database: "shop", Name: name, Generation: 1}
	id := func(column string) uint32 {
		return uint32(1 + slices.IndexFunc(r.Columns, func(c catalog.Column) bool { return c.Name == column }))
	}
	for i, text := range columns {
		column, typ, _ := strings.Cut(text, " ")
		typ, notNull := strings.CutSuffix(typ, " NOT NULL")
		r.Columns = append(r.Columns, catalog.Column{ID: uint32(i + 1), Name: column, Type: typ, Nullable: !notNull})
	}
	for _, column := range key {
		r.PrimaryKey = append(r.PrimaryKey, id(column))
	}
	for i, x := range indexes {
		stored := catalog.Index{ID: uint32(i + 1), Name: fmt.Sprintf("x%d", i+1), Unique: x.Unique, Padded: x.Padded}
		for _, column := range x.Columns {
			length := 0
			if name, prefix, ok := strings.Cut(column, "("); ok {
				column = name
				if _, err := fmt.Sscanf(prefix, "%d)", &length); err != nil {
					return nil, err
				}
			}
			stored.Columns, stored.Lengths = append(stored.Columns, id(column)), append(stored.Lengths, length)
		}
		r.Indexes = append(r.Indexes, stored)
	}
	r.Padded = padded
	d, err := catalog.NewDescriptor(r)
	return &Table{Desc: d, pairs: map[txn.Key][]byte{}}, err
}

// Insert stores a row with its entries; the values are converted to the columns' types. false: a unique index holds its
// values already.
func (t *Table) Insert(values ...any) (bool, error) {
	row := make([]any, len(values))
	for i, v := range values {
		var err error
		if row[i], err = t.stored(i, v); err != nil {
			return false, err
		}
	}
	t.rows++
	key, err := t.Desc.RowKey(row, fmt.Appendf(nil, "%08d", t.rows))
	if err != nil {
		return false, err
	}
	stored, err := t.Desc.EncodeRow(row)
	if err != nil {
		return false, err
	}
	add := map[txn.Key][]byte{key: stored}
	for _, x := range t.Desc.Indexes {
		k, entry, err := t.Desc.Entry(x, row, key)
		if err != nil {
			return false, err
		}
		add[k] = entry
	}
	for k := range add {
		if t.pairs[k] != nil {
			return false, nil
		}
	}
	for k, v := range add {
		t.pairs[k] = v
	}
	return true, nil
}

// stored is a value as the column at a position stores it.
func (t *Table) stored(pos int, v any) (any, error) {
	c, ok := store.NewColumn(t.Desc, pos)
	if !ok {
		return nil, fmt.Errorf("values of column %d are not stored", pos)
	}
	target := &store.Target{Context: &expr.Context{SQLMode: "STRICT_TRANS_TABLES", Zone: time.UTC}, Strict: true, Row: t.rows + 1}
	if v == nil {
		return target.Null(c, true)
	}
	value := sqltypes.NewVarChar(fmt.Sprint(v))
	if rowcodec.IsInteger(v) {
		value = sqltypes.MakeTrusted(sqltypes.Int64, value.Raw())
	}
	return target.Store(c, value)
}

// Read implements rounds.Reader.
func (t *Table) Read(ctx context.Context, a *table.Access, lock txn.Lock, wait txn.Wait, columns []int) ([][]rowcodec.Value, error) {
	t.Access = a
	return a.FetchValues(ctx, tableTxn{t: t}, table.Mode{Lock: lock, Wait: wait}, columns)
}

// tableTxn is a transaction that reads a Table, and does nothing else.
type tableTxn struct {
	txn.Txn
	t *Table
}

// Read implements txn.Txn.
func (x tableTxn) Read(_ context.Context, r txn.Read) (out txn.ReadResult, _ error) {
	x.t.Reads++
	for _, k := range r.Gets {
		v := x.t.pairs[k]
		out.Values = append(out.Values, v)
		if v != nil {
			x.t.Keys++
		}
	}
	for _, s := range r.Scans {
		pairs := x.t.scan(s)
		out.Pairs = append(out.Pairs, pairs)
		x.t.Keys += len(pairs)
	}
	return out, nil
}

func (t *Table) scan(s txn.Scan) (out []txn.Pair) {
	for k, v := range t.pairs {
		if s.Span.Contains(k) {
			out = append(out, txn.Pair{Key: k, Value: v})
		}
	}
	slices.SortFunc(out, func(a, b txn.Pair) int { return strings.Compare(string(a.Key), string(b.Key)) })
	if s.Reverse {
		slices.Reverse(out)
	}
	if s.Limit > 0 && len(out) > s.Limit {
		out = out[:s.Limit]
	}
	return out
}
