package table

import (
	"bytes"
	"context"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/txn"
)

// A statement with SKIP LOCKED locks the rows that it returns, and no others that it has only read.
// So it first reads its rows without locks, skipping rows that others have locked. Each row carries
// its key through the engine, beyond its last value. Then the returned rows are locked, and are
// valid if they have not changed meanwhile.

// Looked is a row that was read without a lock.
type Looked struct {
	Key   txn.Key
	Value []byte // its stored value
}

// behind is the distance of a row's marks from its last value: values appended to the row do not overwrite them.
const behind = 3

// marked returns a row that carries its key, or those of the rows it was made of.
func marked(row gms.Row, of ...Looked) gms.Row {
	out := make(gms.Row, len(row)+behind)
	copy(out, row)
	out[len(out)-1] = of
	return slices.Clip(out)[:len(row)]
}

// Mark has a row carry marks.
func Mark(row gms.Row, of []Looked) gms.Row { return marked(row, of...) }

// MarksOf are the marks of a row; false if it carries none.
func MarksOf(row gms.Row) ([]Looked, bool) {
	if cap(row) < len(row)+behind {
		return nil, false
	}
	marks, ok := row[:cap(row)][cap(row)-1].([]Looked)
	return marks, ok
}

// look fetches without locks. Entries of an index represent rows that may be locked: more of them
// are read than requested.
func (a *Access) look(ctx context.Context, tx txn.Txn, m Mode, columns []int) ([]gms.Row, error) {
	c, wanted := a.spans(), a.Limit
	if a.Index.Primary || wanted == 0 || !a.Exact() {
		rows, _, err := c.fetch(ctx, tx, m, columns)
		return rows, err
	}
	for c.Limit = wanted + lookAhead; ; c.Limit *= 4 {
		rows, hits, err := c.fetch(ctx, tx, m, columns)
		if err != nil || len(rows) >= wanted || hits < c.Limit {
			return a.cut(rows), err
		}
	}
}

// lookAhead is the number of entries of an index that are read beyond the requested ones.
const lookAhead = 32

// spans is the access with spans in the place of single keys.
func (a *Access) spans() *Access {
	c := *a
	c.Gets, c.Scans = nil, slices.Clone(a.Scans)
	for _, k := range a.Gets {
		c.Scans = append(c.Scans, Range{Span: only(k)})
	}
	return &c
}

func only(k txn.Key) txn.Span { return txn.Span{Start: k, End: k + "\x00"} }

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
func (t *Table) Holds(k txn.Key) bool {
	d := t.desc
	for part := range d.Partitions(d.Primary) {
		if prefixSpan(d.Prefix(d.Primary, part)).Contains(k) {
			return true
		}
	}
	return false
}

// LockLooked locks rows that were read without locks; false if one is locked by another now, or is
// not as it was.
func (t *Table) LockLooked(ctx *gms.Context, rows []Looked) (bool, error) {
	if len(rows) == 0 {
		return true, nil
	}
	tx, err := sessionOf(ctx).Use(ctx, t.desc)
	if err != nil {
		return false, err
	}
	return lockLooked(ctx, tx, t.mode.read(), rows)
}

func lockLooked(ctx context.Context, tx txn.Txn, read txn.Read, rows []Looked) (bool, error) {
	for _, r := range rows {
		read.Gets = append(read.Gets, r.Key)
	}
	res, err := tx.Read(ctx, read)
	if err != nil {
		return false, err
	}
	for i, value := range res.Values {
		if value == nil || !bytes.Equal(value, rows[i].Value) {
			return false, nil
		}
	}
	return true, nil
}
