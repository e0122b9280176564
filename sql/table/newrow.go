package table

import (
	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
	"isochron/txn"
)

// NewRow are the writes that put a row of a table with a primary key where none is: the row and its
// index entries. Of their keys those are claimed that no other row may have.
func NewRow(d *catalog.Descriptor, row gms.Row) (writes []txn.Write, claimed []txn.Key, err error) {
	key, err := d.RowKey(row, nil)
	if err != nil {
		return nil, nil, err
	}
	images, err := imagesOf(d, d.Indexes, row, key)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range images {
		writes = append(writes, txn.Write{Key: m.key, Value: m.value})
		if m.unique {
			claimed = append(claimed, m.key)
		}
	}
	return writes, claimed, nil
}
