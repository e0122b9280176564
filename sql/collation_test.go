package sql

import (
	"testing"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// What the gateway compares of a MySQL source's text goes by the column's collation, at one source
// and at two.
func TestTextsAreComparedAsAtTheirSource(t *testing.T) {
	f := start(t)
	table := func(name, collation string) txn.SourceTable {
		return txn.SourceTable{Schema: "erp", Name: name, Key: []string{"id"},
			Columns: []txn.Column{{Name: "id", Type: "int(11)"}, {Name: "g", Type: "varchar(10)", Null: true, Collation: collation}}}
	}
	rows := func(r *sqltest.Recorder, cells ...[]string) {
		r.Answer = rowsOf([]txn.Column{{Name: "id", Type: "int"}, {Name: "g", Type: "varchar", Null: true}}, cells...)
	}
	one := f.cluster.NewRecorder(101, "one", "mysql", table("a", "utf8mb4_general_ci"), table("x", "latin1_bin"))
	two := f.cluster.NewRecorder(102, "two", "mysql", table("b", "latin1_swedish_ci"), table("y", "utf8mb4_bin"))
	c := f.connect(t, "va", "shop")
	c.exec("CALL isochron.import_table('one')")
	c.exec("CALL isochron.import_table('two')")
	rows(one, []string{"1", "A"}, []string{"2", "b"})
	rows(two, []string{"1", "a"}, []string{"2", "B"})
	c.expect("SELECT a.id, b.id FROM a JOIN b ON a.g = b.g ORDER BY 1", "1 | 1\n2 | 2")
	c.expect("SELECT id FROM a WHERE g IN (SELECT g FROM b) ORDER BY id", "1\n2")
	c.expect("SELECT COUNT(*) FROM x JOIN y ON x.g = y.g", "0")
}

// DISTINCT, COUNT(DISTINCT) and UNION take texts for the same that their collation takes for one.
func TestTextsThatAreTheSame(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE ci (id INT PRIMARY KEY, g VARCHAR(10) COLLATE utf8mb4_general_ci, b VARCHAR(10) COLLATE utf8mb4_bin, t TEXT COLLATE utf8mb4_0900_ai_ci)")
	c.exec("INSERT INTO ci VALUES (1, 'A', 'A', 'A'), (2, 'a', 'a', 'a'), (3, 'B', 'B', 'B'), (4, NULL, NULL, NULL), (5, 'b ', 'b ', 'é'), (6, 'e', 'e', 'E')")
	c.expect("SELECT COUNT(DISTINCT g), COUNT(DISTINCT b), COUNT(DISTINCT t) FROM ci", "3 | 5 | 3")
	c.expect("SELECT COUNT(DISTINCT g, id > 1) FROM ci", "4")
	c.expect("SELECT COUNT(*) FROM (SELECT DISTINCT g FROM ci) AS x", "4")
	c.expect("SELECT DISTINCT LOWER(g) FROM ci WHERE id < 3", "a")
	c.expect("SELECT COUNT(*) FROM (SELECT DISTINCT b FROM ci) AS x", "6")
	c.expect("SELECT COUNT(*) FROM (SELECT g FROM ci UNION SELECT g FROM ci WHERE id < 3) AS x", "4")
	c.expect("SELECT COUNT(*) FROM (SELECT g FROM ci UNION ALL SELECT g FROM ci) AS x", "12")
	c.expect("SELECT id FROM ci WHERE id = (SELECT COUNT(DISTINCT g) FROM ci)", "3")
	c.exec("CREATE TABLE bytes (id INT PRIMARY KEY, b BLOB)")
	c.exec("INSERT INTO bytes VALUES (1, x'00ff10'), (2, x'00ff10'), (3, x'41'), (4, x'61')")
	c.expect("SELECT COUNT(DISTINCT b) FROM bytes", "3")
	c.expect("SELECT SUM(id) FROM ci WHERE id <> 5 GROUP BY g ORDER BY 1", "3\n3\n4\n6")
}
