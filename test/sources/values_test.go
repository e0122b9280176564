package sources

import (
	"context"
	"database/sql"
	"testing"
	"time"
)

// Values come as MySQL writes them, by both protocols.
func TestValues(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_table('pg_a', 'testvalues', 'kinds')")
	c.exec("CALL isochron.import_table('my_a', 'testvalues', 'orders')")
	c.exec("SET time_zone = '+00:00'")
	r := c.exec("INSERT INTO kinds (ok, raw, made, at, born, price, doc, name, tag, u) VALUES (TRUE, x'00ff41', '2024-01-31 10:20:30.5', '2024-01-31 10:20:30', '2000-02-29', 1.25, '{\"a\": [1, 2]}', 'ann', 'x', '00000000-0000-0000-0000-00000000000a')")
	id, _ := r.LastInsertId()
	if id == 0 {
		t.Error("the new row's number is not returned")
	}
	c.expect("1", "SELECT LAST_INSERT_ID() = ?", id)
	want := "1|\x00\xffA|2024-01-31 10:20:30.500|2024-01-31 10:20:30.000000|2000-02-29|1.25|{\"a\": [1, 2]}|ann|x|00000000-0000-0000-0000-00000000000a"
	c.expect(want, "SELECT ok, raw, made, at, born, price, doc, name, tag, u FROM kinds WHERE name = 'ann'")
	c.expect(want, "SELECT ok, raw, made, at, born, price, doc, name, tag, u FROM kinds WHERE name = ?", "ann")
	c.exec("SET time_zone = '+02:00'")
	c.expect("2024-01-31 12:20:30.000000", "SELECT at FROM kinds WHERE name = 'ann'")
	c.exec("SET time_zone = '+00:00'")
	c.expect("ann|1", "SELECT k.name, k.ok FROM kinds k LEFT JOIN orders o ON o.id = k.id + 100 WHERE k.made > '2024-01-01' AND k.ok")
	r = c.exec("INSERT INTO orders (account, item, qty, paid, at, pic, sort) VALUES (?, ?, ?, ?, ?, ?, ?)", 7, "it's \\ ?", 3, true, time.Date(2024, 1, 31, 10, 20, 30, 500e6, time.UTC), []byte{0, 255, 39}, "b")
	if id, _ := r.LastInsertId(); id != 1 {
		t.Errorf("the new row's number is %d", id)
	}
	want = "1|7|it's \\ ?|3|1|2024-01-31 10:20:30.500|\x00\xff'|b"
	c.expect(want, "SELECT id, account, item, qty, paid, at, pic, sort FROM orders WHERE id = 1")
	c.expect(want, "SELECT id, account, item, qty, paid, at, pic, sort FROM orders WHERE id = ? AND item = ?", 1, "it's \\ ?")
	var qty uint32
	var paid bool
	var at time.Time
	d := connect(t, "parseTime=true")
	if err := d.QueryRowContext(context.Background(), "SELECT qty, paid, at FROM testvalues.orders WHERE id = ?", 1).Scan(&qty, &paid, &at); err != nil || qty != 3 || !paid || at.Nanosecond() != 500e6 {
		t.Error(qty, paid, at, err)
	}
	c.changed(1, "UPDATE orders SET qty = qty + ? WHERE id = ?", 2, 1)
	c.expect("5", "SELECT qty FROM orders")
	c.changed(1, "UPDATE kinds SET ok = ?, price = NULL WHERE name = ?", false, "ann")
	c.expect("0|NULL", "SELECT ok, price FROM kinds")
	c.exec("DELETE FROM kinds")
	c.expect("kinds\norders", "SHOW TABLES")
	c.expect("id|int|NO|PRI\nok|tinyint(1)|YES|\nraw|longblob|YES|", "SELECT column_name, column_type, is_nullable, column_key FROM information_schema.columns WHERE table_schema = 'testvalues' AND table_name = 'kinds' LIMIT 3")
	if rows, err := c.QueryContext(context.Background(), "SELECT id, qty, item, at FROM orders WHERE id < 0"); err != nil {
		t.Error(err)
	} else {
		types, _ := rows.ColumnTypes()
		for i, want := range []string{"INT", "UNSIGNED INT", "VARCHAR", "DATETIME"} {
			if got := types[i].DatabaseTypeName(); got != want {
				t.Errorf("column %d is %s, not %s", i, got, want)
			}
		}
		rows.Close()
	}
}

// A transaction lives on after an error of a statement, unless its source has ended it; COMMIT in
// the packet of the last statement commits it.
func TestErrorsAndPackets(t *testing.T) {
	c := beginSharded(t)
	c.exec("BEGIN; INSERT INTO accounts (id, balance) VALUES (0, 5), (1, 5); UPDATE accounts SET balance = 4 WHERE id = 0; COMMIT")
	c.expect("9.00", "SELECT SUM(balance) FROM accounts")
	c.exec("BEGIN")
	c.exec("UPDATE accounts SET balance = 1 WHERE id = 0")
	c.fails(1062, "", "INSERT INTO accounts (id) VALUES (0)")
	c.fails(1062, "", "INSERT INTO accounts (id) VALUES (1)")
	c.fails(1054, "", "SELECT nothing FROM accounts WHERE id = 1")
	c.exec("UPDATE accounts /*+ last */ SET balance = 1 WHERE id = 1")
	c.exec("COMMIT")
	c.expect("2.00", "SELECT SUM(balance) FROM accounts")
	d := connect(t, "")
	d.exec("SET innodb_lock_wait_timeout = 1")
	c.exec("BEGIN")
	c.exec("UPDATE accounts SET balance = 7")
	for _, id := range []int{0, 1} {
		d.fails(1205, "", "UPDATE testerrorsandpackets.accounts SET balance = 8 WHERE id = ?", id)
	}
	c.exec("COMMIT")
	c.exec("SET TRANSACTION READ ONLY")
	c.exec("BEGIN")
	c.fails(1792, "", "UPDATE accounts SET balance = 8")
	c.expect("14.00", "SELECT SUM(balance) FROM accounts")
	c.exec("COMMIT")
}

// A user without privileges is refused; and the changes at a source are reported.
func TestRightsAndChanges(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_table('my_b', 'testrightsandchanges', 'orders')")
	c.exec("CREATE USER guest IDENTIFIED BY ''; GRANT SELECT ON testrightsandchanges.orders TO guest")
	db, err := sql.Open("mysql", "guest@tcp("+house.door.Addr().String()+")/testrightsandchanges")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	g := &client{t, conn}
	g.expect("", "SELECT item FROM orders")
	g.fails(1142, "DELETE command denied", "DELETE FROM orders")
	g.fails(1142, "denied", "INSERT INTO orders (account, item) VALUES (?, ?)", 1, "x")
	g.fails(1227, "CREATE", "CALL isochron.import_table('my_a')")
	if err := house.my2.Exec("ALTER TABLE orders RENAME COLUMN item TO thing"); err != nil {
		t.Fatal(err)
	}
	c.fails(1412, "no column item", "SELECT item FROM orders")
	if err := house.my2.Exec("ALTER TABLE orders RENAME COLUMN thing TO item"); err != nil {
		t.Fatal(err)
	}
	c.expect("", "SELECT item FROM orders")
	c.exec("CALL isochron.drop_imported_table('orders')")
	c.fails(1146, "orders", "SELECT item FROM orders")
	c.expect("4", "SELECT COUNT(*) FROM isochron.sources")
}
