package sql

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"isochron/sql/sqltest"
	"isochron/sql/sysvars"
	"isochron/txn"
)

// What a call declares when its plans are kept: the keys that it writes, in one read; -1: a read for
// writing that declares nothing.
func TestACallIsDeclared(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	for _, text := range keyedTables[:4] {
		c.exec(text)
	}
	d := watchDeclarations(f)
	for i, w := range []struct {
		body, args string
		want       []int
	}{
		{"(a INT, b INT, n INT) BEGIN UPDATE plain SET n = plain.n - n WHERE id = a; UPDATE plain SET n = plain.n + n WHERE id = b; INSERT INTO pair VALUES ('m', %d, 5); END", "1, 2, 5", []int{3}},
		{"(a INT, b INT, x INT) BEGIN UPDATE plain SET n = n - x WHERE id = a; UPDATE plain SET n = n + x WHERE id = b; INSERT INTO pair VALUES ('m', %d, x); END", "1, 2, 5", []int{3}},
		{"(a INT) UPDATE plain SET n = n + 1 WHERE id = a", "1", []int{1}},
		{"(a INT) BEGIN INSERT INTO plain (id, n) VALUES (a, 5); UPDATE plain SET n = n + 1 WHERE id = a; DELETE FROM plain WHERE id = a; END", "70", []int{1}},
		{"(a INT) BEGIN SELECT n, s FROM plain WHERE id = a FOR UPDATE; UPDATE plain SET n = n + 1 WHERE id = a; END", "2", []int{1}},
		{"(a INT) BEGIN SELECT n FROM plain WHERE id = a; UPDATE plain SET n = n + 1 WHERE id = a; END", "2", []int{-1}},
		{"(a INT) BEGIN UPDATE plain SET n = n + 1 WHERE id = a; UPDATE plain SET n = n + 1 WHERE n = a; END", "1", []int{-1, -1}},
		{"() BEGIN END", "", []int{}},
		{"(a VARCHAR(10), b INT) BEGIN UPDATE pair SET n = n + 1 WHERE a = a AND b = b; END", "'x', 1", []int{-1}},
		{"(x VARCHAR(10), y INT) BEGIN DELETE FROM pair WHERE a = x AND b = y; INSERT INTO pair VALUES (x, y, 1); END", "'x', 1", []int{1}},
	} {
		if strings.Contains(w.body, "%d") {
			w.body = fmt.Sprintf(w.body, i)
		}
		c.exec(fmt.Sprintf("CREATE OR REPLACE PROCEDURE p%s", w.body))
		for range 2 {
			c.exec("REPLACE INTO plain (id, n) VALUES (1, 10), (2, 20)")
			c.exec("DELETE FROM pair")
			d.drain()
			if _, err := c.all("CALL p(" + w.args + ")"); err != nil {
				t.Errorf("%s: %v", w.body, err)
			}
		}
		if got := d.drain(); !slices.Equal(got, w.want) {
			t.Errorf("%s: declared %v, want %v", w.body, got, w.want)
		}
	}
	f.cluster.BeforeRead = nil
	if f.cluster.Held() != 0 {
		t.Error("locks are left")
	}
}

// A call is answered by the rows of each of its queries and an OK, and is done as a whole.
func TestACallIsAnswered(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	c.exec(keyedTables[0])
	c.exec("INSERT INTO plain (id, n, s) VALUES (1, 10, 'one'), (2, 20, NULL)")
	c.exec("CREATE PROCEDURE move(a INT, b INT, x INT) BEGIN SELECT n FROM plain WHERE id = a FOR UPDATE; UPDATE plain SET n = n - x WHERE id = a; UPDATE plain SET n = n + x WHERE id = b; SELECT n, s AS name FROM plain WHERE id = b FOR UPDATE; END")
	c.exec("CREATE PROCEDURE look(a INT) SELECT n, n + a FROM plain WHERE id = a")
	c.exec("CREATE PROCEDURE set_n(a INT, x INT) BEGIN UPDATE plain SET n = x WHERE id IN (a, a + 0, 2); END")
	c.exec("CREATE PROCEDURE fails(a INT) BEGIN UPDATE plain SET n = 99 WHERE id = a; INSERT INTO plain (id) VALUES (2); END")
	for i := range 3 {
		if got, err := c.all("CALL move(1, 2, 3)"); got != fmt.Sprintf("%d - %d ", 10-3*i, 23+3*i) || err != nil {
			t.Errorf("the %d. time: %q, %v", i, got, err)
		}
	}
	for _, w := range []struct{ text, want string }{
		{"CALL look(1); SELECT 5", "1 2 - 5"},
		{"SELECT 4; CALL look(1); CALL look(2); SELECT 5", "4 - 1 2 - 29 31 - 5"},
		{"BEGIN; CALL move(1, 2, 1); CALL look(2); COMMIT; SELECT 5", "1 - 30  - 30 32 - 5"},
		{"BEGIN; CALL move(1, 2, 1); ROLLBACK; CALL look(2)", "0 - 31  - 30 32"},
		{"call /* it */ shop . look ( +1 )", "0 1"},
		{"CALL look(@nothing)", ""},
		{"SET @x = 2; CALL look(@x)", "- 30 32"},
		{"CALL look('2')", "30 32"},
		{"CALL look(1.6)", "30 32"},
		{"CALL look(TRUE)", "0 1"},
		{"CALL set_n(1, -5); SELECT ROW_COUNT(); SELECT n FROM plain", "2 - -5 -5"},
	} {
		if got, err := c.all(w.text); strings.Trim(got, " -") != strings.Trim(w.want, " -") || err != nil {
			t.Errorf("%s: %q, %v; want %q", w.text, got, err, w.want)
		}
	}
	for range 3 {
		c.exec("UPDATE plain SET n = id")
		if _, err := c.all("CALL fails(1)"); numberOf(err) != 1062 {
			t.Errorf("a second row of one key: %v", err)
		}
		if got := c.query("SELECT n FROM plain"); got != "1\n2\n" {
			t.Errorf("a call that failed leaves %q", got)
		}
		if _, err := c.all("BEGIN; UPDATE plain SET n = 7 WHERE id = 2; CALL fails(1)"); numberOf(err) != 1062 {
			t.Errorf("a second row of one key: %v", err)
		}
		c.exec("COMMIT")
		if got := c.query("SELECT n FROM plain"); got != "1\n7\n" {
			t.Errorf("a transaction in which a call failed leaves %q", got)
		}
		c.exec("SET autocommit = 0")
		if _, err := c.conn.ExecContext(context.Background(), "CALL fails(1)"); numberOf(err) != 1062 {
			t.Errorf("without autocommit: %v", err)
		}
		if _, err := c.all("CALL set_n(1, 4)"); err != nil {
			t.Error(err)
		}
		c.exec("ROLLBACK")
		c.exec("SET autocommit = 1")
		if got := c.query("SELECT n FROM plain"); got != "1\n7\n" {
			t.Errorf("what was rolled back leaves %q", got)
		}
	}
	c.exec("CREATE DATABASE other")
	c.exec("USE other")
	c.exec("CREATE TABLE plain (id INT PRIMARY KEY, n INT)")
	if got, err := c.all("CALL shop.look(1); SELECT DATABASE()"); got != "1 2 - other" || err != nil {
		t.Errorf("from another database: %q, %v", got, err)
	}
	if _, err := c.all("CALL shop.fails(1)"); numberOf(err) != 1062 {
		t.Errorf("from another database: %v", err)
	}
	if got, err := c.all("BEGIN; CALL shop.look(1); SELECT DATABASE(); COMMIT"); got != "1 2 - other" || err != nil {
		t.Errorf("from another database: %q, %v", got, err)
	}
	if f.cluster.Held() != 0 || f.servers["va"].gateway.held.Load() != 0 {
		t.Error("something is left")
	}
}

// A call that is prepared, and one by a client that sends one statement at a time.
func TestACallIsPrepared(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec(keyedTables[0])
	c.exec("INSERT INTO plain (id, n) VALUES (1, 10), (2, 20)")
	c.exec("CREATE PROCEDURE move(a INT, b INT, x INT) BEGIN UPDATE plain SET n = n - x WHERE id = a; UPDATE plain SET n = n + x WHERE id = b; END")
	c.exec("CREATE PROCEDURE look(a INT) BEGIN UPDATE plain SET n = n + 1 WHERE id = a; SELECT n, d FROM plain WHERE id = a FOR UPDATE; END")
	c.exec("CREATE PROCEDURE twice() BEGIN SELECT 1; SELECT 2; END")
	d := watchDeclarations(f)
	p := c.prepare("CALL move(?, ?, ?)")
	for range 3 {
		if r, err := p.Exec(1, 2, 3); err != nil {
			t.Error(err)
		} else if n, _ := r.RowsAffected(); n != 1 {
			t.Errorf("%d rows", n)
		}
		if got := d.drain(); !slices.Equal(got, []int{2}) {
			t.Errorf("declared %v", got)
		}
	}
	q := c.prepare("CALL shop.look(?)")
	for i := range 3 {
		var n int
		var dec string
		if err := q.QueryRow("1").Scan(&n, &dec); err != nil || n != 2+i || dec != "1.50" {
			t.Errorf("%d, %s, %v", n, dec, err)
		}
		if err := c.conn.QueryRowContext(context.Background(), "CALL look(2)").Scan(&n, &dec); err != nil || n != 30+i {
			t.Errorf("%d, %s, %v", n, dec, err)
		}
	}
	if got := d.drain(); !slices.Contains(got, 1) {
		t.Errorf("declared %v", got)
	}
	if _, err := p.Exec(1, 2); err == nil {
		t.Error("a parameter was left out")
	}
	if _, err := p.Exec("x", 2, 3); numberOf(err) != 1366 {
		t.Errorf("x is no number: %v", err)
	}
	if _, err := c.prepare("CALL twice()").Query(); numberOf(err) != 1312 {
		t.Errorf("two results: %v", err)
	}
	c.exec("SET @p = 'x'")
	for _, text := range []string{"PREPARE s FROM 'CALL move(1, 2, 3)'", "PREPARE s FROM 'CREATE PROCEDURE q() SELECT 1'", "PREPARE s FROM 'DROP PROCEDURE move'"} {
		_, err := c.conn.ExecContext(context.Background(), text)
		if err == nil {
			_, err = c.conn.ExecContext(context.Background(), "EXECUTE s")
		}
		if err == nil {
			t.Errorf("%s was carried out", text)
		}
	}
}

// Each way in which a procedure can be defined, and what is refused.
func TestProceduresAreDefined(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	c.exec(keyedTables[0])
	c.exec("CREATE DATABASE other")
	for _, w := range []struct {
		text string
		want int
	}{
		{"CREATE PROCEDURE p(a INT, b VARCHAR(3), d DATE, m DECIMAL(4,1)) SELECT a, b, d, m", 0},
		{"CREATE PROCEDURE P() SELECT 1", 1304},
		{"CREATE PROCEDURE other.p() SELECT 1; SELECT 2", 0},
		{"CREATE PROCEDURE IF NOT EXISTS p() SELECT 1", 0},
		{"CREATE PROCEDURE nowhere.p() SELECT 1", 1049},
		{"CREATE PROCEDURE isochron.p() SELECT 1", 1044},
		{"CREATE PROCEDURE q(", 1064},
		{"CREATE PROCEDURE q() BEGIN SELECT 1; IF 1 THEN SELECT 1; END IF; END", 1235},
		{"CREATE PROCEDURE q(OUT a INT) SELECT 1", 1235},
		{"CREATE PROCEDURE q(a INT, a INT) SELECT 1", 1330},
		{"DROP PROCEDURE q", 1305},
		{"DROP PROCEDURE IF EXISTS q", 0},
		{"CALL q()", 1305},
		{"CALL isochron.q()", 1305},
		{"CALL p(1, 'x')", 1318},
		{"CALL p", 1318},
		{"CALL p(1, 'abcd', NULL, NULL)", 1406},
		{"CALL p(3000000000, 'a', NULL, NULL)", 1264},
		{"CALL p('1x', 'a', NULL, NULL)", 1366},
		{"CALL p(1, 'a', 'no date', NULL)", 1366},
		{"CALL p(1, 'a', NULL, 12345)", 1264},
		{"CALL p(1 + 1, 'a', NULL, NULL)", 1235},
		{"CALL p((SELECT 1), 'a', NULL, NULL)", 1235},
		{"CALL p(1, 'a', '2024-02-29', 7.25)", 0},
		{"CALL p(,)", 1064},
	} {
		if _, err := c.all(w.text); numberOf(err) != w.want {
			t.Errorf("%s: %v, want %d", w.text, err, w.want)
		}
	}
	if got, err := c.all("CALL p(1, 'é', '2024-02-29', 7.25)"); got != "1 é 2024-02-29 7.3" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	w := f.many(t, "wa", "other") // another gateway
	if got, err := w.all("CALL p(); CALL shop.p(2, 'b', NULL, NULL)"); got != "1 - 2 b  " || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got := w.query("SELECT routine_schema, routine_name FROM information_schema.routines WHERE routine_schema IN ('shop', 'other')"); !strings.Contains(got, "shop") || !strings.Contains(got, "other") {
		t.Errorf("information_schema has %q", got)
	}
	var name, create, skip sql.NullString
	if err := w.conn.QueryRowContext(context.Background(), "SHOW CREATE PROCEDURE shop.p").Scan(&name, &skip, &create, &skip, &skip, &skip); err != nil || create.String != "CREATE DEFINER=`root`@`%` PROCEDURE p(a INT, b VARCHAR(3), d DATE, m DECIMAL(4,1)) SELECT a, b, d, m" {
		t.Errorf("%q, %v", create.String, err)
	}
	if _, err := w.all("SHOW CREATE PROCEDURE nothing"); numberOf(err) != 1305 {
		t.Errorf("of what is not there: %v", err)
	}
	if got, err := w.all("SHOW PROCEDURE STATUS WHERE Db = 'shop'"); !strings.Contains(got, "shop p PROCEDURE") || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	c.exec("CREATE OR REPLACE PROCEDURE p() SELECT 7")
	if got, err := w.all("CALL shop.p()"); got != "7" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	c.exec("DROP DATABASE other")
	c.exec("CREATE DATABASE other")
	if _, err := c.all("CALL other.p()"); numberOf(err) != 1305 {
		t.Errorf("of a database that was dropped: %v", err)
	}
}

// A call that loses is done again as a whole; its client sees the try that won.
func TestACallIsDoneAgain(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO t VALUES (1, 10), (2, 20)")
	c.exec("CREATE PROCEDURE p(a INT) BEGIN SELECT n FROM t WHERE id = a; SELECT n + 1 INTO @x FROM t WHERE id = a; UPDATE t SET n = @x + @x WHERE id = 2; END")
	c.exec("CREATE PROCEDURE q(a INT) BEGIN UPDATE t SET n = n + a WHERE id = 1; UPDATE t SET n = n + a WHERE id = 2; END")
	for _, kind := range []txn.Kind{txn.KindAborted, txn.KindStale} {
		c.exec("UPDATE t SET n = id * 10")
		a := watchAges(f)
		l := startLosing(f, kind, 2, false)
		if got, err := c.all("CALL p(1)"); got != "10" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if tries := l.stop(f); tries != 3 {
			t.Errorf("%d tries, not 3", tries)
		}
		if began := a.drain(); kind == txn.KindAborted && began != "nrr" {
			t.Errorf("transactions began as %q", began)
		}
		l = startLosing(f, kind, 2, false)
		if _, err := c.all("CALL q(1)"); err != nil {
			t.Error(err)
		}
		l.stop(f)
		if got, _ := c.all("SELECT n FROM t"); got != "11 23" {
			t.Errorf("left are %q", got)
		}
	}
	c.exec("SET isochron_retry_max = 3")
	l := startLosing(f, txn.KindAborted, 1<<40, false)
	if _, err := c.all("CALL q(1)"); numberOf(err) != 1213 {
		t.Errorf("%v", err)
	}
	if tries := l.stop(f); tries != 4 {
		t.Errorf("%d tries, not 4", tries)
	}
	l = startLosing(f, txn.KindUnknown, 1, false)
	if _, err := c.all("CALL q(1)"); numberOf(err) != 1180 {
		t.Errorf("not known: %v", err)
	}
	l.stop(f)
	if f.cluster.Held() != 0 || f.servers["va"].gateway.held.Load() != 0 {
		t.Error("something is left")
	}
}

// A procedure gives and leaves what its statements as a packet do, declared or not.
func TestACallDoesWhatAPacketDoes(t *testing.T) {
	f := start(t)
	one := f.many(t, "va", "shop")
	one.exec("CREATE DATABASE other")
	other := f.many(t, "wa", "other")
	for _, text := range keyedTables[:3] {
		one.exec(text)
		other.exec(text)
	}
	declared := 0
	f.cluster.BeforeRead = func(_ *sqltest.Txn, r txn.Read) error {
		if len(r.FixedSet) > 0 {
			declared++
		}
		return nil
	}
	r := rand.New(rand.NewPCG(8, 8))
	for i := range 150 {
		body := []string{}
		for range 1 + r.IntN(4) {
			body = append(body, someStatement(r))
			if r.IntN(4) == 0 {
				body = append(body, fmt.Sprintf("SELECT s, n AS m, d, n + 1 FROM plain WHERE id = %d", r.IntN(8)), fmt.Sprintf("SELECT * FROM pair WHERE b = %d AND a = 'A' FOR UPDATE", r.IntN(3)))
			}
		}
		one.exec("CREATE OR REPLACE PROCEDURE p() BEGIN " + strings.Join(body, "; ") + "; END")
		packet := "BEGIN; " + strings.Join(body, "; ") + "; COMMIT"
		for range 2 {
			a, aErr := one.all("CALL p()")
			b, bErr := other.allApart(strings.Split(packet, "; "))
			other.exec("ROLLBACK")
			if aErr == nil && cellsOf(a) != cellsOf(b) || numberOf(aErr) != numberOf(bErr) {
				t.Fatalf("%d: %s\nas a procedure: %q, %v\nas a packet: %q, %v", i, packet, a, aErr, b, bErr)
			}
		}
	}
	f.cluster.BeforeRead = nil
	if declared < 50 {
		t.Errorf("only %d were declared", declared)
	}
	for _, table := range []string{"plain", "pair", "indexed", "indexed FORCE INDEX (m) WHERE m > -1", "indexed FORCE INDEX (u) WHERE u > -1"} {
		if a, b := one.query("SELECT * FROM "+table), other.query("SELECT * FROM "+table); a != b {
			t.Errorf("%s:\n%s\nand otherwise\n%s", table, a, b)
		}
	}
}

// cellsOf are the rows of results, without the marks between them: a packet has results without rows.
func cellsOf(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == ' ' }), " ")
}

// The rights of a procedure: those of who calls it, on it and on what its statements touch.
func TestRightsOfProcedures(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, n INT)", "INSERT INTO d.t VALUES (1, 1)",
		"CREATE PROCEDURE d.p(a INT) UPDATE d.t SET n = n + 1 WHERE id = a", "CREATE PROCEDURE d.q() SELECT 1",
		"CREATE USER caller IDENTIFIED BY 'p'", "GRANT EXECUTE ON d.* TO caller", "CREATE USER maker IDENTIFIED BY 'p'", "GRANT CREATE ROUTINE ON d.* TO maker",
		"CREATE USER one IDENTIFIED BY 'p'", "GRANT EXECUTE ON PROCEDURE d.q TO one", "CREATE USER nobody IDENTIFIED BY 'p'")
	for _, w := range []struct {
		user, text string
		want       int
	}{
		{"caller", "CALL d.q()", 0},
		{"caller", "CALL d.p(1)", 1142},
		{"caller", "CREATE PROCEDURE d.x() SELECT 1", 1044},
		{"caller", "DROP PROCEDURE d.q", 1370},
		{"maker", "CREATE PROCEDURE d.x() SELECT 1", 0},
		{"maker", "CREATE OR REPLACE PROCEDURE d.q() SELECT 2", 1370},
		{"maker", "CALL d.x()", 1370},
		{"one", "CALL d.q()", 0},
		{"one", "CALL d.p(1)", 1370},
		{"nobody", "CALL d.q()", 1370},
		{"nobody", "CALL d.not_there()", 1370},
		{"nobody", "SHOW CREATE PROCEDURE d.q", 1142},
	} {
		db := g.open(t, "va", w.user, "p", true)
		if _, err := db.Exec(w.text); numberOf(err) != w.want {
			t.Errorf("%s: %s: %v, want %d", w.user, w.text, err, w.want)
		}
		db.Close()
	}
	must(t, root, "GRANT SELECT, UPDATE ON d.t TO caller")
	db := g.open(t, "va", "caller", "p", true)
	must(t, db, "CALL d.p(1)")
	must(t, root, "REVOKE UPDATE ON d.t FROM caller")
	if _, err := db.Exec("CALL d.p(1)"); numberOf(err) != 1142 {
		t.Errorf("what was revoked: %v", err)
	}
}

// What can be held of procedures is bounded.
func TestProceduresAreBounded(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	for i := range sysvars.ProceduresMaxDefault {
		c.exec(fmt.Sprintf("CREATE PROCEDURE p%d() SELECT 1", i))
	}
	if _, err := c.conn.ExecContext(context.Background(), "CREATE PROCEDURE more() SELECT 1"); numberOf(err) != 3170 {
		t.Errorf("one more: %v", err)
	}
	c.exec("CREATE OR REPLACE PROCEDURE p7() SELECT 2")
	c.exec("DROP PROCEDURE p8")
	c.exec("CREATE PROCEDURE more() SELECT 1")
	c.exec("SET GLOBAL isochron_procedures_max = 257")
	defer c.exec("SET GLOBAL isochron_procedures_max = DEFAULT")
	c.exec("CREATE PROCEDURE p8() SELECT 1")
	if _, err := c.conn.ExecContext(context.Background(), "CREATE PROCEDURE p256() SELECT 1"); numberOf(err) != 3170 {
		t.Errorf("one more than 257: %v", err)
	}
}

// A procedure whose statements are for sources sends them there as any, and is undone there too.
func TestACallAtSources(t *testing.T) {
	f := startSources(t)
	f.c.exec("CREATE PROCEDURE sell(o INT, x INT) BEGIN UPDATE orders SET qty = qty - x WHERE id = o; UPDATE orders SET item = 'sold' WHERE id = o; END")
	f.c.exec("CREATE PROCEDURE one(o INT) UPDATE orders SET qty = 0 WHERE id = o")
	f.c.exec("CALL one(7)")
	got(t, f.my, "update erp.orders set qty = 0 where id = 7", "COMMIT")
	f.c.exec("CALL sell(7, 2)")
	got(t, f.my, "update erp.orders set qty = qty - 2 where id = 7", "update erp.orders set item = 'sold' where id = 7", "COMMIT")
	f.c.exec("BEGIN")
	f.c.exec("CALL sell(7, 2)")
	f.my.Answer = func(s txn.Statement) (txn.Result, error) {
		if strings.Contains(s.Text, "sold") {
			return txn.Result{}, &txn.Error{Kind: txn.KindStatement, Reason: "no", Fault: &txn.Fault{Code: 1644, State: "45000"}}
		}
		return txn.Result{}, nil
	}
	f.c.fails("CALL sell(8, 2)", "1644")
	f.my.Answer = nil
	f.c.exec("COMMIT")
	got(t, f.my, "SAVEPOINT isochron_c1", "update erp.orders set qty = qty - 2 where id = 7", "update erp.orders set item = 'sold' where id = 7",
		"SAVEPOINT isochron_c2", "update erp.orders set qty = qty - 2 where id = 8", "update erp.orders set item = 'sold' where id = 8", "ROLLBACK TO SAVEPOINT isochron_c2", "COMMIT")
}

// What a call yields is held back, up to the bound of a statement's result.
func TestWhatACallYieldsIsBounded(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, s TEXT)")
	c.exec("INSERT INTO t VALUES (1, REPEAT('x', 60000)), (2, REPEAT('x', 60000))")
	c.exec("CREATE PROCEDURE p() BEGIN SELECT s FROM t; SELECT s FROM t; END")
	g := f.servers["va"].gateway
	before := g.bounds
	defer func() { g.bounds = before }()
	if got, err := c.all("CALL p()"); len(got) < 240000 || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	g.bounds.held = 200_000
	if _, err := c.all("CALL p()"); numberOf(err) != 3170 {
		t.Errorf("beyond the bound: %v", err)
	}
	if f.cluster.Held() != 0 || g.held.Load() != 0 {
		t.Error("something is left")
	}
}

// A call that is killed has done nothing, and its connection goes on.
func TestACallIsKilled(t *testing.T) {
	f := start(t)
	c, admin := f.many(t, "va", "shop"), f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT, KEY (n))")
	c.exec("INSERT INTO t VALUES (1, 10), (2, 20)")
	c.exec("CREATE PROCEDURE p() BEGIN UPDATE t SET n = n + 1 WHERE id = 1; UPDATE t SET n = n + 1 WHERE n > 15; END")
	id := strings.TrimSpace(c.query("SELECT CONNECTION_ID()"))
	came, goOn := make(chan struct{}), make(chan struct{})
	reads := 0
	f.cluster.BeforeRead = func(tx *sqltest.Txn, r txn.Read) error {
		if fmt.Sprint(tx.Options().SessionID) != id {
			return nil
		}
		if reads++; reads == 2 { // of the second statement
			close(came)
			<-goOn
		}
		return nil
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.all("CALL p()")
		ended <- err
	}()
	select {
	case <-came:
	case err := <-ended:
		t.Fatalf("it read nothing: %v", err)
	}
	admin.exec("KILL QUERY " + id)
	close(goOn)
	if err := <-ended; numberOf(err) != 1317 {
		t.Errorf("killed: %v", err)
	}
	f.cluster.BeforeRead = nil
	if got, err := c.all("SELECT n FROM t"); got != "10 20" || err != nil {
		t.Errorf("left are %q, %v", got, err)
	}
	if _, err := c.all("CALL p()"); err != nil || f.cluster.Held() != 0 {
		t.Errorf("%v, or locks are left", err)
	}
}
