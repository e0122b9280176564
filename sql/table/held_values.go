package table

import (
	"context"
	"slices"

	"vitess.io/vitess/go/sqltypes"

	"isochron/txn"
)

// A statement that changes rows reads, behind the columns of a table, two that are hidden: at the position behind the last column
// the row's key, and behind that its stored bytes.

// hides reports whether some of the columns are hidden ones.
func (a *Access) hides(columns []int) bool {
	return slices.ContainsFunc(columns, func(pos int) bool { return pos >= len(a.Desc.Record.Columns) })
}

// heldValues is FetchValues with hidden columns.
func (a *Access) heldValues(ctx context.Context, tx txn.Txn, m Mode, columns []int) ([][]Value, error) {
	held, err := a.FetchHeld(ctx, tx, m)
	if err != nil {
		return nil, err
	}
	stored := make([][]byte, len(held))
	for i, h := range held {
		stored[i] = h.Stored
	}
	rows, err := a.asValues(stored, columns, false)
	if err != nil {
		return nil, err
	}
	n := len(a.Desc.Record.Columns)
	key, bytes := slices.Index(columns, n), slices.Index(columns, n+1)
	for i, row := range rows {
		if key >= 0 {
			row[key] = sqltypes.MakeTrusted(sqltypes.VarBinary, []byte(held[i].Key))
		}
		if bytes >= 0 {
			row[bytes] = sqltypes.MakeTrusted(sqltypes.VarBinary, held[i].Stored)
		}
	}
	return rows, nil
}
