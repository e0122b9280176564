package sql

import (
	"strings"
	"testing"

	"isochron/txn"
)

// What dumps have around the rows of a table does nothing, in each of its forms.
func TestWhatDumpsHaveAroundRows(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9), KEY (v))")
	for _, statement := range []string{
		"/*!40000 ALTER TABLE `t` DISABLE KEYS */", "ALTER TABLE t DISABLE KEYS", "alter table shop.t disable keys", "LOCK TABLES `t` WRITE",
		"INSERT INTO `t` VALUES (1,'a'),(2,'b')", "UNLOCK TABLES", "/*!40000 ALTER TABLE `t` ENABLE KEYS */", "ALTER TABLE t ENABLE KEYS",
	} {
		c.exec(statement)
	}
	c.expect("SELECT /*!40001 SQL_NO_CACHE */ `id`, `v` FROM `t`", "1 | a\n2 | b")
	c.expect("SELECT @@version_comment", "Isochron")
}

// A table at a source is read as a dump reads it.
func TestDumpsReadTablesAtSources(t *testing.T) {
	f := startSources(t)
	f.my.Answer = rowsOf([]txn.Column{{Name: "id", Type: "int"}}, []string{"7"})
	f.c.expect("SELECT /*!40001 SQL_NO_CACHE */ `id` FROM `orders`", "7")
	f.a.Answer = rowsOf([]txn.Column{{Name: "balance", Type: "bigint"}}, []string{"5"})
	f.c.expect("SELECT /*!40001 SQL_NO_CACHE */ `balance` FROM `accounts` WHERE id = 4", "5")
}

// What SHOW CREATE TABLE answers makes the same table again.
func TestDefaultsOfMembersAreShownByName(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, e ENUM('x','2') DEFAULT 'x', f ENUM('x','2') DEFAULT '2', s SET('p','q') DEFAULT 'p,q', n ENUM('a') DEFAULT NULL)")
	_, text, _ := strings.Cut(c.query("SHOW CREATE TABLE t"), " | ")
	c.exec("DROP TABLE t")
	c.exec(text)
	c.exec("INSERT INTO t (id) VALUES (1)")
	c.expect("SELECT * FROM t", "1 | x | 2 | p,q | NULL")
}
