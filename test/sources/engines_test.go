package sources

import (
	"fmt"
	"strings"
	"testing"
)

// Tables whose changes cannot be rolled back are not adopted: one that is named is refused with what
// is the matter, and of a whole source they are left out in words. One that has become so since is
// not adopted anew.
func TestTablesThatCannotRollBackAreNotAdopted(t *testing.T) {
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
	c.fails(1235, "UNLOGGED", "CALL isochron.adopt('pg_a', '"+databaseOf(t)+"', 'unfit_unlogged')")
	for _, engine := range []string{"MyISAM", "Aria", "MEMORY", "CSV"} {
		name := "unfit_" + strings.ToLower(engine)
		run(true, fmt.Sprintf("CREATE TABLE %s (id BIGINT NOT NULL) ENGINE = %s", name, engine))
		defer run(true, "DROP TABLE "+name)
		c.fails(1235, "its engine is "+engine, fmt.Sprintf("CALL isochron.adopt('my_a', '%s', '%s')", databaseOf(t), name))
		c.fails(1235, "its engine is "+engine, fmt.Sprintf("CALL isochron.adopt_everywhere('%s.%s', 'my_a')", databaseOf(t), name))
		c.shows("CALL isochron.adopt('my_a')", "table "+name+" is left out: its engine is "+engine)
		c.fails(1146, "", "SELECT * FROM "+name)
	}
	c.exec("INSERT INTO accounts (id, balance) VALUES (1, 1)")
	c.shows("CALL isochron.adopt('pg_a')", "table unfit_unlogged is left out")
}
