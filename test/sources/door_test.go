package sources

import "testing"

// The bank lies at four sources of two kinds, the shop at one, and a native table beside them:
// one transaction spans all.
func TestOneTransactionOverAll(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_sharded_table('" + "testonetransactionoverall.accounts" + "', 'id', 'hash', 'pg_a,pg_b,my_a,my_b')")
	c.exec("CALL isochron.import_table('my_a', 'testonetransactionoverall', 'orders')")
	c.exec("CREATE TABLE journal (id INT PRIMARY KEY, note VARCHAR(20))")
	c.changed(8, "INSERT INTO accounts (id, owner, balance) VALUES (0, 'a', 100), (1, 'b', 100), (2, 'c', 100), (3, 'd', 100), (4, 'e', 100), (5, 'f', 100), (6, 'g', 100), (7, 'h', 100)")
	c.exec("BEGIN")
	c.changed(1, "UPDATE accounts SET balance = balance - 30.5 WHERE id = 0")
	c.changed(1, "UPDATE accounts SET balance = balance + ? WHERE id = ?", 30.5, 2)
	c.changed(1, "INSERT INTO orders (account, item) VALUES (0, 'pen')")
	c.changed(1, "INSERT INTO journal VALUES (1, 'moved')")
	c.exec("COMMIT")
	c.expect("69.50", "SELECT balance FROM accounts WHERE id = 0")
	c.expect("130.50", "SELECT balance FROM accounts WHERE id = ?", 2)
	c.expect("800.00", "SELECT SUM(balance) FROM accounts")
	c.expect("1|pen|1", "SELECT id, item, qty FROM orders")
	c.expect("a|pen|moved", "SELECT a.owner, o.item, j.note FROM accounts a JOIN orders o ON o.account = a.id JOIN journal j ON j.id = o.id")
	c.exec("BEGIN")
	c.exec("UPDATE accounts SET balance = 0")
	c.exec("INSERT INTO journal VALUES (2, 'never')")
	c.exec("ROLLBACK")
	c.expect("800.00", "SELECT SUM(balance) FROM accounts")
	c.expect("1", "SELECT COUNT(*) FROM journal")
}

// Statements that cannot be executed are refused with a message and MySQL's numbers, and the
// transaction continues.
func TestRefusals(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_sharded_table('testrefusals.accounts', 'id', 'range', 'pg_a,my_a', '10')")
	c.exec("CALL isochron.import_table('my_b', 'testrefusals', 'orders')")
	c.exec("CREATE TABLE native (id INT PRIMARY KEY)")
	c.fails(1235, "there is no source", "CALL isochron.import_table('nowhere')")
	c.fails(1235, "no table", "CALL isochron.import_table('my_b', 'testrefusals', 'nothing')")
	c.fails(1235, "primary key", "CALL isochron.import_sharded_table('rates', 'factor', 'hash', 'pg_a,my_a')")
	c.fails(1318, "import_sharded_table", "CALL isochron.import_sharded_table('accounts')")
	c.exec("BEGIN")
	c.changed(2, "INSERT INTO accounts (id, owner) VALUES (1, 'a'), (11, 'b')")
	c.fails(1235, "are placed", "UPDATE accounts SET id = 12 WHERE id = 1")
	c.fails(1235, "LIMIT", "DELETE FROM accounts LIMIT 1")
	c.fails(1235, "read the rows first", "INSERT INTO orders (account, item) SELECT id, 'x' FROM native")
	c.fails(1235, "isochron.drop_imported_table", "TRUNCATE TABLE orders")
	c.fails(1235, "isochron.drop_imported_table", "DROP TABLE accounts")
	c.fails(1235, "isochron.drop_imported_table", "ALTER TABLE orders ADD COLUMN x INT")
	c.fails(1146, "nothing", "SELECT * FROM nothing JOIN accounts")
	c.fails(1064, "", "EXECUTE IMMEDIATE 'XA COMMIT 1'")
	c.fails(1062, "", "INSERT INTO accounts (id) VALUES (5), (11)")
	c.fails(1062, "", "INSERT INTO accounts (id) VALUES (1)")
	c.expect("2", "SELECT COUNT(*) FROM accounts")
	c.exec("COMMIT")
	c.expect("1|a\n11|b", "SELECT id, owner FROM accounts ORDER BY id")
}

// Savepoints hold at sources too.
func TestSavepoints(t *testing.T) {
	c := beginSharded(t)
	c.exec("CREATE TABLE native (id INT PRIMARY KEY)")
	c.exec("BEGIN")
	c.exec("INSERT INTO accounts (id) VALUES (0)")
	c.exec("SAVEPOINT one")
	c.exec("INSERT INTO accounts (id) VALUES (1), (2)")
	c.exec("INSERT INTO native VALUES (1)")
	c.exec("SAVEPOINT two")
	c.exec("INSERT INTO accounts (id) VALUES (3)")
	c.exec("ROLLBACK TO one")
	c.exec("INSERT INTO accounts (id) VALUES (5)")
	c.exec("COMMIT")
	c.expect("0\n5", "SELECT id FROM accounts ORDER BY id")
	c.expect("0", "SELECT COUNT(*) FROM native")
}

// A transaction that has used a table at sources by one rule neither continues by another, nor
// commits after the rule was changed: its changes are rolled back.
func TestATableIsImportedAgainUnderAnOpenTransaction(t *testing.T) {
	c := begin(t)
	const database = "testatableisimportedagainunderanopentransaction"
	c.exec("CALL isochron.import_sharded_table('" + database + ".accounts', 'id', 'hash', 'pg_a,my_a')")
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 100), (2, 100)")
	d := connect(t, "")
	d.exec("USE " + database)
	anew := func(how string) {
		c.exec("CALL isochron.import_sharded_table('" + database + ".accounts', 'id', " + how + ")")
	}
	for _, next := range []string{"UPDATE accounts SET balance = 7 WHERE id = 2", "SELECT a.balance FROM accounts a JOIN accounts b ON a.id = b.id + 1", "COMMIT"} {
		d.exec("BEGIN")
		d.exec("UPDATE accounts SET balance = balance - 1 WHERE id = 1")
		anew("'range', 'my_a,pg_a', '2'")
		d.fails(1412, "imported again", next)
		d.exec("ROLLBACK")
		anew("'hash', 'pg_a,my_a'")
		c.expect("1|100.00\n2|100.00", "SELECT id, balance FROM accounts ORDER BY id")
	}
	d.exec("BEGIN")
	d.exec("UPDATE accounts SET balance = balance - 1 WHERE id = 1")
	c.exec("CALL isochron.drop_imported_table('" + database + ".accounts')")
	d.fails(1412, "imported again", "COMMIT")
	d.exec("ROLLBACK")
}
