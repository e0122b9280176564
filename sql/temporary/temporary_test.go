package temporary

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"isochron/sql/catalog"
	"isochron/txn"
)

// below is a transaction that has one row, k, and counts what it is asked.
type below struct {
	txn.Txn
	reads, marks, to int
	ended            string
}

func (b *below) Read(_ context.Context, r txn.Read) (txn.ReadResult, error) {
	b.reads++
	out := txn.ReadResult{Values: make([][]byte, len(r.Gets)), Pairs: make([][]txn.Pair, len(r.Scans))}
	for i := range r.Gets {
		out.Values[i] = []byte("stored")
	}
	return out, nil
}

func (b *below) Savepoint() int               { b.marks++; return b.marks }
func (b *below) RollbackTo(mark int)          { b.to = mark }
func (b *below) Commit(context.Context) error { b.ended = "committed"; return nil }
func (b *below) Rollback()                    { b.ended = "rolled back" }

func made(t *testing.T) (*Tables, *catalog.Descriptor, *below, txn.Txn) {
	t.Helper()
	tables := &Tables{}
	d, err := tables.Create(catalog.Definition{Database: "d", Name: "t", Columns: []catalog.ColumnDefinition{{Name: "id", Type: "int"}}, PrimaryKey: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	b := &below{}
	return tables, d, b, tables.Over(b)
}

func key(t *testing.T, d *catalog.Descriptor, n int32) txn.Key {
	t.Helper()
	k, err := d.RowKey([]any{n}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// rows are the values of the table's rows, in a direction and with a limit.
func rows(t *testing.T, x txn.Txn, d *catalog.Descriptor, limit int, reverse bool) string {
	t.Helper()
	res, err := x.Read(context.Background(), txn.Read{Scans: []txn.Scan{{Span: spanOf(d), Limit: limit, Reverse: reverse}}})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range res.Pairs[0] {
		out = append(out, string(p.Value))
	}
	return strings.Join(out, " ")
}

func TestReadsAndWrites(t *testing.T) {
	tables, d, b, x := made(t)
	for n := range int32(4) {
		x.Put(key(t, d, n), fmt.Appendf(nil, "v%d", n))
	}
	x.Delete(key(t, d, 1))
	if got := rows(t, x, d, 0, false) + "; " + rows(t, x, d, 2, true); got != "v0 v2 v3; v3 v2" || b.reads > 0 {
		t.Errorf("%s, and %d reads of others", got, b.reads)
	}
	res, err := x.Read(context.Background(), txn.Read{Gets: []txn.Key{key(t, d, 3), "other", key(t, d, 1)}})
	if got := fmt.Sprintf("%s", res.Values); err != nil || got != "[v3 stored ]" || b.reads != 1 {
		t.Errorf("%s %v, %d reads of others", got, err, b.reads)
	}
	tables.Drop(d)
	if tables.Any() || tables.bytes != 0 || len(tables.keys) != 0 {
		t.Errorf("%d bytes are left of a dropped table", tables.bytes)
	}
}

func TestWritesAreTakenBack(t *testing.T) {
	tables, d, b, x := made(t)
	x.Put(key(t, d, 1), []byte("a"))
	first := x.Savepoint()
	x.Put(key(t, d, 1), []byte("b"))
	second := x.Savepoint()
	x.Put(key(t, d, 2), []byte("c"))
	x.RollbackTo(second)
	if got := rows(t, x, d, 0, false); got != "b" || b.to != 2 {
		t.Errorf("%s, and %d below", got, b.to)
	}
	x.RollbackTo(first)
	if got := rows(t, x, d, 0, false); got != "a" || b.to != 1 {
		t.Errorf("%s, and %d below", got, b.to)
	}
	if err := x.Commit(context.Background()); err != nil || b.ended != "committed" {
		t.Error(err)
	}
	x = tables.Over(b)
	x.Delete(key(t, d, 1))
	x.RollbackTo(0) // a savepoint of the transaction from before
	if got := rows(t, x, d, 0, false); got != "a" || b.to != 0 {
		t.Errorf("%s, and %d below", got, b.to)
	}
	x.Delete(key(t, d, 1))
	x.Rollback()
	if got := rows(t, tables.Over(b), d, 0, false); got != "a" || b.ended != "rolled back" {
		t.Errorf("%s is left", got)
	}
}

func TestBounds(t *testing.T) {
	tables, d, _, x := made(t)
	x.Put(key(t, d, 1), make([]byte, bytesMax/2))
	x.Put(key(t, d, 2), make([]byte, bytesMax))
	full := x.(txn.Bounded).Full()
	if full == nil || x.Commit(context.Background()) != error(full) {
		t.Error("a write beyond the bound is kept")
	}
	x.Rollback()
	if tables.bytes != 0 || x.(txn.Bounded).Full() != nil {
		t.Errorf("%d bytes are left", tables.bytes)
	}
	for i := 1; i < tablesMax; i++ {
		if _, err := tables.Create(catalog.Definition{Database: "d", Name: fmt.Sprint("t", i), Columns: []catalog.ColumnDefinition{{Name: "id", Type: "int"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tables.Create(catalog.Definition{Database: "d", Name: "more", Columns: []catalog.ColumnDefinition{{Name: "id", Type: "int"}}}); err == nil {
		t.Error("there are more tables than the bound")
	}
}
