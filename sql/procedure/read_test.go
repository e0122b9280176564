package procedure

import (
	"fmt"
	"strings"
	"testing"

	"isochron/sql/legacy"
)

// statements describes how a procedure was read, for people.
func statements(p *Procedure) string {
	var out []string
	for _, s := range p.Statements {
		out = append(out, fmt.Sprint(s.Text, " ", s.Takes, " ", s.Yields))
	}
	return strings.Join(out, "\n")
}

func TestRead(t *testing.T) {
	for _, w := range []struct{ text, want string }{
		{"CREATE PROCEDURE p() SELECT 1", "SELECT 1 [] true"},
		{"CREATE PROCEDURE p() BEGIN END", ""},
		{"CREATE PROCEDURE d.p(IN a INT, b VARCHAR(20)) BEGIN UPDATE t SET a = v + a, s = b WHERE id = a AND t.a = 5; DELETE FROM u WHERE b = `b`; END",
			"UPDATE t SET a = v + ?, s = ? WHERE id = ? AND t.a = 5 [0 1 0] false\nDELETE FROM u WHERE ? = ? [1 1] false"},
		{"CREATE PROCEDURE p(a INT) BEGIN INSERT INTO t (a, b) VALUES (a, 'it''s \\\\ \\n'), (a + 1, NULL); END", "INSERT INTO t (a, b) VALUES (?, 'it''s \\\\ \\n'), (? + 1, NULL) [0 0] false"},
		{"CREATE PROCEDURE p(a INT) INSERT INTO t VALUES (1, a) ON DUPLICATE KEY UPDATE a = a + VALUES(a)", "INSERT INTO t VALUES (1, ?) ON DUPLICATE KEY UPDATE a = ? + VALUES(a) [0 0] false"},
		{"CREATE PROCEDURE p(a INT) SELECT a, v, v+1, COUNT( * ) FROM t WHERE id = a LIMIT a FOR UPDATE", "SELECT ? AS `a`, v, v+1, COUNT( * ) FROM t WHERE id = ? LIMIT ? FOR UPDATE [0 0 0] true"},
		{"CREATE PROCEDURE p(a INT) SELECT v INTO @x FROM t WHERE id IN (SELECT n FROM u WHERE m = a)", "SELECT v INTO @x FROM t WHERE id IN (SELECT n FROM u WHERE m = ?) [0] false"},
		{"CREATE PROCEDURE p(a INT) REPLACE INTO t SELECT a, b FROM u WHERE u.a = a", "REPLACE INTO t SELECT ? AS `a`, b FROM u WHERE u.a = ? [0 0] false"},
		{"CREATE PROCEDURE p(a INT) COMMENT 'mine' LANGUAGE SQL MODIFIES SQL DATA SQL SECURITY INVOKER DELETE FROM t WHERE id = a", "DELETE FROM t WHERE id = ? [0] false"},
		{"CREATE PROCEDURE p(a INT) SELECT * FROM (SELECT v + a FROM t) x ORDER BY 1", "SELECT * FROM (SELECT v + ? AS `v + a` FROM t) x ORDER BY 1 [0] true"},
		{"CREATE PROCEDURE p(a INT) SELECT IF(a, v + 1, COALESCE(a, v)), (SELECT a + 1) FROM t", "SELECT IF(?, v + 1, COALESCE(?, v)) AS `IF(a, v + 1, COALESCE(a, v))`, (SELECT ? + 1 AS `a + 1`) AS `(SELECT a + 1)` FROM t [0 0 0] true"},
		{"CREATE PROCEDURE p(a INT) INSERT INTO t (id) VALUES (a) AS a ON DUPLICATE KEY UPDATE v = a.id, a = a", "INSERT INTO t (id) VALUES (?) AS a ON DUPLICATE KEY UPDATE v = a.id, a = ? [0 0] false"},
		{"CREATE PROCEDURE p(a INT) UPDATE t AS a JOIN u USING (a) SET a.a = a, v = a.v WHERE u.a = a ORDER BY a", "UPDATE t AS a JOIN u USING (a) SET a.a = ?, v = a.v WHERE u.a = ? ORDER BY ? [0 0 0] false"},
		{"CREATE PROCEDURE p() SELECT SUBSTRING(s, 2, 3), LEFT(s, 1) FROM t", "SELECT SUBSTRING(s, 2, 3), LEFT(s, 1) FROM t [] true"},
		{"CREATE PROCEDURE p(s VARCHAR(5)) SELECT SUBSTRING(s FROM 2 FOR 3), s b FROM t", "SELECT SUBSTRING(? FROM 2 FOR 3) AS `SUBSTRING(s FROM 2 FOR 3)`, ? b FROM t [0 0] true"},
		{"CREATE PROCEDURE p(a INT) INSERT INTO t VALUES (a) RETURNING a + 1, v AS a", "INSERT INTO t VALUES (?) RETURNING ? + 1 AS `a + 1`, v AS a [0 0] true"},
		{"CREATE PROCEDURE p(a INT) SELECT v, a FROM t AS a JOIN u FOR UPDATE OF a, u NOWAIT", "SELECT v, ? AS `a` FROM t AS a JOIN u FOR UPDATE OF a, u NOWAIT [0] true"},
		{"CREATE PROCEDURE p(day INT) SELECT v + INTERVAL day DAY FROM t /* day */ WHERE day = day -- day", "SELECT v + INTERVAL ? DAY AS `v + INTERVAL day DAY` FROM t /* day */ WHERE ? = ? [0 0 0] true"},
		{"CREATE PROCEDURE p(a INT, b INT) SELECT b FROM t INTERSECT TABLE a UNION SELECT (SELECT a EXCEPT SELECT b)", "SELECT ? AS `b` FROM t INTERSECT TABLE a UNION SELECT (SELECT ? AS `a` EXCEPT SELECT ? AS `b`) AS `(SELECT a EXCEPT SELECT b)` [1 0 1] true"},
		{"CREATE PROCEDURE p(a INT) SELECT SUM(v) OVER (w ORDER BY a) FROM t WINDOW w AS (PARTITION BY a % 2)", "SELECT SUM(v) OVER (w ORDER BY ?) AS `SUM(v) OVER (w ORDER BY a)` FROM t WINDOW w AS (PARTITION BY ? % 2) [0 0] true"},
		{"CREATE PROCEDURE p(a INT) DELETE a FROM t AS a WHERE a.a = a /*!50000 AND a */", "DELETE a FROM t AS a WHERE a.a = ?          AND ? [0 0] false"},
		{"CREATE PROCEDURE p(a NATIONAL VARCHAR(5), b DECIMAL(5, 2) UNSIGNED, c CHAR(3) CHARACTER SET latin1) UPDATE t SET v = @a := (a || b || c) WHERE s = 'a' 'a'", "UPDATE t SET v = @a := (? || ? || ?) WHERE s = 'a' 'a' [0 1 2] false"},
	} {
		p, rest, err := Read(w.text, false)
		if err != nil || rest != "" {
			t.Errorf("%s: %v, %q", w.text, err, rest)
			continue
		}
		if got := statements(p); got != w.want {
			t.Errorf("%s\nis read as\n%s\nwant\n%s", w.text, got, w.want)
		}
	}
	p, rest, err := Read("/* x */ CREATE OR REPLACE PROCEDURE `d`.`p`(a INT) BEGIN SELECT 1; SELECT 2; END; SELECT 3", false)
	if err != nil || rest != "SELECT 3" || p.Database != "d" || p.Name != "p" || !p.Replaces || p.IfNew || p.Yields != 2 || p.Create != "CREATE PROCEDURE `d`.`p`(a INT) BEGIN SELECT 1; SELECT 2; END" {
		t.Errorf("%+v, %q, %v", p, rest, err)
	}
	p, _, err = Read(`create procedure if not exists p(a VARCHAR(5)) SELECT "a" FROM "t"`, true)
	if err != nil || !p.IfNew || statements(p) != "SELECT ? AS `a` FROM `t` [0] true" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestReadRefuses(t *testing.T) {
	many := func(s, between string, n int) string { return strings.Repeat(s+between, n) }
	for _, w := range []struct {
		text string
		want int
	}{
		{"CREATE PROCEDURE p(OUT a INT) SELECT 1", 1235},
		{"CREATE PROCEDURE p(INOUT a INT) SELECT 1", 1235},
		{"CREATE PROCEDURE p(a INT, A INT) SELECT 1", 1330},
		{"CREATE PROCEDURE p(a JSON) SELECT 1", 1235},
		{"CREATE PROCEDURE p(a ENUM('x')) SELECT 1", 1235},
		{"CREATE PROCEDURE p() SQL SECURITY DEFINER SELECT 1", 1235},
		{"CREATE PROCEDURE p() IF 1 THEN SELECT 1; END IF", 1235},
		{"CREATE PROCEDURE p() BEGIN SELECT 1; IF 1 THEN SELECT 1; END IF; END", 1235},
		{"CREATE PROCEDURE p() BEGIN WHILE 1 DO SELECT 1; END WHILE; END", 1235},
		{"CREATE PROCEDURE p() BEGIN LOOP SELECT 1; END LOOP; END", 1235},
		{"CREATE PROCEDURE p() BEGIN REPEAT SELECT 1; UNTIL 1 END REPEAT; END", 1235},
		{"CREATE PROCEDURE p() BEGIN CASE WHEN 1 THEN SELECT 1; END CASE; END", 1235},
		{"CREATE PROCEDURE p() BEGIN DECLARE x INT; SELECT 1; END", 1235},
		{"CREATE PROCEDURE p() BEGIN DECLARE c CURSOR FOR SELECT 1; OPEN c; END", 1235},
		{"CREATE PROCEDURE p() BEGIN BEGIN SELECT 1; END; END", 1235},
		{"CREATE PROCEDURE p() x: BEGIN SELECT 1; END", 1235},
		{"CREATE PROCEDURE p() BEGIN CALL p(); END", 1235},
		{"CREATE PROCEDURE p() CALL p()", 1235},
		{"CREATE PROCEDURE p() CREATE TABLE t (id INT PRIMARY KEY)", 1235},
		{"CREATE PROCEDURE p() BEGIN DROP TABLE t; END", 1235},
		{"CREATE PROCEDURE p() BEGIN TRUNCATE TABLE t; END", 1235},
		{"CREATE PROCEDURE p() SET @x = 1", 1235},
		{"CREATE PROCEDURE p() BEGIN COMMIT; END", 1235},
		{"CREATE PROCEDURE p() BEGIN START TRANSACTION; SELECT 1; COMMIT; END", 1235},
		{"CREATE PROCEDURE p() BEGIN ROLLBACK; END", 1235},
		{"CREATE PROCEDURE p() BEGIN SAVEPOINT a; END", 1235},
		{"CREATE PROCEDURE p() BEGIN PREPARE x FROM 'SELECT 1'; END", 1235},
		{"CREATE PROCEDURE p() BEGIN SIGNAL SQLSTATE '45000'; END", 1235},
		{"CREATE PROCEDURE p() SELECT * FROM t WHERE id = ?", 1235},
		{"CREATE PROCEDURE p() SELECT v INTO x FROM t", 1235},
		{"CREATE PROCEDURE p() SELECT v INTO OUTFILE '/x' FROM t", 1235},
		{"CREATE PROCEDURE p() BEGIN SELECT 1 FROM t FOR SHARE; END", 1235},
		{"CREATE OR REPLACE PROCEDURE IF NOT EXISTS p() SELECT 1", 1064},
		{"CREATE PROCEDURE p() SELECT 0//,", 1064},
		{"CREATE PROCEDURE p(a INT NOT NULL) SELECT 1", 1064},
		{"CREATE PROCEDURE p() BEGIN SELECT 1; END x", 1064},
		{"CREATE PROCEDURE p() BEGIN SELECT 1; ", 1064},
		{"CREATE PROCEDURE " + many("p", "", 65) + "() SELECT 1", 1059},
		{"CREATE PROCEDURE p() BEGIN " + many("SELECT 1", "; ", 65) + "END", 1437},
		{"CREATE PROCEDURE p() SELECT '" + many("x", "", TextMaxBytes) + "'", 1437},
	} {
		_, _, err := Read(w.text, false)
		if legacy.NumberOf(err) != w.want {
			t.Errorf("%.100s: %v, want %d", w.text, err, w.want)
		}
	}
	if _, _, err := Read("CREATE PROCEDURE p(", false); err == nil {
		t.Error("half a procedure was read")
	}
}

// FuzzRead: whatever is read is read, and what its statements became is read as just that.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"CREATE PROCEDURE p() SELECT 1", "create or replace procedure d.p(in a int, b varchar(20)) begin update t set v = v + a where id = b; select v from t where id = b for update; end; select 1",
		"CREATE PROCEDURE IF NOT EXISTS p(a INT) COMMENT 'x' INSERT INTO t (a, b) VALUES (a, 'it''s') ON DUPLICATE KEY UPDATE b = a",
		"CREATE PROCEDURE p(a INT) WITH c AS (SELECT a) SELECT * FROM c UNION SELECT a LIMIT a", "CREATE PROCEDURE p(a INT) SELECT CASE a WHEN 1 THEN a END, -a, a IS NULL, EXISTS(SELECT a) FROM t AS a",
	} {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, ansi bool) {
		if len(text) > 2000 {
			return
		}
		p, rest, err := Read(text, ansi)
		if err != nil {
			return
		}
		if len(rest) > len(text) || len(p.Statements) > StatementsMax {
			t.Fatalf("%q: %q, %d statements", text, rest, len(p.Statements))
		}
		for _, s := range p.Statements {
			again, _, err := Read("CREATE PROCEDURE p() "+strings.ReplaceAll(s.Text, "?", "5"), false)
			if err != nil && len(s.Takes) == strings.Count(s.Text, "?") && len(s.Text) < 1000 {
				t.Fatalf("%q became %q: %v", text, s.Text, err)
			}
			if err == nil && again.Yields > 1 {
				t.Fatalf("%q became several: %q", text, s.Text)
			}
		}
		if again, _, err := Read(p.Create, ansi); err != nil || statements(again) != statements(p) {
			t.Fatalf("%q is kept as %q, which is read otherwise: %v", text, p.Create, err)
		}
	})
}
