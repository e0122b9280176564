package sql

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// sourceFixture has a MySQL source "my" and two PostgreSQL sources, as their agents describe them.
type sourceFixture struct {
	*fixture
	my, a, b *sqltest.Recorder
	c        *client
}

func startSources(t *testing.T) *sourceFixture {
	t.Helper()
	f := &sourceFixture{fixture: start(t)}
	f.my = f.cluster.NewRecorder(101, "my", "mysql", txn.SourceTable{Schema: "erp", Name: "orders", Key: []string{"id"},
		Columns: []txn.Column{{Name: "id", Type: "int(11)"}, {Name: "item", Type: "varchar(20)", Null: true}, {Name: "qty", Type: "decimal(10,2)", Null: true}}})
	accounts := txn.SourceTable{Schema: "public", Name: "accounts", Key: []string{"id"},
		Columns: []txn.Column{{Name: "id", Type: "bigint"}, {Name: "owner", Type: "text", Null: true}, {Name: "balance", Type: "bigint", Null: true}}}
	rates := txn.SourceTable{Schema: "public", Name: "rates", Key: []string{"id"}, Columns: []txn.Column{{Name: "id", Type: "integer"}, {Name: "ok", Type: "boolean"}}}
	f.a = f.cluster.NewRecorder(102, "pg_a", "postgres", accounts, rates)
	f.b = f.cluster.NewRecorder(103, "pg_b", "postgres", accounts, rates)
	f.c = f.connect(t, "va", "shop")
	f.c.exec("CALL isochron.import_table('my')")
	f.c.exec("CALL isochron.import_sharded_table('shop.accounts', 'id', 'hash', 'pg_a,pg_b')")
	f.c.exec("CALL isochron.import_broadcast_table('shop.rates', 'pg_a, pg_b')")
	return f
}

// leavesOut is the condition by which a change at a PostgreSQL leaves out the rows that would stay
// as they are, and countsRows the column that counts the others (package dialect tests both).
var (
	leavesOut    = regexp.MustCompile(`WHERE \((.*)\) AND \(.* IS DISTINCT FROM .* FOR UPDATE\) AS "\w+"\)\)`)
	leavesOutAll = regexp.MustCompile(` WHERE \(\S+ IS DISTINCT FROM .* FOR UPDATE\) AS "\w+"\)\)`)
	countsRows   = regexp.MustCompile(` RETURNING CASE WHEN .* AS isochron_count`)
)

// unguarded are texts without it.
func unguarded(texts ...string) (out []string) {
	for _, s := range texts {
		out = append(out, countsRows.ReplaceAllString(leavesOutAll.ReplaceAllString(leavesOut.ReplaceAllString(s, "WHERE $1"), ""), ""))
	}
	return out
}

// got holds what a source was sent.
func got(t *testing.T, r *sqltest.Recorder, want ...string) {
	t.Helper()
	if sent := unguarded(r.Sent()...); !slices.Equal(unquoted(sent), unquoted(want)) {
		t.Errorf("the source was sent\n\t%s\nand not\n\t%s", strings.Join(sent, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// unquoted are statements without MySQL's quotes of names.
func unquoted(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ReplaceAll(s, "`", "")
	}
	return out
}

func rowsOf(columns []txn.Column, rows ...[]string) func(txn.Statement) (txn.Result, error) {
	return func(txn.Statement) (txn.Result, error) {
		r := txn.Result{Columns: columns, Affected: int64(len(rows))}
		for _, row := range rows {
			var cells [][]byte
			for _, cell := range row {
				if cell == "NULL" {
					cells = append(cells, nil)
				} else {
					cells = append(cells, []byte(cell))
				}
			}
			r.Rows = append(r.Rows, cells)
		}
		return r, nil
	}
}

// A statement for one source is sent there in its own words, and committed there.
func TestOneSource(t *testing.T) {
	f := startSources(t)
	f.my.Answer = rowsOf([]txn.Column{{Name: "id", Type: "int"}, {Name: "item", Type: "varchar", Null: true}}, []string{"7", "pen"})
	f.c.expect("SELECT id, item FROM orders WHERE id = 7", "7 | pen")
	got(t, f.my, "select id, item from erp.orders where id = 7", "COMMIT")
	f.c.expect("SELECT o.id, o.item FROM shop.orders AS o WHERE o.id = ?", "7 | pen", 7)
	got(t, f.my, "select o.id, o.item from erp.orders as o where o.id = 7", "COMMIT")
	f.c.expect("SELECT id, item FROM orders WHERE item = ?", "7 | pen", "it's")
	got(t, f.my, "select id, item from erp.orders where item = ? | it's", "COMMIT")
	f.my.Answer = rowsOf(nil, []string{})
	f.c.exec("UPDATE orders SET qty = qty - 1.5 WHERE shop.orders.id = 7")
	got(t, f.my, "update erp.orders set qty = qty - 1.5 where orders.id = 7", "COMMIT")
	f.c.exec("BEGIN")
	f.c.exec("DELETE FROM orders WHERE id = 7")
	f.c.exec("ROLLBACK")
	got(t, f.my, "delete from erp.orders where id = 7", "ROLLBACK")
	got(t, f.a)
}

// A statement for a table that lies at several sources goes where its rows are.
func TestSourcesByKey(t *testing.T) {
	f := startSources(t)
	f.a.Answer = rowsOf([]txn.Column{{Name: "ok", Type: "boolean"}}, []string{"t"})
	f.c.expect("SELECT balance FROM accounts WHERE id = 4", "1")
	got(t, f.a, `SELECT "balance" FROM "public"."accounts" WHERE "id" = 4 FOR SHARE`, "COMMIT")
	f.c.exec("UPDATE accounts SET balance = balance + ? WHERE id = ?", 5, 3)
	got(t, f.b, `UPDATE "public"."accounts" SET "balance" = "balance" + CAST($1 AS integer) WHERE "id" = $2 | 5 | 3`, "COMMIT")
	f.c.exec("INSERT INTO accounts VALUES (1, 'x', 1), (2, 'y', 2), (3, 'z', 3)")
	got(t, f.a, `INSERT INTO "public"."accounts" ("id", "owner", "balance") VALUES (2, 'y', 2)`, "COMMIT")
	got(t, f.b, `INSERT INTO "public"."accounts" ("id", "owner", "balance") VALUES (1, 'x', 1), (3, 'z', 3)`, "COMMIT")
	f.c.exec("UPDATE accounts SET balance = 0")
	got(t, f.a, `UPDATE "public"."accounts" SET "balance" = 0`, "COMMIT")
	got(t, f.b, `UPDATE "public"."accounts" SET "balance" = 0`, "COMMIT")
}

// A source that was forgotten, and has come back under another number, has its tables as before;
// meanwhile whoever names them is told which one is missing, and all else goes on.
func TestASourceOfAnotherNumber(t *testing.T) {
	f := startSources(t)
	f.c.exec("UPDATE orders SET qty = 1 WHERE id = 7")
	got(t, f.my, "update erp.orders set qty = 1 where id = 7", "COMMIT")
	f.cluster.RemoveSource("my")
	for _, text := range []string{"UPDATE orders SET qty = 2 WHERE id = 7", "SELECT id FROM orders", "SELECT o.id FROM orders o JOIN accounts a ON a.id = o.id"} {
		f.c.fails(text, "1429")
	}
	f.c.exec("UPDATE accounts SET balance = 1 WHERE id = 2")
	got(t, f.a, "UPDATE \"public\".\"accounts\" SET \"balance\" = 1 WHERE \"id\" = 2", "COMMIT")
	got(t, f.my)
	back := f.cluster.NewRecorder(104, "my", "mysql")
	f.c.exec("UPDATE orders SET qty = 3 WHERE id = 7")
	got(t, back, "update erp.orders set qty = 3 where id = 7", "COMMIT")
	got(t, f.my)
}
