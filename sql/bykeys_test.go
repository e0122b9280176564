package sql

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// fixedSetRuns watches what transactions declare: how many keys, or -1 for a read for writing that
// declares none.
type fixedSetRuns struct{ seen []int }

func watchDeclarations(f *fixture) *fixedSetRuns {
	d := &fixedSetRuns{}
	f.cluster.BeforeRead = func(tx *sqltest.Txn, r txn.Read) error {
		switch {
		case tx.Options().SessionID == 0: // of the catalogue
		case len(r.FixedSet) > 0:
			d.seen = append(d.seen, len(r.FixedSet))
		case r.ForWrite:
			d.seen = append(d.seen, -1)
		}
		return nil
	}
	return d
}

func (d *fixedSetRuns) drain() []int {
	seen := d.seen
	d.seen = nil
	return seen
}

var keyedTables = []string{
	"CREATE TABLE plain (id BIGINT PRIMARY KEY, n INT, s VARCHAR(20), d DECIMAL(10,2) DEFAULT 1.5)",
	"CREATE TABLE pair (a VARCHAR(10), b INT, n INT NOT NULL DEFAULT 3, PRIMARY KEY (a, b))",
	"CREATE TABLE indexed (id INT PRIMARY KEY, n INT, m INT, u INT, KEY (m), UNIQUE KEY (u))",
	"CREATE TABLE numbered (id INT PRIMARY KEY AUTO_INCREMENT, n INT)",
	"CREATE TABLE keyless (n INT)",
	"CREATE TABLE checked (id INT PRIMARY KEY, n INT, CHECK (n < 1000))",
	"CREATE TABLE parent (id INT PRIMARY KEY, n INT)",
	"CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id))",
	"CREATE TABLE computed (id INT PRIMARY KEY, n INT, twice INT GENERATED ALWAYS AS (n * 2) STORED)",
	"CREATE TABLE stamped (id INT PRIMARY KEY, n INT, at DATETIME DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)",
}

// Each statement alone: how many keys it declares when its plan is kept; -1: it reads first.
func TestWhichStatementsAreDeclared(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	for _, text := range keyedTables {
		c.exec(text)
	}
	d := watchDeclarations(f)
	for _, w := range []struct {
		text string
		want int
	}{
		{"UPDATE plain SET n = n + 1 WHERE id = %d", 1},
		{"UPDATE plain SET n = n + 1 WHERE id IN (1, %d, 3)", 3},
		{"UPDATE plain SET n = n + 1 WHERE id IN (%d)", 1},
		{"UPDATE plain SET n = n + 1 WHERE id = 1 OR id = %d", 2},
		{"UPDATE plain SET n = n + 1 WHERE id = 1 OR id > %d", -1},
		{"UPDATE plain SET n = n + 1 WHERE id = %d AND n < 5", 1},
		{"UPDATE plain SET n = n * 2 WHERE id = %d", 1},
		{"UPDATE plain SET id = id + 1000 WHERE id = %d", -1},
		{"UPDATE plain SET n = 1 WHERE id = %d LIMIT 1", 1},
		{"UPDATE IGNORE plain SET n = 1 WHERE id = %d", 1},
		{"UPDATE pair SET n = n + 1 WHERE a = 'x' AND b = %d", 1},
		{"UPDATE pair SET n = n + 1 WHERE a = 'x' AND b IN (7, %d)", 2},
		{"UPDATE indexed SET n = n + 1 WHERE id = %d", 1},
		{"UPDATE indexed SET m = m + 1 WHERE id = %d", -1},
		{"UPDATE indexed SET m = m + 1 WHERE id IN (1, %d)", -1},
		{"UPDATE indexed SET u = 5 WHERE id = %d", -1},
		{"UPDATE computed SET n = 1 WHERE id = %d", 1},
		{"UPDATE stamped SET n = 1 WHERE id = %d", 1},
		{"UPDATE checked SET n = 1 WHERE id = %d", 1},
		{"UPDATE child SET p = NULL WHERE id = %d", -1},
		{"DELETE FROM plain WHERE id = %d", 1},
		{"DELETE FROM plain WHERE id IN (%d, 999)", 2},
		{"DELETE FROM pair WHERE b = %d AND a = 'x'", 1},
		{"DELETE FROM pair WHERE b = %d", -1},
		{"DELETE FROM plain WHERE id = %d AND n = 1", 1},
		{"DELETE FROM indexed WHERE id = %d", -1},
		{"DELETE FROM parent WHERE id = %d", -1},
		{"UPDATE parent SET n = 1 WHERE id = %d", 1},
		{"INSERT INTO parent VALUES (%d, 1)", 1},
		{"INSERT INTO plain VALUES (%d, 1, 'x', 2.5)", 1},
		{"INSERT INTO plain (id, n) VALUES (7%d, 2), (8%[1]d, 3)", 2},
		{"INSERT INTO pair (b, a) VALUES (%d, 'y')", 1},
		{"INSERT INTO indexed VALUES (%d, 1, 2, NULL)", 3},
		{"INSERT INTO stamped (id, n) VALUES (%d, 2)", 1},
		{"INSERT INTO numbered VALUES (%d, 1)", 1},
		{"INSERT INTO numbered VALUES (NULL, %d)", 1},
		{"INSERT INTO checked VALUES (%d, 1)", 1},
		{"INSERT INTO child VALUES (%d, NULL)", -1},
		{"INSERT INTO computed (id, n) VALUES (%d, 1)", 1},
		{"INSERT IGNORE INTO plain (id) VALUES (%d)", 1},
		{"REPLACE INTO plain (id) VALUES (%d)", 1},
		{"INSERT INTO plain (id) VALUES (%d) ON DUPLICATE KEY UPDATE n = 1", 1},
		{"INSERT INTO plain (id) SELECT 9%d", -1},
		{"UPDATE plain SET n = n + 1 WHERE id = %d AND RAND() < 2", -1},
		{"INSERT INTO plain (id, s) VALUES (6%d, LEFT(UUID(), 5))", -1},
		{"INSERT INTO indexed VALUES (%d, 1, 2, NULL) ON DUPLICATE KEY UPDATE m = 3", -1},
	} {
		for i := range 3 {
			d.drain()
			if _, err := c.conn.ExecContext(context.Background(), fmt.Sprintf(w.text, 100+i)); err != nil {
				t.Errorf("%s: %v", w.text, err)
			}
		}
		if got := d.drain(); w.want > 0 && !slices.Equal(got, []int{w.want}) || w.want < 0 && slices.ContainsFunc(got, func(n int) bool { return n > 0 }) {
			t.Errorf("%s: declared %v, want %d", w.text, got, w.want)
		}
	}
}

// A prepared statement is declared from its first execution on, unless it is one of a transaction.
func TestPreparedStatementsAreDeclared(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec(keyedTables[0])
	d := watchDeclarations(f)
	for _, text := range []string{"INSERT INTO plain (id, n) VALUES (?, 1)", "UPDATE plain SET n = n + 1 WHERE id = ?", "DELETE FROM plain WHERE id = ?"} {
		p := c.prepare(text)
		for i := range 2 {
			d.drain()
			r, err := p.Exec(i)
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := r.RowsAffected(); n != 1 || !slices.Equal(d.drain(), []int{1}) {
				t.Errorf("%s: %d rows, and not declared", text, n)
			}
		}
		c.exec("BEGIN")
		if _, err := p.Exec(9); err != nil {
			t.Error(err)
		}
		if got := d.drain(); slices.Contains(got, 1) {
			t.Errorf("%s in a transaction: %v", text, got)
		}
		c.exec("ROLLBACK")
	}
}

// What a declared statement meets is what any other meets.
func TestDeclaredStatementsFail(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	c.exec(keyedTables[0])
	c.exec(keyedTables[2])
	c.exec("INSERT INTO plain (id, n) VALUES (1, 1), (2, 2)")
	c.exec("INSERT INTO indexed VALUES (1, 1, 1, 1)")
	for _, w := range []struct {
		text string
		want int
		says string
	}{
		{"INSERT INTO plain (id) VALUES (1)", 1062, "Duplicate entry '1' for key 'plain.PRIMARY'"},
		{"INSERT INTO plain (id) VALUES (7), (8), (7)", 1062, "Duplicate entry '7' for key 'plain.PRIMARY'"},
		{"INSERT INTO indexed VALUES (2, 2, 2, 1)", 1062, "Duplicate entry '1' for key 'indexed.u'"},
		{"INSERT INTO plain (id, n) VALUES (9, 3000000000)", 1264, ""},
		{"INSERT INTO plain (id, n) VALUES (NULL, 3)", 1048, ""},
		{"INSERT INTO plain (id, s) VALUES (9, '123456789012345678901')", 1406, ""},
		{"BEGIN; UPDATE plain SET n = 8 WHERE id = 1; INSERT INTO plain (id) VALUES (2); COMMIT", 1062, "Duplicate entry '2' for key 'plain.PRIMARY'"},
		{"BEGIN; UPDATE plain SET n = 8 WHERE id = 1; UPDATE nowhere SET n = 8 WHERE id = 1; COMMIT", 1146, ""},
	} {
		for range 3 {
			_, err := c.all(w.text)
			if numberOf(err) != w.want || !strings.Contains(err.Error(), w.says) {
				t.Errorf("%s: %v, want %d", w.text, err, w.want)
			}
			c.exec("ROLLBACK")
		}
	}
	if got, err := c.all("SELECT id, n FROM plain"); got != "1 1 2 2" || err != nil {
		t.Errorf("left are %q, %v", got, err)
	}
	if f.cluster.Held() != 0 {
		t.Error("locks are left")
	}
}

// A transaction that is one packet is one declared transaction, done again as a whole if it loses; its
// client is answered as if it had not been.
func TestAPacketIsDeclared(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	for _, text := range keyedTables[:4] {
		c.exec(text)
	}
	const move = "BEGIN; UPDATE plain SET n = n - 5 WHERE id = 1; UPDATE plain SET n = n + 5 WHERE id = 2; INSERT INTO pair VALUES ('m', %d, 5); COMMIT"
	d := watchDeclarations(f)
	for _, w := range []struct {
		packet string
		want   []int
	}{
		{fmt.Sprintf(move, 1), []int{3}},
		{fmt.Sprintf(move, 2) + "; SELECT 1", []int{3}},
		{"START TRANSACTION; UPDATE plain SET n = n + 1 WHERE id = 1; UPDATE plain SET n = n + 1 WHERE id = 1; COMMIT", []int{1}},
		{"BEGIN; INSERT INTO plain (id, n) VALUES (5, 5); UPDATE plain SET n = n + 1 WHERE id = 5; DELETE FROM plain WHERE id = 5; INSERT INTO plain (id, n) VALUES (5, 6); COMMIT", []int{1}},
		{"BEGIN; SELECT 1; UPDATE plain SET n = n - 0 WHERE id = 2; COMMIT", []int{1}},
		{"BEGIN; UPDATE plain SET n = n + 1 WHERE id = 1; ROLLBACK", []int{-1}},
		{"BEGIN; SELECT n, s FROM plain WHERE id = 1 FOR UPDATE; UPDATE plain SET n = n + 1 WHERE id = 2; COMMIT", []int{1}},
		{"BEGIN; SELECT n, s FROM plain WHERE id = 2 FOR UPDATE; UPDATE plain SET n = n + 1 WHERE id = 2; COMMIT", []int{1}},
		{"BEGIN; SELECT n, s FROM plain WHERE id = 2 FOR UPDATE; COMMIT", []int{}},
		{"BEGIN; SELECT n, s FROM plain WHERE id = 2 FOR UPDATE NOWAIT; UPDATE plain SET n = n + 1 WHERE id = 2; COMMIT", []int{-1}},
		{"BEGIN; UPDATE plain SET n = n + 1 WHERE id = 1", []int{-1}},
		{"ROLLBACK; BEGIN; UPDATE plain SET n = n - 0 WHERE id = 1; SELECT n FROM plain WHERE id = 1; COMMIT", []int{-1}},
		{"BEGIN; SELECT n FROM plain WHERE id = 1; UPDATE plain SET n = n + 1 WHERE id = 1; COMMIT", []int{-1}},
		{"BEGIN; UPDATE plain SET n = n + 1 WHERE id = 1; UPDATE plain SET n = n + 1 WHERE n = 77; COMMIT", []int{-1, -1}},
		{"BEGIN; INSERT INTO numbered VALUES (NULL, 1); UPDATE plain SET n = n + 1 WHERE id = 1; COMMIT", []int{-1, -1, -1}},
	} {
		c.exec("REPLACE INTO plain (id, n) VALUES (1, 10), (2, 20)")
		c.exec("DELETE FROM plain WHERE id = 5")
		d.drain()
		if _, err := c.all(w.packet); err != nil {
			t.Errorf("%s: %v", w.packet, err)
		}
		if got := d.drain(); !slices.Equal(got, w.want) {
			t.Errorf("%s: declared %v, want %v", w.packet, got, w.want)
		}
		c.exec("ROLLBACK")
	}
	f.cluster.BeforeRead = nil
	c.exec("REPLACE INTO plain (id, n, s) VALUES (1, 10, 'one'), (2, 20, NULL)")
	for i := range 3 {
		packet := fmt.Sprintf("BEGIN; SELECT n, s AS 'name', d FROM plain WHERE id = 1 FOR UPDATE; UPDATE plain SET n = n - 1 WHERE id = 1; SELECT n, s FROM plain WHERE id = 1 FOR UPDATE; "+
			"UPDATE plain SET n = n + 1 WHERE id = 1; SELECT n, s FROM plain WHERE id = 2 FOR UPDATE; SELECT n, s FROM plain WHERE id = 77%d FOR UPDATE; COMMIT", i)
		before := f.points()
		if got, err := c.all(packet); got != "10 one 1.50 - 9 one - 20  -" || err != nil {
			t.Errorf("the %d. time: %q, %v", i, got, err)
		}
		if n := f.points() - before; i > 1 && n != 6 {
			t.Errorf("%d statements were done in one go, not 6", n)
		}
	}
	for i, kind := range []txn.Kind{txn.KindAborted, txn.KindStale} {
		l := startLosing(f, kind, 2, false)
		if _, err := c.all(fmt.Sprintf(move, 10+i)); err != nil {
			t.Error(err)
		}
		if tries := l.stop(f); tries != 3 {
			t.Errorf("%d tries, not 3", tries)
		}
	}
	if got, _ := c.all("SELECT n FROM plain WHERE id < 3"); got != "0 30" {
		t.Errorf("left are %q", got)
	}
	l := startLosing(f, txn.KindUnknown, 1, false)
	if _, err := c.all(fmt.Sprintf(move, 20)); numberOf(err) != 1180 {
		t.Errorf("not known: %v", err)
	}
	l.stop(f)
	if f.cluster.Held() != 0 {
		t.Error("locks are left")
	}
}

// outcome is all that a client is told of a packet.
func (c *client) outcome(packet string) string {
	if strings.Contains(packet, "SELECT") {
		rows, err := c.all(packet)
		return fmt.Sprint(rows, err)
	}
	var told string
	err := c.conn.Raw(func(d any) error {
		r, err := d.(driver.ExecerContext).ExecContext(context.Background(), packet, nil)
		if err == nil {
			all := r.(mysql.Result)
			told = fmt.Sprint(all.AllRowsAffected(), all.AllLastInsertIds())
		}
		return err
	})
	if err != nil {
		return err.Error()
	}
	if !strings.HasSuffix(packet, "COMMIT") { // behind which the engine says -1, and MySQL 0
		told += " " + c.query("SELECT ROW_COUNT()")
	}
	return told + " " + c.query("SELECT LAST_INSERT_ID()") + " " + c.query("SHOW WARNINGS")
}

// apart is the same of a packet that is sent statement by statement, in a transaction.
func (c *client) apart(packet string) string {
	c.t.Helper()
	texts := strings.Split(packet, "; ")
	if len(texts) == 1 {
		c.exec("BEGIN")
		defer c.exec("COMMIT")
		return c.outcome(packet)
	}
	if strings.Contains(packet, "SELECT") {
		rows, err := c.allApart(texts)
		return fmt.Sprint(rows, err)
	}
	var rows, ids []int64
	for _, text := range texts {
		r, err := c.conn.ExecContext(context.Background(), text)
		if err != nil {
			return err.Error()
		}
		n, _ := r.RowsAffected()
		id, _ := r.LastInsertId()
		rows, ids = append(rows, n), append(ids, id)
	}
	return fmt.Sprint(rows, ids) + " " + c.query("SELECT LAST_INSERT_ID()") + " " + c.query("SHOW WARNINGS")
}

// allApart are the rows of all results of these statements.
func (c *client) allApart(texts []string) (string, error) {
	var out []string
	for _, text := range texts {
		rows, err := c.all(text)
		if err != nil {
			return strings.Join(out, " "), err
		}
		if rows != "" {
			out = append(out, rows)
		}
	}
	return strings.Join(out, " "), nil
}

// someStatement is a statement that may be declared, or may not.
func someStatement(r *rand.Rand) string {
	id := func() int { return r.IntN(8) }
	text := func() string { return []string{"a", "A", "b", "c", "c ", ""}[r.IntN(6)] }
	switch r.IntN(16) {
	case 0, 1:
		return fmt.Sprintf("UPDATE plain SET n = n + %d WHERE id = %d", r.IntN(3), id())
	case 2:
		return fmt.Sprintf("UPDATE plain SET n = n - 1, s = '%s' WHERE id IN (%d, %d, %d)", text(), id(), id(), id())
	case 3:
		return fmt.Sprintf("UPDATE plain SET n = %d WHERE id = %d OR id = %d", r.IntN(3), id(), id())
	case 4:
		return fmt.Sprintf("DELETE FROM plain WHERE id = %d", id())
	case 5:
		return fmt.Sprintf("DELETE FROM plain WHERE id IN (%d, %d)", id(), id())
	case 6, 7:
		return fmt.Sprintf("INSERT INTO plain (id, n, s) VALUES (%d, %d, '%s')", id(), r.IntN(200), text())
	case 8:
		return fmt.Sprintf("INSERT INTO plain (n, id, d) VALUES (1, %d, 7.125), (2, %d, -3)", id(), id())
	case 9:
		return fmt.Sprintf("INSERT INTO pair (a, b) VALUES ('%s', %d)", text(), r.IntN(3))
	case 10:
		return fmt.Sprintf("UPDATE pair SET n = n + 1 WHERE a = '%s' AND b = %d", text(), r.IntN(3))
	case 11:
		return fmt.Sprintf("UPDATE pair SET n = n + 1 WHERE a IN ('%s', '%s') AND b = %d", text(), text(), r.IntN(3))
	case 12:
		return fmt.Sprintf("DELETE FROM pair WHERE a = '%s' AND b = %d", text(), r.IntN(3))
	case 13:
		return fmt.Sprintf("INSERT INTO indexed VALUES (%d, 1, %d, %d)", id(), r.IntN(4), r.IntN(6))
	case 14:
		return fmt.Sprintf("UPDATE indexed SET n = n + 1, m = %d WHERE id IN (%d, %d)", r.IntN(4), id(), id())
	}
	return fmt.Sprintf("DELETE FROM indexed WHERE id = %d", id())
}

// Statements are told and leave the same whether they are declared, alone and as a packet, or carried out one by
// one in a transaction.
func TestDeclaredStatementsDoWhatOthersDo(t *testing.T) {
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
	r := rand.New(rand.NewPCG(7, 7))
	for range 400 {
		packet := someStatement(r)
		if r.IntN(3) == 0 {
			packet = "BEGIN; " + packet
			for range r.IntN(4) {
				packet += "; " + someStatement(r)
				switch r.IntN(6) {
				case 0:
					packet += fmt.Sprintf("; SELECT s, n AS m, d FROM plain WHERE id = %d FOR UPDATE", r.IntN(8))
				case 1:
					packet += fmt.Sprintf("; SELECT * FROM pair WHERE b = %d AND a = '%s' FOR UPDATE", r.IntN(3), []string{"a", "A", "b"}[r.IntN(3)])
				}
			}
			packet += "; COMMIT"
		}
		if a, b := cellsOf(one.outcome(packet)), cellsOf(other.apart(packet)); strings.ReplaceAll(a, " ", "") != strings.ReplaceAll(b, " ", "") {
			t.Fatalf("%s\ndeclared: %s\notherwise: %s", packet, a, b)
		}
		one.exec("COMMIT")
		other.exec("COMMIT")
	}
	f.cluster.BeforeRead = nil
	if declared < 100 {
		t.Errorf("only %d were declared", declared)
	}
	for _, table := range []string{"plain", "pair", "indexed", "indexed FORCE INDEX (m) WHERE m > -1", "indexed FORCE INDEX (u) WHERE u > -1"} {
		if a, b := one.query("SELECT * FROM "+table), other.query("SELECT * FROM "+table); a != b {
			t.Errorf("%s:\n%s\nand otherwise\n%s", table, a, b)
		}
	}
}

// The tries of a packet that is done with its first statement are not multiplied by its own.
func TestAPacketThatAlwaysLoses(t *testing.T) {
	f := start(t)
	c := f.many(t, "va", "shop")
	c.exec(keyedTables[0])
	c.exec("INSERT INTO plain (id, n) VALUES (1, 10), (2, 20)")
	c.exec("SET isochron_retry_max = 3")
	l := startLosing(f, txn.KindAborted, 1<<40, false)
	if _, err := c.all("BEGIN; UPDATE plain SET n = n - 1 WHERE id = 1; UPDATE plain SET n = n + 1 WHERE id = 2; COMMIT"); numberOf(err) != 1213 {
		t.Error(err)
	}
	if tries := l.stop(f); tries != 4 {
		t.Errorf("%d tries, not 4", tries)
	}
}
