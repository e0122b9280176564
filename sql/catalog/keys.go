package catalog

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"isochron/routing"
	"isochron/sql/coltype"
	"isochron/sql/legacy"
	"isochron/sql/rowcodec"
	"isochron/txn"
)

// PartitionBytes is the length of a key up to its columns: table, index and
// partition.
const PartitionBytes = 9 + 4 + 2

// PartitionPrefix is the part of a key before its columns.
func PartitionPrefix(table uint64, index uint32, partition int) []byte {
	b := []byte(routing.TablePrefix(table))
	b = binary.BigEndian.AppendUint32(b, index)
	return binary.BigEndian.AppendUint16(b, uint16(partition))
}

// Prefix is PartitionPrefix of one of the table's indexes.
func (d *Descriptor) Prefix(x *IndexInfo, partition int) []byte {
	return PartitionPrefix(d.Record.ID, x.ID, partition)
}

// AppendColumn appends the key form of a value of the i-th column of an index.
func (d *Descriptor) AppendColumn(dst []byte, x *IndexInfo, i int, v any) ([]byte, error) {
	return appendKey(dst, d.stored[x.Columns[i]].Type, v, x.PrefixLength(i), x.Padded)
}

// AppendBeginning appends the bytes with which the forms of the i-th column of an index start for all texts that start with s.
func (d *Descriptor) AppendBeginning(dst []byte, x *IndexInfo, i int, s string) []byte {
	return rowcodec.AppendBeginning(dst, d.stored[x.Columns[i]].Type, s, x.PrefixLength(i), x.Padded)
}

func appendKey(dst []byte, t *coltype.Type, v any, prefixLength int, padded bool) ([]byte, error) {
	if padded {
		return rowcodec.AppendPaddedKey(dst, t, v, prefixLength)
	}
	return rowcodec.AppendKey(dst, t, v, prefixLength)
}

// RowKey is the key of a row; rowID counts for tables without primary key only.
func (d *Descriptor) RowKey(row []any, rowID []byte) (txn.Key, error) {
	if d.Keyless() {
		part := 0
		if d.Record.Placement.Spread == SpreadHash {
			part = bucket(rowID, d.Record.Placement.Shards)
		}
		return txn.Key(append(d.Prefix(d.Primary, part), rowID...)), nil
	}
	part, err := d.Partition(func(pos int) any { return row[pos] })
	if err != nil {
		return "", err
	}
	key := d.Prefix(d.Primary, part)
	for i, pos := range d.Primary.Columns {
		if key, err = d.AppendColumn(key, d.Primary, i, d.stored[pos].Round(row[pos])); err != nil {
			return "", err
		}
	}
	return txn.Key(key), nil
}

// RowID is the hidden id in a row's key.
func (d *Descriptor) RowID(key txn.Key) []byte { return []byte(key[PartitionBytes:]) }

// Partition returns the partition of a row, by the values at its positions.
func (d *Descriptor) Partition(value func(pos int) any) (int, error) {
	p := d.Record.Placement
	switch p.Spread {
	case SpreadHash:
		var b []byte
		for _, pos := range d.divide {
			var err error
			if b, err = appendKey(b, d.stored[pos].Type, d.stored[pos].Round(value(pos)), 0, d.Primary.Padded); err != nil {
				return 0, err
			}
		}
		return bucket(b, p.Shards), nil
	case SpreadRegion:
		name := fmt.Sprint(value(d.divide[0]))
		if part := slices.IndexFunc(p.Regions, func(r string) bool { return strings.EqualFold(r, name) }); part >= 0 {
			return part, nil
		}
		return 0, &UnknownRegionError{fmt.Sprintf("column %s of table %s holds %q, which is not a region of the table; its regions are %s",
			d.Schema.Schema[d.divide[0]].Name, d.Record.Name, name, strings.Join(p.Regions, ", "))}
	}
	return 0, nil
}

// UnknownRegionError: a row has a region that its table does not have.
type UnknownRegionError struct{ Reason string }

func (e *UnknownRegionError) Error() string { return e.Reason }

func bucket(b []byte, n int) int {
	h := fnv.New64a()
	h.Write(b)
	sum := h.Sum64()
	return int((sum ^ sum>>32) % uint64(n))
}

// Divides are the positions of the columns that a row's partition depends on.
func (d *Descriptor) Divides() []int { return d.divide }

// Partitions returns the number of partitions of the index.
func (d *Descriptor) Partitions(x *IndexInfo) int {
	if x.Global {
		return 1
	}
	return d.Record.Placement.partitions()
}

// EncodeRow is the stored form of a row, of the core or of the engine.
func (d *Descriptor) EncodeRow(row []any) ([]byte, error) {
	if len(d.json) > 0 {
		row = slices.Clone(row)
	}
	for _, pos := range d.json {
		var err error
		if row[pos], err = legacy.FromEngine(row[pos]); err != nil {
			return nil, fmt.Errorf("a JSON value cannot be stored: %w", err)
		}
	}
	return rowcodec.EncodeRow(d.stored, row)
}

// ToEngine makes a row of the core one of the engine, in its memory.
func (d *Descriptor) ToEngine(row []any) []any {
	if row == nil {
		return nil
	}
	for _, pos := range d.differ {
		row[pos] = legacy.ToEngine(row[pos])
	}
	return row
}

// ReplaceInRow is rowcodec's Replace for the rows of the table.
func (d *Descriptor) ReplaceInRow(stored []byte, at []int, value func(i int, old any) (v any, ok bool)) (out []byte, ok bool) {
	return d.layout.Replace(stored, at, value)
}

// DecodeRow reads what EncodeRow wrote.
func (d *Descriptor) DecodeRow(b []byte) ([]any, error) {
	row, err := d.layout.Decode(b)
	if err != nil {
		return nil, fmt.Errorf("table %s.%s: %w", d.Record.Database, d.Record.Name, err)
	}
	return row, nil
}

// Entry is the index entry of a row. Unlike an entry of another kind, one of a
// unique index without NULLs has no primary key in it: so it can meet another.
func (d *Descriptor) Entry(x *IndexInfo, row []any, rowKey txn.Key) (key txn.Key, value []byte, err error) {
	part := 0
	if !x.Global {
		part = int(binary.BigEndian.Uint16([]byte(rowKey[PartitionBytes-2 : PartitionBytes])))
	}
	k, hasNull := d.Prefix(x, part), false
	for i, pos := range x.Columns {
		hasNull = hasNull || row[pos] == nil
		if k, err = d.AppendColumn(k, x, i, d.stored[pos].Round(row[pos])); err != nil {
			return "", nil, err
		}
	}
	if !x.Unique || hasNull {
		k = append(k, rowKey[PartitionBytes:]...)
	}
	held := make([]any, 0, len(x.stored))
	for _, pos := range x.Held {
		held = append(held, row[pos])
	}
	if d.Keyless() {
		held = append(held, d.RowID(rowKey))
	}
	value, err = rowcodec.EncodeRow(x.stored, held)
	return txn.Key(k), value, err
}

// DecodeEntry decodes an index entry: a row with the held columns at their positions, and the key of the entry's row.
func (d *Descriptor) DecodeEntry(x *IndexInfo, value []byte) ([]any, txn.Key, error) {
	held, err := x.layout.Decode(value)
	if err != nil {
		return nil, "", fmt.Errorf("index %s of table %s.%s: %w", x.Name, d.Record.Database, d.Record.Name, err)
	}
	row := make([]any, len(d.stored))
	for i, pos := range x.Held {
		row[pos] = held[i]
	}
	var rowID []byte
	if d.Keyless() {
		rowID, _ = held[x.keyPos[0]].([]byte)
	}
	key, err := d.RowKey(row, rowID)
	return row, key, err
}
