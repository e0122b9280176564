package sql

import (
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
