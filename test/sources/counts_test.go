package sources

import (
	"testing"
)

// A change counts as MySQL counts it, at a PostgreSQL as at a MariaDB: rows that are other than they
// were; a row that ON DUPLICATE KEY UPDATE or REPLACE finds twice, and one that stays as it was not at
// all. A client that asks for rows that are found gets those of an UPDATE.
func TestCountsOfChanges(t *testing.T) {
	c := begin(t)
	name := databaseOf(t)
	for _, source := range []string{"pg_a", "my_a"} {
		c.exec("CREATE DATABASE " + name + source)
		c.exec("CALL isochron.import_table('" + source + "', '" + name + source + "', 'rates')")
		c.exec("CALL isochron.import_table('" + source + "', '" + name + source + "', 'accounts')")
	}
	for _, source := range []string{"pg_a", "my_a"} {
		for _, found := range []bool{false, true} {
			if found && source == "my_a" {
				continue // a MariaDB does not report it
			}
			parameters := "clientFoundRows=false"
			if found {
				parameters = "clientFoundRows=true"
			}
			k := connect(t, parameters)
			k.exec("USE " + name + source)
			for _, inTransaction := range []bool{false, true} {
				k.exec("DELETE FROM rates")
				k.exec("DELETE FROM accounts")
				if inTransaction {
					k.exec("BEGIN")
				}
				for _, s := range []struct {
					text              string
					changed, foundToo int64
				}{
					{"INSERT INTO rates VALUES (1, 1), (2, 2), (3, 3)", 3, 3},
					{"INSERT INTO rates VALUES (1, 9) ON DUPLICATE KEY UPDATE factor = 9", 2, 2},
					{"INSERT INTO rates VALUES (1, 9) ON DUPLICATE KEY UPDATE factor = 9", 0, 1},
					{"INSERT INTO rates VALUES (1, 8), (2, 2), (9, 9) ON DUPLICATE KEY UPDATE factor = VALUES(factor)", 3, 4},
					{"INSERT INTO rates VALUES (1, 8) ON DUPLICATE KEY UPDATE factor = factor + 1", 2, 2},
					{"REPLACE INTO rates VALUES (1, 7)", 2, 2},
					{"REPLACE INTO rates VALUES (1, 7)", 1, 1},
					{"REPLACE INTO rates VALUES (1, 6), (2, 2), (11, 1)", 4, 4},
					{"INSERT IGNORE INTO rates VALUES (1, 0), (4, 4)", 1, 1},
					{"UPDATE rates SET factor = 6 WHERE id = 1", 0, 1},
					{"UPDATE rates SET factor = 5 WHERE id IN (1, 77)", 1, 1},
					{"UPDATE rates SET factor = 5 WHERE id IN (1, 2)", 1, 2},
					{"UPDATE rates SET factor = 5 WHERE factor > 4 OR id = 4", 2, 4},
					{"UPDATE rates SET factor = factor", 0, 6},
					{"UPDATE rates SET factor = factor + 1 WHERE id = 1", 1, 1},
					{"UPDATE rates SET factor = 5 WHERE id = 77", 0, 0},
					{"UPDATE rates SET factor = 5 ORDER BY id LIMIT 2", 1, 2},
					{"DELETE FROM rates WHERE id IN (1, 77)", 1, 1},
					{"INSERT INTO accounts VALUES (1, 'a', 2.5), (2, NULL, 0)", 2, 2},
					{"UPDATE accounts SET owner = NULL", 1, 2},
					{"UPDATE accounts SET owner = 'a', balance = '2.50' WHERE id = 1", 1, 1},
					{"UPDATE accounts SET owner = 'A' WHERE id = 1", 1, 1},
					{"UPDATE accounts SET balance = 2.501 WHERE id = 1", 0, 1},
					{"INSERT INTO accounts (id, owner) VALUES (1, 'A') ON DUPLICATE KEY UPDATE owner = VALUES(owner)", 0, 1},
				} {
					want := s.changed
					if found {
						want = s.foundToo
					}
					k.changed(want, s.text)
				}
				k.changed(0+boolean(found), "UPDATE accounts SET owner = ? WHERE id = ?", "A", 1)
				k.changed(1, "UPDATE accounts SET owner = ? WHERE id = ?", "b", 1)
				if inTransaction {
					k.exec("COMMIT")
				}
				k.expect("2|5\n3|3\n4|5\n9|5\n11|1", "SELECT id, factor FROM rates ORDER BY id")
				k.expect("1|b|2.50\n2|NULL|0.00", "SELECT * FROM accounts ORDER BY id")
			}
		}
	}
}

func boolean(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// INSERT and REPLACE answer with the rows that RETURNING asks for.
func TestReturning(t *testing.T) {
	c := begin(t)
	name := databaseOf(t)
	for _, source := range []string{"pg_a", "my_a"} {
		c.exec("CREATE DATABASE " + name + source)
		c.exec("USE " + name + source)
		c.exec("CALL isochron.import_table('" + source + "', '" + name + source + "', 'rates')")
		for _, inTransaction := range []bool{false, true} {
			c.exec("DELETE FROM rates")
			if inTransaction {
				c.exec("BEGIN")
			}
			c.expect("3|3", "INSERT INTO rates VALUES (3, 3) RETURNING *")
			c.expect("5|2\n6|3", "INSERT INTO rates (id, factor) VALUES (5, 1), (6, 2) RETURNING id, factor + 1 AS more")
			c.expect("3|4", "INSERT INTO rates VALUES (3, 9) ON DUPLICATE KEY UPDATE factor = 4 RETURNING *")
			c.expect("3|4", "INSERT INTO rates VALUES (3, 9) ON DUPLICATE KEY UPDATE factor = 4 RETURNING *")
			c.expect("", "INSERT IGNORE INTO rates VALUES (3, 9) RETURNING *")
			c.expect("3|7", "REPLACE INTO rates VALUES (3, 7) RETURNING id, factor")
			c.expect("8|1", "INSERT INTO rates VALUES (?, ?) RETURNING *", 8, 1)
			if inTransaction {
				c.exec("COMMIT")
			}
			c.expect("3|7\n5|1\n6|2\n8|1", "SELECT * FROM rates ORDER BY id")
		}
	}
	c.exec("CREATE DATABASE " + name + "_all")
	c.exec("USE " + name + "_all")
	c.exec("CALL isochron.import_broadcast_table('" + name + "_all.rates', 'pg_a,my_b')")
	c.exec("DELETE FROM rates")
	c.expect("1|2", "INSERT INTO rates VALUES (1, 2) RETURNING *")
}
