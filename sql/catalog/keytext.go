package catalog

import (
	"encoding/binary"
	"fmt"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/routing"
	"isochron/sql/coltype"
	"isochron/sql/legacy"
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
func (s *Snapshot) Locate(ctx *gms.Context, key txn.Key, value []byte) Place {
	for _, d := range s.Sorted() {
		prefix := routing.TablePrefix(d.ID())
		if !strings.HasPrefix(string(key), prefix) || len(key) < PartitionBytes {
			continue
		}
		id := binary.BigEndian.Uint32([]byte(key[len(prefix):]))
		for _, x := range append([]*IndexInfo{d.Primary}, d.Indexes...) {
			if x.ID == id {
				return Place{d.Record.Database, d.Record.Name, x.Name, d.keyText(ctx, x, key, value)}
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
func (d *Descriptor) keyText(ctx *gms.Context, x *IndexInfo, key txn.Key, value []byte) string {
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
		col := d.Schema.Schema[pos]
		text, ok := "?", row != nil
		if row != nil {
			text = valueText(ctx, col, d.Type(pos), row[pos])
		} else if x.PrefixLength(i) == 0 {
			text, rest, ok = rowcodec.KeyText(rest, d.Type(pos), x.Padded)
		}
		if !ok {
			break
		}
		parts = append(parts, col.Name+"="+text)
	}
	return strings.Join(parts, ", ")
}

// keyValueMax bounds the characters of one value that are shown.
const keyValueMax = 64

func valueText(ctx *gms.Context, col *gms.Column, t *coltype.Type, v any) string {
	if v == nil {
		return "NULL"
	}
	v = legacy.ToEngine(v)
	text := fmt.Sprint(v)
	if s, err := col.Type.SQL(ctx, nil, v); err == nil {
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
