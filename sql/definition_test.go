package sql

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"isochron/routing"
	"isochron/sql/catalog"
	"isochron/sql/sqltest"
	"isochron/txn"
)

// definitions are statements that define something about a table, t, which each has for itself.
var definitions = []string{
	"ALTER TABLE t ADD COLUMN z INT",
	"ALTER TABLE t ADD COLUMN z INT DEFAULT 4 FIRST",
	"ALTER TABLE t ADD COLUMN z INT CHECK (z <> 0)",
	"ALTER TABLE t ADD COLUMN z INT UNIQUE",
	"ALTER TABLE t DROP COLUMN w",
	"ALTER TABLE t MODIFY v BIGINT",
	"ALTER TABLE t CHANGE v vv BIGINT",
	"ALTER TABLE t RENAME COLUMN v TO vv",
	"ALTER TABLE t ALTER COLUMN v SET DEFAULT 5",
	"ALTER TABLE t ALTER COLUMN w DROP DEFAULT",
	"ALTER TABLE t ADD INDEX iw (w)",
	"CREATE INDEX iw ON t (w)",
	"CREATE UNIQUE INDEX iw ON t (w)",
	"ALTER TABLE t DROP INDEX iv",
	"DROP INDEX iv ON t",
	"ALTER TABLE t ADD CONSTRAINT c2 CHECK (w > 0)",
	"ALTER TABLE t DROP CHECK c1",
	"ALTER TABLE t ADD CONSTRAINT fk FOREIGN KEY (v) REFERENCES parent (id)",
	"ALTER TABLE t COMMENT = 'another'",
	"ALTER TABLE t ADD COLUMN z INT, DROP COLUMN w, ADD INDEX iz (z), RENAME COLUMN v TO vv",
	"ALTER TABLE t RENAME TO t2",
	"RENAME TABLE t TO t2",
	"RENAME TABLE free TO free2, t TO t2",
	"TRUNCATE TABLE t",
	"DROP TABLE t",
	"DROP TABLE free, t",
	"DROP DATABASE",
}

// place is a database with the table that a definition is about.
type definitionPlace struct {
	c         *client
	database  string
	statement string
}

func definitionPlaces(t *testing.T, f *fixture) (places []definitionPlace) {
	c := f.connect(t, "va", "shop")
	for i, statement := range definitions {
		p := definitionPlace{database: fmt.Sprintf("d%d", i), statement: statement}
		if statement == "DROP DATABASE" {
			p.statement += " " + p.database
		}
		c.exec("CREATE DATABASE " + p.database)
		p.c = f.connect(t, "va", p.database)
		p.c.exec("CREATE TABLE parent (id INT PRIMARY KEY)")
		p.c.exec("INSERT INTO parent VALUES (10), (20)")
		p.c.exec("CREATE TABLE free (id INT PRIMARY KEY)")
		p.c.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT DEFAULT 7, KEY iv (v), CONSTRAINT c1 CHECK (v > 0))")
		p.c.exec("INSERT INTO t VALUES (1, 10, 100), (2, 20, 200)")
		p.c.exec("SET lock_wait_timeout = 1")
		places = append(places, p)
	}
	return places
}

// shows is all that a database holds.
func (p definitionPlace) shows() string {
	var out strings.Builder
	for _, table := range strings.Fields(p.c.query("SELECT table_name FROM information_schema.tables WHERE table_schema = '" + p.database + "' ORDER BY 1")) {
		name := p.database + "." + table
		fmt.Fprintln(&out, p.c.query("SHOW CREATE TABLE "+name), p.c.query("SELECT * FROM "+name+" ORDER BY 1"))
	}
	return out.String()
}

// A definition waits for a transaction that uses its table as long as a statement waits for a lock.
// Then it fails, and nothing has happened; the transaction stays open.
func TestDefinitionsWaitForUsers(t *testing.T) {
	uses := map[string]string{
		"read": "SELECT * FROM %s.t WHERE id = 1", "written": "UPDATE %s.t SET v = 20 WHERE id = 1",
		"locked": "SELECT * FROM %s.t WHERE id = 2 FOR UPDATE", "shared": "SELECT * FROM %s.t FOR SHARE",
	}
	for how, use := range uses {
		for _, region := range []string{"va", "wa"} {
			t.Run(how+" from "+region, func(t *testing.T) {
				f := start(t) // one after the other: the engine's counters are of the process
				t.Parallel()
				places := definitionPlaces(t, f)
				user := f.connect(t, region, "shop")
				user.exec("BEGIN")
				before := make([]string, len(places))
				for i, p := range places {
					before[i] = p.shows()
					user.query(fmt.Sprintf(use, p.database))
				}
				var wg sync.WaitGroup
				for _, p := range places {
					wg.Go(func() {
						_, err := p.c.conn.ExecContext(context.Background(), p.statement)
						if err == nil || !strings.Contains(err.Error(), "Error 1205 (HY000)") || !strings.Contains(err.Error(), "is still used") {
							t.Errorf("%s while a transaction uses the table: %v", p.statement, err)
						}
					})
				}
				wg.Wait()
				for i, p := range places {
					if now := p.shows(); now != before[i] {
						t.Errorf("%s has failed, and left\n%swhere there was\n%s", p.statement, now, before[i])
					}
				}
				user.exec("COMMIT")
				for i, p := range places {
					p.c.exec(p.statement)
					if now := p.shows(); now == before[i] {
						t.Errorf("%s has done nothing", p.statement)
					}
				}
			})
		}
	}
}

// dropsWaiting has a client drop the table t, and returns when that waits for transactions.
func (f *fixture) dropsWaiting(c *client) (done chan error) {
	waiting := make(chan struct{})
	f.cluster.OnUsing = sync.OnceFunc(func() { close(waiting) })
	done = make(chan error)
	go func() {
		_, err := c.conn.ExecContext(context.Background(), "DROP TABLE t")
		done <- err
	}()
	<-waiting
	return done
}

// A definition that waits continues as soon as the transaction ends.
func TestDefinitionGoesOn(t *testing.T) {
	f := start(t)
	va, wa := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	va.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	wa.exec("BEGIN")
	wa.query("SELECT * FROM t")
	done := f.dropsWaiting(va)
	wa.exec("INSERT INTO t VALUES (1)")
	wa.exec("COMMIT")
	if err := <-done; err != nil {
		t.Error(err)
	}
	va.fails("SELECT * FROM t", "Error 1146")
}

// A definition has happened whole, or not at all.
func TestDefinitionsAreWhole(t *testing.T) {
	cases := []struct{ statement, fails string }{
		{"ALTER TABLE t ADD COLUMN z INT, ADD UNIQUE KEY (w)", "1062"},
		{"ALTER TABLE t ADD COLUMN z INT NOT NULL DEFAULT 0 CHECK (z <> 0)", "3819"},
		{"ALTER TABLE t ADD COLUMN z INT, ADD CONSTRAINT c2 CHECK (w > 500)", "3819"},
		{"ALTER TABLE t ADD COLUMN z INT, ADD COLUMN Z INT", ""},
		{"ALTER TABLE t ADD COLUMN z INT, DROP COLUMN none", ""},
		{"ALTER TABLE t ADD COLUMN z INT, DROP INDEX none", ""},
		{"ALTER TABLE t ADD COLUMN z INT, ADD INDEX iv (w)", "1061"},
		{"ALTER TABLE t DROP COLUMN w, MODIFY txt INT", ""},
		{"ALTER TABLE t RENAME COLUMN v TO vv, ADD CONSTRAINT fk FOREIGN KEY (vv) REFERENCES parent (id)", "1452"},
		{"ALTER TABLE t ADD COLUMN z INT, DROP CHECK none", ""},
		{"ALTER TABLE t DROP INDEX iv, ADD UNIQUE INDEX iv (w)", "1062"},
		{"RENAME TABLE free TO free2, none TO t2", "1146"},
		{"RENAME TABLE free TO free2, t TO parent", "1050"},
		{"DROP TABLE free, none", ""},
		{"DROP TABLE free, t, parent, child", ""},
		{"DROP TABLE free, kept", ""},
		{"CREATE TABLE made (id INT PRIMARY KEY) SELECT w AS id FROM t", "1062"},
		{"CREATE TABLE made (id INT PRIMARY KEY, k TINYINT) SELECT id, w * 1000 AS k FROM t", "1264"},
		{"CREATE TABLE made (id INT PRIMARY KEY, v INT, FOREIGN KEY (v) REFERENCES none (id))", "1824"},
		{"CREATE TABLE made (id INT PRIMARY KEY, v INT CHECK (v > 15)) SELECT id, v FROM t", "3819"},
		{"CREATE OR REPLACE VIEW vw AS SELECT none FROM t", "1054"},
	}
	f := start(t)
	c := f.connect(t, "va", "shop")
	for _, s := range []string{
		"CREATE TABLE parent (id INT PRIMARY KEY)", "INSERT INTO parent VALUES (10)", "CREATE TABLE free (id INT PRIMARY KEY)",
		"CREATE TABLE kept (id INT PRIMARY KEY)", "CREATE TABLE refers (id INT PRIMARY KEY, k INT, FOREIGN KEY (k) REFERENCES kept (id))",
		"CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT, txt VARCHAR(5), KEY iv (v), CONSTRAINT c1 CHECK (v > 0))",
		"INSERT INTO t VALUES (1, 10, 100, 'a'), (2, 20, 100, 'b')", "CREATE VIEW vw AS SELECT id FROM t",
	} {
		c.exec(s)
	}
	p := definitionPlace{c: c, database: "shop"}
	before, ranges := p.shows(), len(f.cluster.Gateway("va").Directory().Ranges)
	for _, tc := range cases {
		c.fails(tc.statement, "Error "+tc.fails)
		if now := p.shows(); now != before {
			t.Fatalf("%s has failed, and left\n%swhere there was\n%s", tc.statement, now, before)
		}
		c.exec("INSERT INTO t VALUES (3, 30, 300, 'c')")
		c.exec("DELETE FROM t WHERE id = 3")
	}
	if now := len(f.cluster.Gateway("va").Directory().Ranges); now > ranges+2 {
		t.Errorf("%d ranges are left, where %d were", now, ranges) // those of indexes that were not made
	}
	if f.cluster.Held() != 0 {
		t.Error("locks are left")
	}
}

// A definition whose commit fails has not happened, and one that loses is done again.
func TestDefinitionsWhoseCommitFails(t *testing.T) {
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprint(lost), func(t *testing.T) {
			f := start(t)
			places := definitionPlaces(t, f)
			for _, p := range places {
				before, failed := p.shows(), false
				f.cluster.BeforeCommit = func(tx *sqltest.Txn) error {
					if !tx.Writes(catalog.VersionKey) || failed {
						return nil
					}
					failed = true
					if lost {
						return txn.Errorf(txn.KindAborted, "it lost")
					}
					return txn.Errorf(txn.KindUnavailable, "no node answers")
				}
				if lost {
					p.c.exec("BEGIN")
					p.c.exec("INSERT INTO free VALUES (1)")
					p.c.exec(p.statement)
					if now := p.shows(); now == before || !failed {
						t.Errorf("%s has done nothing", p.statement)
					}
					continue
				}
				p.c.fails(p.statement, "Error 1158")
				if now := p.shows(); now != before {
					t.Errorf("%s has failed, and left\n%swhere there was\n%s", p.statement, now, before)
				}
			}
		})
	}
}

// What a dropped table leaves is cleared away when its rows are free, and says nothing to its client.
func TestLeftIsCleared(t *testing.T) {
	f := start(t)
	va, wa := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	va.exec("CREATE TABLE held (id INT PRIMARY KEY)")
	va.exec("CREATE TABLE t (id INT PRIMARY KEY, KEY (id))")
	va.exec("INSERT INTO t VALUES (1), (2)")
	keeper := f.connect(t, "va", "shop")
	keeper.exec("BEGIN")
	keeper.query("SELECT * FROM t")
	done := f.dropsWaiting(va)
	wa.exec("BEGIN") // it comes too late to be waited for
	wa.query("SELECT * FROM t WHERE id = 1 FOR UPDATE")
	keeper.exec("ROLLBACK")
	if err := <-done; err != nil {
		t.Error("the table is dropped, and its client got ", err)
	}
	if n := f.cluster.Keys(routing.SystemKey("left/")); n != 1 {
		t.Errorf("%d prefixes are left while a row is locked, want 1", n)
	}
	wa.fails("SELECT * FROM t WHERE id = 2 FOR UPDATE", "Error 1146")
	wa.exec("ROLLBACK")
	va.exec("DROP TABLE held")
	if n := f.cluster.Keys(routing.SystemKey("left/")); n != 0 {
		t.Errorf("%d prefixes are left", n)
	}
}

// What names a column follows it when it gets another name, and holds it, or goes with it, when it
// is dropped.
func TestNamedColumns(t *testing.T) {
	renames := map[string]string{
		"ALTER TABLE t CHANGE v vv BIGINT": "vv", "ALTER TABLE t CHANGE V `v v` INT AFTER id": "`v v`", "ALTER TABLE t CHANGE v V INT": "V",
		"ALTER TABLE t RENAME COLUMN v TO vv": "vv", "ALTER TABLE t RENAME COLUMN V TO `select`": "`select`",
		"ALTER TABLE t RENAME COLUMN v TO vv, ADD CONSTRAINT c3 CHECK (w < 900)": "vv",
		"ALTER TABLE t RENAME COLUMN v TO x, RENAME COLUMN w TO v":               "x",
	}
	f := start(t)
	c := f.connect(t, "va", "shop")
	made := func() {
		for _, s := range []string{
			"DROP TABLE IF EXISTS t", "DROP TABLE IF EXISTS parent", "CREATE TABLE parent (id INT PRIMARY KEY)", "INSERT INTO parent VALUES (1), (2), (3)",
			"CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT DEFAULT 5, g BIGINT GENERATED ALWAYS AS (v * 2 + 1) STORED, KEY iv (v), CONSTRAINT c1 CHECK (v > 0 AND v + w < 100)," +
				" CONSTRAINT c2 CHECK ((v IN (1, 2, 3)) OR (CASE WHEN `v` IS NULL THEN 1 ELSE 0 END) = 1), alone INT CHECK (alone <> 7))",
			"INSERT INTO t (id, v) VALUES (1, 1)",
		} {
			c.exec(s)
		}
	}
	for statement, name := range renames {
		made()
		c.exec(statement)
		c.exec("INSERT INTO t (id, " + name + ") VALUES (2, 2)")
		c.expect("SELECT id, "+name+", g FROM t WHERE "+name+" >= 1 ORDER BY id", "1 | 1 | 3\n2 | 2 | 5")
		c.fails("INSERT INTO t (id, "+name+") VALUES (3, -1)", "Error 3819")
		c.fails("INSERT INTO t (id, "+name+") VALUES (3, 4)", "Error 3819")
		c.fails("UPDATE t SET "+name+" = 300 WHERE id = 1", "Error 3819")
		c.exec("UPDATE t SET " + name + " = 3 WHERE id = 1")
		c.expect("SELECT g FROM t WHERE id = 1", "7")
	}
	made()
	for statement, number := range map[string]string{
		"ALTER TABLE t DROP COLUMN v": "", "ALTER TABLE t DROP COLUMN w": "3959", "ALTER TABLE t RENAME COLUMN v TO w": "", "ALTER TABLE t CHANGE v w INT": "",
	} {
		c.fails(statement, "Error "+number)
		c.exec("INSERT INTO t (id, v) VALUES (4, 2)")
		c.exec("DELETE FROM t WHERE id = 4")
	}
	c.exec("ALTER TABLE t DROP COLUMN g, DROP COLUMN alone")
	c.exec("INSERT INTO t (id, v) VALUES (4, 2)")
	c.exec("CREATE TABLE child (id INT PRIMARY KEY, k INT, FOREIGN KEY fk (k) REFERENCES parent (id))")
	c.exec("ALTER TABLE child RENAME COLUMN k TO kk")
	c.exec("ALTER TABLE parent CHANGE id pid INT")
	c.fails("INSERT INTO child VALUES (1, 9)", "Error 1452")
	c.exec("INSERT INTO child VALUES (1, 3)")
	c.fails("DELETE FROM parent WHERE pid = 3", "Error 1451")
	c.fails("ALTER TABLE child DROP COLUMN kk", "Error ")
	c.fails("ALTER TABLE parent DROP COLUMN pid", "Error ")
}

// A definition at a gateway that has not read the last one is planned anew.
func TestDefinitionsOfStaleTables(t *testing.T) {
	f := start(t)
	va, wa := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	for statement, number := range map[string]string{
		"DROP TABLE IF EXISTS t": "", "DROP TABLE t": "1051", "ALTER TABLE t ADD COLUMN z INT": "1146", "TRUNCATE TABLE t": "1146", "RENAME TABLE t TO t2": "1146",
		"CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY)": "", "CREATE INDEX i ON t (id)": "1146",
	} {
		va.exec("DROP TABLE IF EXISTS t")
		va.exec("CREATE TABLE t (id INT PRIMARY KEY)")
		wa.query("SELECT * FROM t")
		f.gateways["wa"].Lag(true)
		va.exec("DROP TABLE t")
		if number == "" {
			wa.exec(statement)
		} else {
			wa.fails(statement, "Error 1")
		}
		f.gateways["wa"].Lag(false)
	}
	va.exec("DROP TABLE IF EXISTS t")
	va.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	wa.query("SELECT * FROM t")
	f.gateways["wa"].Lag(true)
	va.exec("ALTER TABLE t ADD COLUMN w INT DEFAULT 4, RENAME COLUMN v TO vv")
	wa.fails("ALTER TABLE t ADD COLUMN w INT", "Error ")
	wa.exec("ALTER TABLE t MODIFY w BIGINT")
	f.gateways["wa"].Lag(false)
	va.exec("INSERT INTO t (id, vv) VALUES (1, 2)")
	va.expect("SELECT * FROM t", "1 | 2 | NULL")
}

// A gateway that has too many questions to ask asks again, until the wait is over.
func TestDefinitionsAskAgain(t *testing.T) {
	f := start(t)
	va, wa := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	va.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	refused := 0
	f.cluster.RefuseUsing = func() error {
		if refused++; refused > 3 {
			return nil
		}
		return txn.Errorf(txn.KindUnavailable, "too many questions are on their way")
	}
	wa.exec("BEGIN")
	wa.query("SELECT * FROM t")
	va.exec("SET lock_wait_timeout = 1")
	va.fails("DROP TABLE t", "Error 1205")
	wa.exec("COMMIT")
	f.cluster.RefuseUsing = func() error { return txn.Errorf(txn.KindUnavailable, "too many questions are on their way") }
	va.fails("DROP TABLE t", "Error 1158")
	f.cluster.RefuseUsing = nil
	va.exec("DROP TABLE t")
}
