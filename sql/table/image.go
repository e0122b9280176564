package table

import (
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/txn"
)

// Image is one key that a row is written under.
type Image struct {
	Index  *catalog.IndexInfo
	Key    txn.Key
	Value  []byte
	Unique bool // another row may claim the key
}

// ImagesOf are the row itself and its entries in some indexes.
func ImagesOf(d *catalog.Descriptor, indexes []*catalog.IndexInfo, row []any, key txn.Key) ([]Image, error) {
	value, err := d.EncodeRow(row)
	if err != nil {
		return nil, err
	}
	out := make([]Image, 1, 1+len(indexes))
	out[0] = Image{d.Primary, key, value, !d.Keyless()}
	for _, x := range indexes {
		k, v, err := d.Entry(x, row, key)
		if err != nil {
			return nil, err
		}
		out = append(out, Image{x, k, v, x.Unique && !hasNull(x, row)})
	}
	return out, nil
}

// Rewrite are the writes, in the order of their keys, that put a row in the place
// of another with the same key. indexes are those with an entry that may change,
// none of them unique.
func Rewrite(d *catalog.Descriptor, indexes []*catalog.IndexInfo, key txn.Key, old, row []any) ([]txn.Write, error) {
	after, err := ImagesOf(d, indexes, row, key)
	if err != nil {
		return nil, err
	}
	if len(indexes) == 0 {
		return []txn.Write{{Key: key, Value: after[0].Value}}, nil
	}
	before, err := ImagesOf(d, indexes, old, key)
	if err != nil {
		return nil, err
	}
	var out []txn.Write
	Replace(before, after, func(k txn.Key, value []byte) { out = append(out, txn.Write{Key: k, Value: value}) })
	slices.SortFunc(out, func(a, b txn.Write) int { return strings.Compare(string(a.Key), string(b.Key)) })
	return out, nil
}

// Replace writes the images of a row in place of its former ones: a nil value deletes one.
func Replace(before, after []Image, write func(k txn.Key, value []byte)) {
	for i := range after {
		if before[i].Key != after[i].Key {
			write(before[i].Key, nil)
		} else if i > 0 && string(before[i].Value) == string(after[i].Value) {
			continue
		}
		write(after[i].Key, after[i].Value)
	}
}

func hasNull(x *catalog.IndexInfo, row []any) bool {
	for _, pos := range x.Columns {
		if row[pos] == nil {
			return true
		}
	}
	return false
}
