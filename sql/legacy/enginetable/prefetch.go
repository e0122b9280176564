package enginetable

import (
	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/legacy"
	"isochron/txn"
)

// Claims returns the unique keys that inserting these rows would claim; each must be read to know that no row has it. Rows
// that cannot be stored are skipped: their insertion reports the error.
func (t *Table) Claims(ctx *gms.Context, rows []gms.Row) []txn.Key {
	e := t.editor()
	if e.d.Keyless() && len(e.d.Indexes) == 0 {
		return nil
	}
	var keys []txn.Key
	for _, row := range rows {
		converted, ok := t.convert(ctx, row)
		if !ok {
			continue
		}
		images, err := e.images(converted, nil)
		if err != nil {
			continue
		}
		for _, m := range images {
			if m.Unique {
				keys = append(keys, m.Key)
			}
		}
	}
	return keys
}

// convert converts a row to the types of the table.
func (t *Table) convert(ctx *gms.Context, row gms.Row) (gms.Row, bool) {
	sch := t.desc.Schema.Schema
	if len(row) < len(sch) {
		return nil, false
	}
	row = row[len(row)-len(sch):]
	out := make(gms.Row, len(sch))
	for i, col := range sch {
		if row[i] == nil {
			continue
		}
		var inRange gms.ConvertInRange
		var err error
		if round, ok := col.Type.(gms.RoundingNumberType); ok {
			out[i], inRange, err = round.ConvertRound(ctx, row[i])
		} else {
			out[i], inRange, err = col.Type.Convert(ctx, legacy.Within(col.Type, row[i]))
		}
		if err != nil || inRange != gms.InRange {
			return nil, false
		}
	}
	return out, true
}

// Prefetch reads all keys that inserting the rows depends on, in one round; with
// owners also the rows behind index entries met there, in a second round if there
// are any, for a statement that changes or replaces them.
func (t *Table) Prefetch(ctx *gms.Context, rows []gms.Row, owners bool) error {
	keys := t.Claims(ctx, rows)
	if len(keys) == 0 {
		return nil
	}
	tx, err := sessionOf(ctx).Use(ctx, t.desc)
	if err != nil {
		return err
	}
	res, err := tx.Read(ctx, txn.Read{Gets: keys, ForWrite: true})
	if err != nil || !owners {
		return err
	}
	return t.prefetchOwners(ctx, tx, keys, res.Values)
}

func (t *Table) prefetchOwners(ctx *gms.Context, tx txn.Txn, keys []txn.Key, values [][]byte) error {
	var owners []txn.Key
	for i, value := range values {
		for _, x := range t.desc.Indexes {
			if prefix := t.desc.Prefix(x, 0)[:9+4]; value == nil || string(keys[i][:9+4]) != string(prefix) {
				continue
			}
			_, key, err := t.desc.DecodeEntry(x, value)
			if err != nil {
				return err
			}
			owners = append(owners, key)
		}
	}
	if len(owners) == 0 {
		return nil
	}
	_, err := tx.Read(ctx, txn.Read{Gets: owners, ForWrite: true})
	return err
}
