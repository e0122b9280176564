package sql

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	vtsqltypes "vitess.io/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/table"
	"isochron/txn"
)

// A query with SKIP LOCKED locks the rows that it returns (package rounds). What marks a row is the number of its table among
// those that the query reads so, its key and its stored value.

// lookedTable is a table whose rows a query with SKIP LOCKED reads without locks at first.
type lookedTable struct {
	of   *catalog.Descriptor
	mode table.Mode
}

// looked are those of a statement, by their numbers.
type looked struct{ tables []lookedTable }

// number is that of a table.
func (l *looked) number(of *catalog.Descriptor, m table.Mode) int {
	t := lookedTable{of, m}
	if i := slices.Index(l.tables, t); i >= 0 {
		return i
	}
	l.tables = append(l.tables, t)
	return len(l.tables) - 1
}

// look reads rows without locks, with what marks them as their last value. A statement that is its own transaction locks
// nothing: its locks would end with it.
func (r coreReader) look(ctx context.Context, a *table.Access, m table.Mode, columns []int) ([][]expr.Value, error) {
	tx, err := r.s.use(ctx, a.Desc)
	if err != nil {
		return nil, err
	}
	rows, marks, err := a.LookValues(ctx, tx, m, columns[:len(columns)-1])
	if err != nil {
		return nil, err
	}
	number := r.looked.number(a.Desc, m)
	for i, row := range rows {
		mark := expr.Null
		if !r.s.statement.own {
			mark = vtsqltypes.MakeTrusted(vtsqltypes.VarBinary, markOf(number, marks[i]))
		}
		rows[i] = append(row[:len(row):len(row)], mark)
	}
	return rows, r.s.account.Load().Charge(bytesOf(rows))
}

func markOf(number int, l table.Looked) []byte {
	out := binary.AppendUvarint(nil, uint64(number))
	out = binary.AppendUvarint(out, uint64(len(l.Key)))
	return append(append(out, l.Key...), l.Value...)
}

// LockRows implements rounds.RowLocker.
func (r coreReader) LockRows(ctx context.Context, marks []expr.Value) (bool, error) {
	rows := make([][]table.Looked, len(r.looked.tables))
	for _, mark := range marks {
		b := mark.Raw()
		number, n := binary.Uvarint(b)
		b = b[n:]
		length, n := binary.Uvarint(b)
		b = b[n:]
		rows[number] = append(rows[number], table.Looked{Key: txn.Key(b[:length]), Value: b[length:]})
	}
	for i, list := range rows {
		t := r.looked.tables[i]
		slices.SortFunc(list, func(a, b table.Looked) int { return cmp.Compare(a.Key, b.Key) })
		if len(list) == 0 {
			continue
		}
		tx, err := r.s.use(ctx, t.of)
		if err != nil {
			return false, err
		}
		if ok, err := table.LockRows(ctx, tx, t.mode, list); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}
