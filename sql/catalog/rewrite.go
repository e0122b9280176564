package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"isochron/sql/legacy"
	"isochron/txn"
)

// rewriteRowsMax bounds a change that must read or rewrite every row, since it is
// one transaction.
const rewriteRowsMax = 100_000

func (r *Record) clone() *Record {
	n := *r
	n.Columns = slices.Clone(r.Columns)
	n.Indexes = slices.Clone(r.Indexes)
	return &n
}

type storedRow struct {
	key txn.Key
	row []any
}

// allRows reads a whole table, or fails if it is too large for this change.
func (c *Change) allRows(d *Descriptor) ([]storedRow, error) {
	read := txn.Read{ForWrite: true}
	for part := range d.Partitions(d.Primary) {
		prefix := d.Prefix(d.Primary, part)
		read.Scans = append(read.Scans, txn.Scan{Span: spanOf(prefix), Limit: rewriteRowsMax + 1})
	}
	res, err := c.tx.Read(c.ctx, read)
	if err != nil {
		return nil, err
	}
	var out []storedRow
	for _, pairs := range res.Pairs {
		for _, p := range pairs {
			row, err := d.DecodeRow(p.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, storedRow{p.Key, row})
		}
	}
	if len(out) > rewriteRowsMax {
		return nil, fmt.Errorf("table %s has more than %d rows, too many to change in one transaction; make a new table and copy the rows in parts", d.Name(), rewriteRowsMax)
	}
	return out, nil
}

func (c *Change) deleteRow(d *Descriptor, r storedRow) error {
	c.delete(r.key)
	for _, x := range d.Indexes {
		key, _, err := d.Entry(x, r.row, r.key)
		if err != nil {
			return err
		}
		c.delete(key)
	}
	return nil
}

func (c *Change) putRow(d *Descriptor, row []any, old *Descriptor, oldKey txn.Key, seen map[txn.Key]bool) error {
	var rowID []byte
	switch {
	case d.Keyless() && old.Keyless():
		rowID = old.RowID(oldKey)
	case d.Keyless():
		rowID = c.store.NewRowID()
	}
	key, err := d.RowKey(row, rowID)
	if err != nil {
		return err
	}
	value, err := d.EncodeRow(row)
	if err != nil {
		return err
	}
	if err := putOnce(c.tx, seen, image{d, d.Primary, row, key, value}); err != nil {
		return err
	}
	for _, x := range d.Indexes {
		key, value, err := d.Entry(x, row, key)
		if err != nil {
			return err
		}
		if err := putOnce(c.tx, seen, image{d, x, row, key, value}); err != nil {
			return err
		}
	}
	return nil
}

// image is a row, or its entry in an index, that is written.
type image struct {
	table *Descriptor
	index *IndexInfo
	row   []any
	key   txn.Key
	value []byte
}

// duplicate is the error of an entry that another row has, too.
func duplicate(m image) error {
	return legacy.ErrUniqueKeyViolation.Wrap(errors.New(m.table.DuplicateText(m.index, m.row)))
}

func putOnce(tx txn.Txn, seen map[txn.Key]bool, m image) error {
	if seen[m.key] {
		return duplicate(m)
	}
	seen[m.key] = true
	tx.Put(m.key, m.value)
	return nil
}

// DuplicateText is MySQL's message for a row whose key in an index another row has.
func (d *Descriptor) DuplicateText(x *IndexInfo, row []any) string {
	parts := make([]string, len(x.Columns))
	for i, pos := range x.Columns {
		parts[i] = "NULL"
		if row[pos] == nil {
			continue
		}
		if text, err := d.TextOf(pos, row[pos]); err == nil {
			parts[i] = text.ToString()
		}
	}
	return fmt.Sprintf("Duplicate entry '%s' for key '%s.%s'", strings.Join(parts, "-"), d.Name(), x.Name)
}
