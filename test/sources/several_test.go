package sources

import (
	"fmt"
	"strings"
	"testing"
)

// Answers of several sources are put together as if one had given them.
func TestStatementsOverSeveralSources(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_sharded_table('teststatementsoverseveralsources.accounts', 'id', 'hash', 'pg_a,my_a,pg_b')")
	c.exec("CREATE TABLE same (id BIGINT PRIMARY KEY, owner TEXT COLLATE utf8mb4_0900_bin, balance DECIMAL(12,2) NOT NULL)")
	for _, table := range []string{"accounts", "same"} {
		for i := range 30 {
			c.exec(fmt.Sprintf("INSERT INTO %s (id, owner, balance) VALUES (?, ?, ?)", table), i, fmt.Sprintf("o%d", i%4), fmt.Sprintf("%d.%02d", i*i%11, i))
		}
	}
	for _, text := range []string{
		"SELECT COUNT(*) FROM %s",
		"SELECT COUNT(*), SUM(balance), MIN(balance), MAX(id), AVG(balance) FROM %s",
		"SELECT COUNT(*), SUM(balance), MIN(balance), AVG(balance) FROM %s WHERE id > 1000",
		"SELECT SUM(id) AS s FROM %s WHERE id IN (1, 2, 3, 29)",
		"SELECT id, balance FROM %s ORDER BY balance, id LIMIT 5",
		"SELECT id FROM %s ORDER BY balance DESC, id DESC LIMIT 3, 4",
		"SELECT owner, id AS n FROM %s WHERE id BETWEEN 3 AND 20 ORDER BY n DESC LIMIT 7",
		"SELECT * FROM %s ORDER BY id DESC LIMIT 2",
		"SELECT balance, COUNT(*) FROM %s GROUP BY balance ORDER BY balance LIMIT 4",
		"SELECT FLOOR(balance) AS f, COUNT(*) FROM %s GROUP BY f ORDER BY f",
		"SELECT owner, COUNT(*), SUM(balance), MAX(id) FROM %s GROUP BY owner ORDER BY owner",
		"SELECT DISTINCT owner FROM %s ORDER BY owner",
		"SELECT owner, COUNT(*) AS n FROM %s GROUP BY owner HAVING n > 7 ORDER BY owner",
		"SELECT COUNT(DISTINCT owner) FROM %s",
		"SELECT id, (SELECT MAX(id) FROM same) FROM %s ORDER BY id LIMIT 2",
		"SELECT a.id, b.id FROM %[1]s a JOIN %[1]s b ON b.id = a.id + 10 WHERE a.id < 6 ORDER BY a.id",
		"SELECT id FROM %s WHERE id = 3 UNION SELECT id FROM same WHERE id = 4 ORDER BY id",
		"SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) FROM %s ORDER BY id LIMIT 3",
		"WITH rich AS (SELECT * FROM %s WHERE balance > 5) SELECT COUNT(*) FROM rich",
	} {
		want, err := c.try(fmt.Sprintf(text, "same"))
		if err != nil {
			t.Fatal(text, err)
		}
		c.expect(want, fmt.Sprintf(text, "accounts"))
	}
	c.expect("29\n28", "SELECT id FROM accounts ORDER BY id DESC LIMIT ?", 2)
}

// EXPLAIN shows the statements sent to each source.
func TestExplain(t *testing.T) {
	c := beginSharded(t)
	c.exec("CREATE TABLE native (id BIGINT PRIMARY KEY)")
	c.shows("EXPLAIN SELECT owner FROM accounts WHERE id = 2", `read at pg_a|accounts|SELECT "owner" FROM "public"."accounts" WHERE "id" = 2 FOR SHARE|1|`)
	c.shows("EXPLAIN UPDATE accounts SET balance = 1 WHERE id IN (1, 3)", "update at my_a|accounts|update `bank`.`accounts` set `balance` = 1 where `id` in (1, 3)|1|")
	c.shows("EXPLAIN SELECT COUNT(*) FROM accounts", "groups added up at the gateway")
	c.shows("EXPLAIN SELECT a.id FROM accounts a JOIN native n ON n.id = a.id WHERE a.id < 5", `WHERE "id" < 5 ORDER BY "id"`)
	c.shows("EXPLAIN SELECT a.id FROM accounts a JOIN native n ON n.id = a.id WHERE a.id = 5", "read at my_a|accounts|select `id`, `owner`, `balance` from `bank`.`accounts` where `id` in (5) order by `id` asc limit 10000")
	c.nothingInDoubt()
	c.fails(1235, "", "CALL isochron.resolve('nothing')")
}

// shows holds a part of an answer.
func (c *client) shows(text, part string) {
	c.t.Helper()
	got, err := c.try(text)
	if err != nil {
		c.t.Fatalf("%s: %v", text, err)
	}
	if !strings.Contains(got, part) {
		c.t.Errorf("%s\n%s\nwithout\n%s", text, got, part)
	}
}

// A table with more rows than one request returns is read in pages.
func TestPages(t *testing.T) {
	c := begin(t)
	if err := house.my.Exec("INSERT INTO accounts SELECT seq, 'x', 1 FROM seq_1_to_25000"); err != nil {
		t.Fatal(err)
	}
	if err := house.pg.Exec("INSERT INTO accounts SELECT i, 'x', 1 FROM generate_series(30001, 40000) AS i"); err != nil {
		t.Fatal(err)
	}
	c.exec("CALL isochron.import_sharded_table('testpages.accounts', 'id', 'range', 'my_a,pg_a', '30001')")
	c.expect("35000|24999|40000", "SELECT COUNT(DISTINCT a.id), COUNT(DISTINCT CASE WHEN a.id < 25000 THEN a.id END), MAX(a.id) FROM accounts a")
	c.exec("SET isochron_statement_memory = 2000000")
	c.fails(3170, "Memory capacity", "SELECT COUNT(DISTINCT id) FROM accounts")
	c.exec("SET isochron_statement_memory = 0")
	c.expect("35000", "SELECT COUNT(*) FROM accounts")
}
