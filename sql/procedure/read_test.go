package procedure

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
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
		{"CREATE PROCEDURE p() SELECT 1", "select 1 as `1` [] true"},
		{"CREATE PROCEDURE p() BEGIN END", ""},
		{"CREATE PROCEDURE d.p(IN a INT, b VARCHAR(20)) BEGIN UPDATE t SET a = v + a, s = b WHERE id = a AND t.a = 5; DELETE FROM u WHERE b = `b`; END",
			"update t set a = v + ?, s = ? where id = ? and t.a = 5 [0 1 0] false\ndelete from u where ? = ? [1 1] false"},
		{"CREATE PROCEDURE p(a INT) BEGIN INSERT INTO t (a, b) VALUES (a, 'it''s \\\\ \\n'), (a + 1, NULL); END", "insert into t(a, b) values (?, 'it\\'s \\\\ \\n'), (? + 1, null) [0 0] false"},
		{"CREATE PROCEDURE p(a INT) INSERT INTO t VALUES (1, a) ON DUPLICATE KEY UPDATE a = a + VALUES(a)", "insert into t values (1, ?) on duplicate key update a = ? + values(a) [0 0] false"},
		{"CREATE PROCEDURE p(a INT) SELECT a, v, v+1, COUNT( * ) FROM t WHERE id = a LIMIT a FOR UPDATE", "select ? as a, v, v + 1 as `v+1`, COUNT(*) as `COUNT( * )` from t where id = ? limit ? for update [0 0 0] true"},
		{"CREATE PROCEDURE p(a INT) SELECT v INTO @x FROM t WHERE id IN (SELECT n FROM u WHERE m = a)", "select v from t where id in (select n from u where m = ?) into @x [0] false"},
		{"CREATE PROCEDURE p(a INT) REPLACE INTO t SELECT a, b FROM u WHERE u.a = a", "replace into t select ? as a, b from u where u.a = ? [0 0] false"},
		{"CREATE PROCEDURE p(a INT) COMMENT 'mine' LANGUAGE SQL MODIFIES SQL DATA SQL SECURITY INVOKER DELETE FROM t WHERE id = a", "delete from t where id = ? [0] false"},
		{"CREATE PROCEDURE p(a INT) SELECT * FROM (SELECT v + a FROM t) x ORDER BY 1", "select * from (select v + ? as `v + a` from t) as x order by 1 asc [0] true"},
		{"CREATE PROCEDURE p(a INT) SELECT IF(a, v + 1, COALESCE(a, v)), (SELECT a + 1) FROM t", "select IF(?, v + 1, COALESCE(?, v)) as `IF(a, v + 1, COALESCE(a, v))`, (select ? + 1 as `a + 1`) as `(SELECT a + 1)` from t [0 0 0] true"},
		{"CREATE PROCEDURE p(a INT) INSERT INTO t (id) VALUES (a) AS a ON DUPLICATE KEY UPDATE v = a.id, a = a", "insert into t(id) values (?) AS a on duplicate key update v = a.id, a = ? [0 0] false"},
		{"CREATE PROCEDURE p(a INT) UPDATE t AS a JOIN u USING (a) SET a.a = a, v = a.v WHERE u.a = a ORDER BY a", "update t as a join u using (a) set a.a = ?, v = a.v where u.a = ? order by ? asc [0 0 0] false"},
		{"CREATE PROCEDURE p() SELECT SUBSTRING(s, 2, 3), LEFT(s, 1) FROM t", "select SUBSTRING(s, 2, 3) as `SUBSTRING(s, 2, 3)`, LEFT(s, 1) as `LEFT(s, 1)` from t [] true"},
	} {
		p, rest, err := Read(w.text, sqlparser.ParserOptions{})
		if err != nil || rest != "" {
			t.Errorf("%s: %v, %q", w.text, err, rest)
			continue
		}
		if got := statements(p); got != w.want {
			t.Errorf("%s\nis read as\n%s\nwant\n%s", w.text, got, w.want)
		}
	}
	p, rest, err := Read("/* x */ CREATE OR REPLACE PROCEDURE `d`.`p`(a INT) BEGIN SELECT 1; SELECT 2; END; SELECT 3", sqlparser.ParserOptions{})
	if err != nil || rest != "SELECT 3" || p.Database != "d" || p.Name != "p" || !p.Replaces || p.IfNew || p.Yields != 2 || p.Create != "CREATE PROCEDURE `d`.`p`(a INT) BEGIN SELECT 1; SELECT 2; END" {
		t.Errorf("%+v, %q, %v", p, rest, err)
	}
	p, _, err = Read(`create procedure if not exists p(a VARCHAR(5)) SELECT "a" FROM "t"`, sqlparser.ParserOptions{AnsiQuotes: true})
	if err != nil || !p.IfNew || statements(p) != "select ? as a from t [0] true" {
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
		{"CREATE PROCEDURE p() SELECT SUBSTRING(s FROM 2 FOR 3) FROM t", 1235}, // it is written out as another expression
		{"CREATE PROCEDURE p() SELECT v INTO OUTFILE '/x' FROM t", 1235},
		{"CREATE PROCEDURE p() BEGIN SELECT 1 FROM t FOR SHARE; END", 1235},
		{"CREATE OR REPLACE PROCEDURE IF NOT EXISTS p() SELECT 1", 1064},
		{"CREATE PROCEDURE " + many("p", "", 65) + "() SELECT 1", 1059},
		{"CREATE PROCEDURE p() BEGIN " + many("SELECT 1", "; ", 65) + "END", 1437},
		{"CREATE PROCEDURE p() SELECT '" + many("x", "", TextMaxBytes) + "'", 1437},
	} {
		_, _, err := Read(w.text, sqlparser.ParserOptions{})
		var e *mysql.SQLError
		if !errors.As(err, &e) || e.Num != w.want {
			t.Errorf("%.100s: %v, want %d", w.text, err, w.want)
		}
	}
	if _, _, err := Read("CREATE PROCEDURE p(", sqlparser.ParserOptions{}); err == nil {
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
		p, rest, err := Read(text, sqlparser.ParserOptions{AnsiQuotes: ansi})
		if err != nil {
			return
		}
		if len(rest) > len(text) || len(p.Statements) > StatementsMax {
			t.Fatalf("%q: %q, %d statements", text, rest, len(p.Statements))
		}
		for _, s := range p.Statements {
			again, _, err := Read("CREATE PROCEDURE p() "+strings.ReplaceAll(s.Text, "?", "5"), sqlparser.ParserOptions{})
			if err != nil && len(s.Takes) == strings.Count(s.Text, "?") && len(s.Text) < 1000 {
				t.Fatalf("%q became %q: %v", text, s.Text, err)
			}
			if err == nil && again.Yields > 1 {
				t.Fatalf("%q became several: %q", text, s.Text)
			}
		}
		if again, _, err := Read(p.Create, sqlparser.ParserOptions{AnsiQuotes: ansi}); err != nil || statements(again) != statements(p) {
			t.Fatalf("%q is kept as %q, which is read otherwise: %v", text, p.Create, err)
		}
	})
}
