package sources

import (
	"fmt"
	"strings"
	"testing"
)

// Tables whose changes cannot be rolled back are not imported: a named one is refused with the
// reason, an import of a whole source leaves them out and reports it. A table that became such after
// its import is not imported again.
func TestTablesThatCannotRollBackAreNotImported(t *testing.T) {
	c := begin(t)
	run := func(my bool, text string) {
		t.Helper()
		s := house.pg
		if my {
			s = house.my
		}
		if err := s.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	run(false, "CREATE UNLOGGED TABLE unfit_unlogged (id bigint PRIMARY KEY); GRANT ALL ON unfit_unlogged TO agent")
	defer run(false, "DROP TABLE unfit_unlogged")
	c.fails(1235, "UNLOGGED", "CALL isochron.import_table('pg_a', '"+databaseOf(t)+"', 'unfit_unlogged')")
	for _, engine := range []string{"MyISAM", "Aria", "MEMORY", "CSV"} {
		name := "unfit_" + strings.ToLower(engine)
		run(true, fmt.Sprintf("CREATE TABLE %s (id BIGINT NOT NULL) ENGINE = %s", name, engine))
		defer run(true, "DROP TABLE "+name)
		c.fails(1235, "its engine is "+engine, fmt.Sprintf("CALL isochron.import_table('my_a', '%s', '%s')", databaseOf(t), name))
		c.fails(1235, "its engine is "+engine, fmt.Sprintf("CALL isochron.import_broadcast_table('%s.%s', 'my_a')", databaseOf(t), name))
		c.shows("CALL isochron.import_table('my_a')", "table "+name+" is left out: its engine is "+engine)
		c.fails(1146, "", "SELECT * FROM "+name)
	}
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 1)")
	c.shows("CALL isochron.import_table('pg_a')", "table unfit_unlogged is left out")
}
