package sql

import (
	"fmt"
	"slices"
	"testing"

	"isochron/sql/sqltest"
)

// kept counts the texts for sources of which a session knows what to send, for any values.
func (f *sourceFixture) kept() (n int) {
	for _, s := range f.servers["va"].gateway.sessions { // order: a sum
		for _, t := range s.texts.kept { // order: a sum
			if t.written.st != nil && t.written.misses == 0 {
				n++
			}
		}
	}
	return n
}

// A text that comes again with other values is sent as it would be if it were read: each of these
// is read the first time, taken apart the second, and then filled in.
func TestTextsWithOtherValues(t *testing.T) {
	f := startSources(t)
	for i, want := range []struct {
		text, sent string
		at         *sqltest.Recorder
		kept       bool
	}{
		{"SELECT item FROM orders WHERE id = %d", "select item from erp.orders where id = %d", f.my, true},
		{"UPDATE orders SET item = 'x%d' WHERE id = 3", "update erp.orders set item = 'x%d' where id = 3", f.my, true},
		{"UPDATE orders SET qty = qty - 1.%d5 WHERE item IN ('a', 'b%[1]d')", "update erp.orders set qty = qty - 1.%d5 where item in ('a', 'b%[1]d')", f.my, true},
		{"SELECT owner FROM accounts WHERE id = 2%d0", `SELECT "owner" FROM "public"."accounts" WHERE "id" = 2%d0 FOR SHARE`, f.a, true},
		{"UPDATE accounts SET owner = 'o%d' WHERE id = 5", `UPDATE "public"."accounts" SET "owner" = 'o%d' WHERE "id" = 5`, f.b, true},
		{"SELECT ok FROM rates WHERE ok = 1 AND id = %d", `SELECT CAST("ok" AS integer) AS "ok" FROM "public"."rates" WHERE ("ok" = TRUE) AND ("id" = %d) FOR SHARE`, f.a, false}, // ok = 2 is none
	} {
		before := f.kept()
		for n := range 5 {
			f.c.exec(fmt.Sprintf(want.text, n))
			if sent, all := unguarded(want.at.Sent()...), []string{fmt.Sprintf(want.sent, n), "COMMIT"}; !slices.Equal(unquoted(sent), unquoted(all)) {
				t.Errorf("%s: sent %q, not %q", fmt.Sprintf(want.text, n), sent, all)
			}
		}
		if n := f.kept(); n-before == 1 != want.kept {
			t.Errorf("%d: %s: kept %d texts, and then %d", i, want.text, before, n)
		}
	}
}

// What is known of a text is not told by a key that goes elsewhere, nor after the catalogue has
// changed, nor by a prepared statement of the same words, nor in a transaction that may not write.
func TestTextsWithOtherValuesGoWhereTheyBelong(t *testing.T) {
	f := startSources(t)
	for i := range 12 {
		f.c.exec(fmt.Sprintf("UPDATE accounts SET balance = 1 WHERE id = %d", i))
		at, other := f.a, f.b
		if i%2 == 1 {
			at, other = f.b, f.a
		}
		got(t, at, fmt.Sprintf(`UPDATE "public"."accounts" SET "balance" = 1 WHERE "id" = %d`, i), "COMMIT")
		got(t, other)
	}
	f.c.exec("UPDATE accounts SET balance = 1 WHERE id = ?", 4)
	got(t, f.a, `UPDATE "public"."accounts" SET "balance" = 1 WHERE "id" = $1 | 4`, "COMMIT")
	f.c.exec("UPDATE accounts SET balance = ? WHERE id = ?", 7, 4)
	got(t, f.a, `UPDATE "public"."accounts" SET "balance" = $1 WHERE "id" = $2 | 7 | 4`, "COMMIT")
	f.c.exec("UPDATE accounts SET balance = 7 WHERE id = 6")
	got(t, f.a, `UPDATE "public"."accounts" SET "balance" = 7 WHERE "id" = 6`, "COMMIT")
	f.c.exec("UPDATE accounts SET balance = 7 WHERE id = 6.5")
	got(t, f.a, `UPDATE "public"."accounts" SET "balance" = 7 WHERE "id" = 6.5`, "COMMIT")
	got(t, f.b) // no row has that key: one source answers so
	f.c.exec("START TRANSACTION READ ONLY")
	f.c.fails("UPDATE accounts SET balance = 1 WHERE id = 4", "1792")
	f.c.exec("ROLLBACK")
	f.c.fails("PREPARE p FROM 'UPDATE accounts SET balance = 1'", "1235")
	f.c.exec("CALL isochron.drop_imported_table('shop.accounts')")
	f.c.fails("UPDATE accounts SET balance = 1 WHERE id = 4", "1146")
	f.c.exec("CALL isochron.import_sharded_table('shop.accounts', 'id', 'hash', 'pg_b,pg_a')")
	for i := range 4 {
		f.c.exec(fmt.Sprintf("UPDATE accounts SET balance = 1 WHERE id = %d", 2*i))
		got(t, f.b, fmt.Sprintf(`UPDATE "public"."accounts" SET "balance" = 1 WHERE "id" = %d`, 2*i), "COMMIT")
	}
	got(t, f.a)
}
