package enginetable

import (
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/table"
	"isochron/txn"
)

// Rows of a statement with SKIP LOCKED carry the keys of what they were made of through the engine, beyond their last value.

// behind is the distance of a row's marks from its last value: values appended to the row do not overwrite them.
const behind = 3

// marked returns a row that carries its key, or those of the rows it was made of.
func marked(row gms.Row, of ...table.Looked) gms.Row {
	out := make(gms.Row, len(row)+behind)
	copy(out, row)
	out[len(out)-1] = of
	return slices.Clip(out)[:len(row)]
}

// Mark has a row carry marks.
func Mark(row gms.Row, of []table.Looked) gms.Row { return marked(row, of...) }

// MarksOf are the marks of a row; false if it carries none.
func MarksOf(row gms.Row) ([]table.Looked, bool) {
	if cap(row) < len(row)+behind {
		return nil, false
	}
	marks, ok := row[:cap(row)][cap(row)-1].([]table.Looked)
	return marks, ok
}

// Skips reports whether rows that others have locked are left out.
func (t *Table) Skips() bool { return t.mode.Lock != txn.LockNone && t.mode.Wait == txn.SkipLocked }

// errLocksMore is the error of a query that would leave rows locked that it does not return:
// MySQL's ER_NOT_SUPPORTED_YET.
func errLocksMore(table string) error {
	return mysql.NewSQLError(1235, "42000", "SKIP LOCKED on %s in a UNION, or with LIMIT in a subquery, a derived table, WITH, DISTINCT or a statement that changes rows, would lock rows that are not returned: lock the rows with a SELECT of their own first", table)
}

// KeyOf returns the key of a whole row of the table; false for a table without a primary key, and
// for an outer join's substitute for a row.
func (t *Table) KeyOf(row gms.Row) (txn.Key, bool) {
	if t.desc.Keyless() || slices.ContainsFunc(t.desc.Schema.PkOrdinals, func(i int) bool { return row[i] == nil }) {
		return "", false
	}
	k, err := t.desc.RowKey(row, nil)
	return k, err == nil
}

// Holds reports whether a key is one of the table's rows.
func (t *Table) Holds(k txn.Key) bool { return table.Holds(t.desc, k) }

// LockLooked locks rows that were read without locks; false if one is locked by another now, or is
// not as it was.
func (t *Table) LockLooked(ctx *gms.Context, rows []table.Looked) (bool, error) {
	if len(rows) == 0 {
		return true, nil
	}
	tx, err := sessionOf(ctx).Use(ctx, t.desc)
	if err != nil {
		return false, err
	}
	return table.LockRows(ctx, tx, t.mode, rows)
}
