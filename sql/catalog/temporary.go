package catalog

import (
	"encoding/binary"
	"maps"

	"isochron/routing"
	"isochron/txn"
)

// firstTemporary is the first id of temporary tables, which are those of sessions and in no catalogue.
const firstTemporary = 1 << 62

// Temporary reports whether a table is one of a session.
func (d *Descriptor) Temporary() bool { return d.Record.ID >= firstTemporary }

// IsTemporary reports whether a key is one of a temporary table.
func IsTemporary(key txn.Key) bool {
	const head = 9
	return len(key) >= head && key[0] == routing.TablePrefix(0)[0] && binary.BigEndian.Uint64([]byte(key[1:head])) >= firstTemporary
}

// NewTemporary is the n-th temporary table of a gateway.
func NewTemporary(def Definition, n uint64) (*Descriptor, error) {
	rec, err := newRecord(def)
	if err != nil {
		return nil, err
	}
	rec.ID, rec.Placement = firstTemporary+n, Placement{Spread: SpreadRange}
	return NewDescriptor(rec)
}

// With is the catalogue with some tables in the place of those of their names.
func (s *Snapshot) With(tables []*Descriptor) *Snapshot {
	next := *s
	next.Tables, next.Views = maps.Clone(s.Tables), maps.Clone(s.Views)
	if next.Tables == nil {
		next.Tables = map[txn.Key]*Descriptor{}
	}
	for _, d := range tables {
		next.Tables[tableKey(d.Record.Database, d.Name())] = d
		delete(next.Views, viewKey(d.Record.Database, d.Name()))
	}
	return &next
}

// Redefined is a temporary table with another definition.
func (d *Descriptor) Redefined(a *Alteration) (*Descriptor, error) {
	next, err := d.Record.clone().redefined(a)
	if err != nil {
		return nil, err
	}
	next.Name = a.Definition.Name
	next.Generation++
	return NewDescriptor(next)
}

// Rewritten are the rows and index entries of a temporary table under another definition, of all its pairs before.
func (d *Descriptor) Rewritten(next *Descriptor, pairs []txn.Pair, a *Alteration) (out []txn.Pair, err error) {
	rows := spanOf(d.Prefix(d.Primary, 0))
	seen := map[txn.Key]bool{}
	put := func(m image) error {
		if seen[m.key] {
			return duplicate(m)
		}
		seen[m.key] = true
		out = append(out, txn.Pair{Key: m.key, Value: m.value})
		return nil
	}
	n := 0
	for _, p := range pairs {
		if !rows.Contains(p.Key) {
			continue
		}
		row, err := next.DecodeRow(p.Value)
		if a.Row != nil {
			if row, err = d.DecodeRow(p.Value); err == nil {
				row, err = a.Row(n, row)
			}
		}
		n++
		if err != nil {
			return nil, err
		}
		rowID := binary.BigEndian.AppendUint64(nil, uint64(n))
		if d.Keyless() && next.Keyless() {
			rowID = d.RowID(p.Key)
		}
		list, err := imagesOf(next, row, rowID)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			if err := put(m); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// imagesOf are a row and its index entries.
func imagesOf(d *Descriptor, row []any, rowID []byte) ([]image, error) {
	if !d.Keyless() {
		rowID = nil
	}
	key, err := d.RowKey(row, rowID)
	if err != nil {
		return nil, err
	}
	value, err := d.EncodeRow(row)
	if err != nil {
		return nil, err
	}
	out := []image{{d, d.Primary, row, key, value}}
	for _, x := range d.Indexes {
		k, v, err := d.Entry(x, row, key)
		if err != nil {
			return nil, err
		}
		out = append(out, image{d, x, row, k, v})
	}
	return out, nil
}
