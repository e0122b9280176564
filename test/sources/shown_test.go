package sources

import "testing"

// Tables at sources are shown, viewed and copied from like others.
func TestShownAndRead(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_table('my_a', 'testshownandread', 'orders')")
	c.exec("CALL isochron.import_table('pg_a', 'testshownandread', 'accounts')")
	c.shows("SHOW CREATE TABLE orders", "COMMENT='at source my_a'")
	c.shows("SHOW CREATE TABLE accounts", "`balance` decimal(12,2) NOT NULL")
	c.shows("DESCRIBE orders", "qty|int unsigned|NO")
	c.shows("SHOW TABLE STATUS", "orders")
	c.exec("INSERT INTO accounts (id, owner, balance) VALUES (1, 'Ann', 5), (2, 'bob', 6)")
	c.exec("CREATE VIEW rich AS SELECT id, owner FROM accounts WHERE balance > 5")
	c.expect("2|bob", "SELECT * FROM rich")
	c.expect("1|Ann\n2|bob", "SELECT id, owner FROM accounts WHERE id = 1 UNION SELECT * FROM rich")
	c.fails(1288, "", "UPDATE rich SET owner = 'x'")
	c.exec("CREATE TABLE twin (id BIGINT PRIMARY KEY, owner TEXT)")
	c.changed(2, "INSERT INTO twin SELECT id, owner FROM accounts")
	c.exec("PREPARE p FROM 'SELECT owner FROM accounts WHERE id = ?'")
	c.exec("SET @id = 2")
	c.expect("bob", "EXECUTE p USING @id")
	c.expect("2", "SELECT COUNT(*) FROM accounts WHERE id <= @id")
	c.expect("", "SELECT id FROM accounts WHERE owner = 'ann'")
	c.changed(1, "UPDATE twin SET owner = (SELECT owner FROM accounts WHERE id = 2) WHERE id = 1")
	c.changed(2, "DELETE twin FROM twin JOIN accounts a ON a.id = twin.id AND a.owner <> 'x'")
	c.changed(1, "REPLACE INTO orders (id, account, item) VALUES (9, 1, 'r')")
	c.changed(2, "INSERT INTO orders (id, account, item) VALUES (9, 1, 'r') ON DUPLICATE KEY UPDATE qty = qty + 1")
	c.changed(1, "INSERT INTO accounts (id, owner) VALUES (3, 'c') ON DUPLICATE KEY UPDATE owner = VALUES(owner)")
	c.exec("DROP DATABASE testshownandread")
	c.expect("", "SELECT table_name FROM information_schema.tables WHERE table_schema = 'testshownandread'")
}
