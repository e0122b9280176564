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
	c.exec("CALL isochron.adopt('one')")
	c.exec("CALL isochron.adopt('two')")
	rows(one, []string{"1", "A"}, []string{"2", "b"})
	rows(two, []string{"1", "a"}, []string{"2", "B"})
	c.expect("SELECT a.id, b.id FROM a JOIN b ON a.g = b.g ORDER BY 1", "1 | 1\n2 | 2")
	c.expect("SELECT id FROM a WHERE g IN (SELECT g FROM b) ORDER BY id", "1\n2")
	c.expect("SELECT COUNT(*) FROM x JOIN y ON x.g = y.g", "0")
}
