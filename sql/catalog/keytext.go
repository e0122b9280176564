package catalog

import (
	"encoding/binary"
	"fmt"
	"strings"

	"isochron/routing"
	"isochron/sql/coltype"
	"isochron/sql/rowcodec"
	"isochron/txn"
)

// Place is a key as a person knows it.
type Place struct {
	Database, Table, Index string // "" if the key is no table's
	Key                    string // the columns of the index with their values, or what else it is
}

// Locate returns what a key belongs to. value is its stored value as far as this gateway can see it, nil if there is none:
// the text in a key cannot be decoded from the key alone.
func (s *Snapshot) Locate(key txn.Key, value []byte) Place {
	for _, d := range s.Sorted() {
		prefix := routing.TablePrefix(d.ID())
		if !strings.HasPrefix(string(key), prefix) || len(key) < PartitionBytes {
			continue
		}
		id := binary.BigEndian.Uint32([]byte(key[len(prefix):]))
		for _, x := range append([]*IndexInfo{d.Primary}, d.Indexes...) {
			if x.ID == id {
				return Place{d.Record.Database, d.Record.Name, x.Name, d.keyText(x, key, value)}
			}
		}
	}
	if shard, name, ok := routing.SplitLocalKey(string(key)); ok {
		return Place{Key: fmt.Sprintf("%s of shard %d", name, shard)}
	}
	return Place{Key: fmt.Sprintf("%q", string(key))}
}

// TableOf names the table whose keys have the prefix; both are empty if none does.
func (s *Snapshot) TableOf(prefix txn.Key) (database, table string) {
	for _, d := range s.Sorted() {
		if routing.TablePrefix(d.ID()) == string(prefix) {
			return d.Record.Database, d.Record.Name
		}
	}
	return "", ""
}

// keyText is the columns of a key with their values: from the row or entry if there
// is one, else from the key.
func (d *Descriptor) keyText(x *IndexInfo, key txn.Key, value []byte) string {
	if x.Primary && d.Keyless() {
		return fmt.Sprintf("row 0x%x", d.RowID(key))
	}
	var row []any
	if value != nil && x.Primary {
		row, _ = d.DecodeRow(value)
	} else if value != nil {
		row, _, _ = d.DecodeEntry(x, value)
	}
	var parts []string
	rest := []byte(key[PartitionBytes:])
	for i, pos := range x.Columns {
		text, ok := "?", row != nil
		if row != nil {
			text = d.valueText(pos, row[pos])
		} else if x.PrefixLength(i) == 0 {
			text, rest, ok = rowcodec.KeyText(rest, d.Type(pos), x.Padded)
		}
		if !ok {
			break
		}
		parts = append(parts, d.Record.Columns[pos].Name+"="+text)
	}
	return strings.Join(parts, ", ")
}

// keyValueMax bounds the characters of one value that are shown.
const keyValueMax = 64

func (d *Descriptor) valueText(pos int, v any) string {
	if v == nil {
		return "NULL"
	}
	t := d.Type(pos)
	text := fmt.Sprint(v)
	if s, err := d.TextOf(pos, v); err == nil && t.Kind != coltype.KindFloat32 {
		text = s.ToString()
	}
	if r := []rune(text); len(r) > keyValueMax {
		text = string(r[:keyValueMax]) + "..."
	}
	if t.Kind == coltype.KindText || t.Kind == coltype.KindTime {
		return "'" + text + "'"
	}
	return text
}
