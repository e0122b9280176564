package dialect

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"isochron/sql/parse"
)

// A source that speaks MySQL gets the parsed statement, written again.
func TestForMySQL(t *testing.T) {
	seven := uint64(7)
	for _, c := range [][2]string{
		{"select /*+ last */ `a`, 'x\\_' from t where b = ? -- c", "select `a`, 'x\\_' from `t` where `b` = ?"},
		{"select /*+ SET_VAR(sql_mode='') */ a from t", "select `a` from `t`"},
		{"SELECT a FROM t WHERE b LIKE 'x\\_%' AND c = ? FOR SHARE", "select `a` from `t` where `b` like 'x\\_%' and `c` = ? lock in share mode"},
		{"UPDATE kw SET `order` = 'z', `a b` = `a b` + 1", "update `kw` set `order` = 'z', `a b` = `a b` + 1"},
		{"INSERT INTO t (`select`) VALUES (1) ON DUPLICATE KEY UPDATE `select` = VALUES(`select`)", "insert into `t`(`select`) values (1) on duplicate key update `select` = values(`select`)"},
		{"SELECT 1 AS `@a, (SELECT 2)` FROM t", "select 1 as `@a, (SELECT 2)` from `t`"},
		{"SELECT GROUP_CONCAT(a SEPARATOR 'x''), (SELECT 1), (''') FROM t", "select group_concat(`a` separator 'x\\'), (SELECT 1), (\\'') as `GROUP_CONCAT(a SEPARATOR 'x''), (SELECT 1), (''')` from `t`"},
		{"SELECT DEFAULT(`a``b`) FROM t", "select default(`a``b`) as `DEFAULT(``a````b``)` from `t`"},
		{"WITH q (`a b`) AS (SELECT a FROM t) SELECT `a b` FROM q", "with `q`(`a b`) as (select `a` from `t`) select `a b` from `q`"},
		{"SELECT a->'$.x', a->>'$.y' FROM t", "select json_extract(`a`, '$.x') as `a->'$.x'`, json_unquote(json_extract(`a`, '$.y')) as `a->>'$.y'` from `t`"},
		{"INSERT INTO t VALUES (LAST_INSERT_ID())", "insert into `t` values (7)"},
		{"SELECT count (*), now (6) FROM t", "select count(*) as `count (*)`, now(6) as `now (6)` from `t`"},
		{"SELECT SUM(a) OVER w FROM t WINDOW w AS (ORDER BY b)", "select sum(`a`) over `w` as `SUM(a) OVER w` from `t` window `w` as (order by `b` asc)"},
		{"SELECT `rownum` FROM t", "select `rownum` from `t`"},
		{"SELECT a FROM t INTERSECT SELECT a FROM u UNION (SELECT a FROM v ORDER BY a LIMIT 1)", "select `a` from `t` intersect select `a` from `u` union (select `a` from `v` order by `a` asc limit 1)"},
		{"SELECT a FROM t EXCEPT (SELECT a FROM u UNION ALL SELECT a FROM v)", "select `a` from `t` except (select `a` from `u` union all select `a` from `v`)"},
		{"(SELECT a FROM t ORDER BY a LIMIT 3) LIMIT 1", "(select `a` from `t` order by `a` asc limit 3) limit 1"},
		{"SELECT t.a FROM t JOIN u ON t.a = u.a FOR UPDATE OF u SKIP LOCKED", "select `t`.`a` from `t` join `u` on `t`.`a` = `u`.`a` for update of `u` skip locked"},
		{"DELETE t FROM t WHERE a = (1 OR b) + INTERVAL 1 DAY", "delete `t` from `t` where `a` = date_add(1 or `b`, interval 1 day)"},
		{"SELECT (a + b) COLLATE utf8mb4_bin, (a), t.b FROM t", "select (`a` + `b`) collate utf8mb4_bin as `(a + b) COLLATE utf8mb4_bin`, `a` as `(a)`, `t`.`b` from `t`"},
		{"SELECT /*!40001 SQL_NO_CACHE */ 1", "select 1 from dual"},
		{"INSERT INTO t (a) VALUES (?) RETURNING a + ?, b", "insert into `t`(`a`) values (?) returning `a` + ? as `a + ?`, `b`"},
	} {
		tr, err := Translate(c[0], MySQL, nil, Options{LastInsertID: &seven})
		if err != nil || !strings.EqualFold(strings.Join(strings.Fields(tr.Text), " "), c[1]) {
			t.Errorf("%s\n\tgives %s, %v\n\twant  %s", c[0], tr.Text, err, c[1])
		}
	}
	tr, err := Translate(`SELECT "a" FROM t`, MySQL, nil, Options{Mode: parse.Mode{AnsiQuotes: true}})
	if err != nil || tr.Text != "select `a` from `t`" {
		t.Errorf("a name within double quotes gives %s, %v", tr.Text, err)
	}
}

// Under NO_BACKSLASH_ESCAPES a backslash is one, and ends no text.
func TestNoBackslashEscapes(t *testing.T) {
	for to, want := range map[Dialect]string{MySQL: "insert into `t` values ('C:\\\\new\\\\', 'x')", Postgres: `INSERT INTO "t" VALUES (E'C:\\new\\', 'x')`} {
		for text, o := range map[string]Options{`INSERT INTO t VALUES ('C:\\new\\', 'x'); COMMIT`: {}, `INSERT INTO t VALUES ('C:\new\', 'x'); COMMIT`: {Mode: parse.Mode{NoBackslash: true}}} {
			p, err := Analyse(text, o)
			if err != nil || len(p.Statements) != 2 || !p.Commits {
				t.Fatal(text, err)
			}
			if tr, err := TranslateTree(p.Statements[0], to, nil, o); err != nil || tr.Text != want {
				t.Errorf("%s for %s gives %s, %v", text, to, tr.Text, err)
			}
		}
	}
	deep := `SELECT 'a\', ` + strings.Repeat("(", 2000) + "1"
	if _, err := Analyse(deep, Options{Mode: parse.Mode{NoBackslash: true}}); err == nil || !strings.Contains(err.Error(), "deeper") {
		t.Errorf("a deep text behind a backslash: %v", err)
	}
}

// What no source is sent has an error or says so.
func TestReadForTheGateway(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT `count`(a) FROM t": "count()", "SELECT `rank`() FROM t": "rank()", "SELECT d.now() FROM t": "now()", "SELECT a INTO @x FROM t": "INTO", "SELECT @x FROM t": "@x", "SELECT LAST_INSERT_ID() FROM t": LastInsertID,
	} {
		if s := one(text); s == nil || s.OfSession() != want {
			t.Errorf("%s: %+v", text, s)
		}
		for _, to := range []Dialect{MySQL, Postgres} {
			if tr, err := Translate(text, to, nil, Options{}); err == nil {
				t.Errorf("%s: for %s: %s", text, to, tr.Text)
			}
		}
	}
	for _, text := range []string{"DELETE FROM t RETURNING a", "CREATE TABLE u (a INT)", "SELECT a FROM t WITH ROLLUP", "SELECT a FROM JSON_TABLE('[]', '$[*]' COLUMNS (a INT PATH '$')) j"} {
		for _, to := range []Dialect{MySQL, Postgres} {
			if tr, err := Translate(text, to, nil, Options{}); err == nil {
				t.Errorf("%s: for %s: %s", text, to, tr.Text)
			}
		}
	}
	for text, want := range map[string]string{
		"CREATE TRIGGER `on` BEFORE INSERT ON d.t FOR EACH ROW SET NEW.a = 1": "define [d.t]", "CREATE TRIGGER x AFTER UPDATE ON `a t` FOR EACH ROW BEGIN END": "define [a t]",
		"ALTER TABLE IF EXISTS `d`.t DROP CONSTRAINT IF EXISTS c": "define [d.t]", "CREATE INDEX IF NOT EXISTS i ON t (a)": "define [t]", "CREATE FUNCTION f() RETURNS INT RETURN 1": "define []",
		"DROP TABLE t, u": "define [t u]", "CREATE VIEW v AS SELECT a FROM t": "define [v]", "COMMIT WORK": "control []", "GRANT SELECT ON t TO a": "other []", "LOCK TABLE t WRITE": "control []",
	} {
		if s := one(text); s == nil || fmt.Sprint(s.Kind, " ", s.Writes) != want {
			t.Errorf("%s: %+v", text, s)
		}
	}
}

// clauses are all the places in which an expression can stand, %F.
var clauses = []string{
	"SELECT %F FROM t", "SELECT a FROM t WHERE %F", "SELECT a FROM t WHERE a IN (1, %F)", "SELECT a FROM t WHERE a BETWEEN %F AND 3", "SELECT a FROM t GROUP BY %F",
	"SELECT a FROM t GROUP BY a HAVING %F", "SELECT a FROM t ORDER BY %F", "SELECT a FROM t ORDER BY a, %F DESC LIMIT 3", "SELECT DISTINCT %F FROM t", "SELECT -%F FROM t",
	"SELECT NOT %F FROM t", "SELECT CASE %F WHEN 1 THEN 2 END FROM t", "SELECT CASE WHEN 1 THEN %F END FROM t", "SELECT CASE WHEN %F THEN 1 ELSE 2 END FROM t",
	"SELECT CASE WHEN 1 THEN 2 ELSE %F END FROM t", "SELECT IF(%F, 1, 2) FROM t", "SELECT CAST(%F AS CHAR) FROM t", "SELECT CONVERT(%F USING utf8mb4) FROM t",
	"SELECT %F COLLATE utf8mb4_bin FROM t", "SELECT a + INTERVAL %F DAY FROM t", "SELECT DATE_ADD(a, INTERVAL %F DAY) FROM t", "SELECT EXTRACT(DAY FROM %F) FROM t",
	"SELECT TRIM(%F FROM a) FROM t", "SELECT TRIM(LEADING %F FROM a) FROM t", "SELECT TRIM(a FROM %F) FROM t", "SELECT SUBSTRING(%F, 1, 2) FROM t",
	"SELECT SUBSTRING(a FROM %F FOR 2) FROM t", "SELECT CHAR(%F) FROM t", "SELECT TIMESTAMPDIFF(DAY, %F, a) FROM t", "SELECT TIMESTAMPADD(DAY, 1, %F) FROM t",
	"SELECT GROUP_CONCAT(%F) FROM t", "SELECT GROUP_CONCAT(a ORDER BY %F) FROM t", "SELECT COUNT(DISTINCT %F) FROM t", "SELECT SUM(%F) FROM t", "SELECT a IS NULL OR %F IS TRUE FROM t",
	"SELECT SUM(a) OVER (PARTITION BY %F) FROM t", "SELECT SUM(a) OVER (ORDER BY %F) FROM t", "SELECT SUM(a) OVER w FROM t WINDOW w AS (PARTITION BY a ORDER BY %F)",
	"SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN %F PRECEDING AND CURRENT ROW) FROM t", "SELECT LAG(a, 1, %F) OVER (ORDER BY a) FROM t",
	"SELECT a LIKE %F FROM t", "SELECT a LIKE 'x' ESCAPE %F FROM t", "SELECT a REGEXP %F FROM t", "SELECT a FROM t WHERE MATCH(a) AGAINST (%F)",
	"SELECT 1 FROM t JOIN u ON %F", "SELECT 1 FROM t LEFT JOIN u ON t.a = u.a AND %F", "SELECT 1 FROM t RIGHT JOIN u ON %F", "SELECT 1 FROM t, u WHERE %F",
	"SELECT a FROM t UNION SELECT %F FROM t", "SELECT a FROM t UNION SELECT a FROM t ORDER BY %F", "(SELECT %F FROM t)", "(SELECT a FROM t ORDER BY %F LIMIT 1) UNION (SELECT 1)",
	"SELECT x FROM (SELECT %F AS x FROM t) AS d", "WITH q AS (SELECT %F AS x FROM t) SELECT x FROM q", "WITH RECURSIVE q AS (SELECT 1 AS x UNION ALL SELECT x + %F FROM q) SELECT x FROM q, t",
	"SELECT a FROM t WHERE EXISTS (SELECT %F FROM u)", "SELECT (SELECT %F FROM u LIMIT 1) FROM t", "SELECT a FROM t WHERE a IN (SELECT %F FROM u)", "SELECT a FROM t WHERE a = ANY (SELECT %F FROM u)",
	"SELECT a FROM t WHERE (a, 1) = (1, %F)", "SELECT %F -> '$.a' FROM t", "SELECT a FROM t LIMIT %F", "SELECT @x := %F FROM t", "SELECT a FROM t WHERE %F FOR UPDATE",
	"INSERT INTO t VALUES (%F)", "INSERT INTO t (a) VALUES (1), (%F)", "INSERT INTO t SET a = %F", "INSERT INTO t (a) SELECT %F FROM u", "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = %F",
	"INSERT INTO t (a) SELECT a FROM u WHERE %F", "INSERT INTO t (a) VALUES (1) RETURNING %F", "REPLACE INTO t VALUES (%F)", "REPLACE INTO t SET a = %F", "INSERT INTO t (a) VALUES ((SELECT %F FROM u))",
	"UPDATE t SET a = %F", "UPDATE t SET a = 1 WHERE %F", "UPDATE t SET a = 1 ORDER BY %F LIMIT 1", "UPDATE t JOIN u ON %F SET t.a = 1", "WITH q AS (SELECT %F AS x FROM u) UPDATE t SET a = 1",
	"UPDATE t SET a = (SELECT %F FROM u)", "DELETE FROM t WHERE %F", "DELETE FROM t ORDER BY %F LIMIT 1", "DELETE t FROM t JOIN u ON %F", "WITH q AS (SELECT %F AS x FROM u) DELETE FROM t",
}

// strangers are calls of what no source may be asked.
var strangers = []string{
	"fdef()", "`fdef`()", "d.fdef()", "`d`.`fdef`()", "FDEF(1)", "fdef ()", "`lower(a), (select s from secret), upper`(a)", "`f`(a)", "sleep(9)", "benchmark(9, 1)", "load_file('/etc/passwd')",
	"get_lock('a', 9)", "release_lock('a')", "is_used_lock('a')", "sys_exec('x')", "sys_eval('x')", "nextval(s)", "lastval(s)", "setval(s, 1)", "master_pos_wait('a', 1)", "master_gtid_wait('a')",
	"version()", "user()", "current_user()", "session_user()", "connection_id()", "found_rows()", "row_count()", "name_const('a', 1)", "uuid_to_bin('a')", "encode('a', 'b')",
	"pg_sleep(9)", "pg_read_file('/etc/passwd')", "pg_ls_dir('/')", "lo_import('/etc/passwd')", "lo_get(1)", "dblink('a', 'b')", "query_to_xml('select 1', true, true, '')", "set_config('a', 'b', false)",
	"current_setting('a')", "pg_advisory_lock(1)", "pg_terminate_backend(1)", "txid_current()", "currval('s')", "pg_stat_file('a')", "xpath('a', 'b')", "table_to_xml('t', true, true, '')",
	"pg_catalog.pg_sleep(9)", "public.fdef()", "inet_server_addr()", "pg_reload_conf()", "to_regclass('a')", "lo_export(1, 'a')", "nope.lower(a)", "pg_read_binary_file('a')",
}

// Functions that are not built in at a source's version are not sent to it, whatever the clause.
// UUID_TO_BIN is built in at MySQL from 8.0 on alone, so that only the translation can refuse it.
func TestFunctionsThatAreNotBuiltInAreNotSent(t *testing.T) {
	last := uint64(7)
	read := map[string]bool{}
	for _, clause := range clauses {
		for _, call := range strangers {
			text := strings.ReplaceAll(clause, "%F", call)
			for _, to := range []Dialect{MySQL, Postgres} {
				if tr, err := Translate(text, to, nil, Options{Database: "d", LastInsertID: &last}); err == nil {
					t.Errorf("%s: for %s: %s", text, to, tr.Text)
				}
			}
			s := one(text)
			read[clause] = read[clause] || s != nil
			if s != nil && !strings.HasPrefix(call, "uuid_to_bin") && (s.OfSession() == "" || s.OfSession() == LastInsertID) {
				t.Errorf("%s is for a source", text)
			}
		}
		if tr, err := Translate(strings.ReplaceAll(clause, "%F", "lower('a')"), MySQL, nil, Options{}); err != nil && read[clause] && !strings.Contains(clause, ":=") {
			t.Errorf("%s: a built-in function: %s, %v", clause, tr.Text, err)
		}
	}
	if len(read) < len(clauses)*9/10 {
		t.Errorf("%d of %d clauses can be read", len(read), len(clauses))
	}
}

// one is the only statement of a text; nil: it cannot be read.
func one(text string) *Statement {
	p, err := Analyse(text, Options{})
	if err != nil || len(p.Statements) != 1 {
		return nil
	}
	return p.Statements[0]
}

// quotedForms have a name in quotes at %N, or a text at %S.
var quotedForms = []string{
	"SELECT %N FROM t", "SELECT 1 AS %N FROM t", "SELECT t.%N FROM t", "SELECT %N.a FROM t AS %N", "SELECT %N.* FROM t AS %N", "SELECT %N(a) FROM t", "SELECT a COLLATE %N FROM t", "SELECT CONVERT(a USING %N) FROM t",
	"SELECT CAST(a AS CHAR CHARACTER SET %N) FROM t", "SELECT CAST(a AS CHAR(9) CHARSET %S) FROM t", "SELECT CHAR(65 USING %N) FROM t", "SELECT DEFAULT(%N) FROM t", "SELECT a + INTERVAL 1 %N FROM t", "SELECT EXTRACT(%N FROM a) FROM t",
	"SELECT a FROM t USE INDEX (%N)", "SELECT a FROM t PARTITION (%N)", "SELECT a COLLATE %S FROM t", "SELECT CONVERT(a USING %S) FROM t", "SELECT CAST(a AS %N) FROM t", "SELECT TIMESTAMPDIFF(%N, a, a) FROM t",
	"SELECT a FROM t JOIN u USING (%N)", "SELECT SUM(a) OVER %N FROM t WINDOW %N AS (ORDER BY a)", "WITH %N AS (SELECT 1 AS x) SELECT x FROM %N, t", "WITH q (%N) AS (SELECT 1) SELECT * FROM q, t", "SELECT * FROM (SELECT 1 AS a) AS %N, t",
	"SELECT * FROM (SELECT 1) AS d (%N), t", "UPDATE t SET %N = 1", "UPDATE t SET t.%N = 1", "INSERT INTO t (%N) VALUES (1)", "INSERT INTO t SET %N = 1", "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE %N = VALUES(%N)",
	"INSERT INTO t (a) VALUES (1) AS %N ON DUPLICATE KEY UPDATE a = 1", "DELETE %N FROM t AS %N", "SELECT a FROM t GROUP BY %N ORDER BY %N", "SELECT %S FROM t", "SELECT a FROM t WHERE b LIKE %S", "SELECT GROUP_CONCAT(a SEPARATOR %S) FROM t",
	"SELECT a FROM t WHERE b LIKE 'x' ESCAPE %S", "SELECT _utf8mb4 %S FROM t", "SELECT _binary %S FROM t", "SELECT a AS %S FROM t", "SELECT JSON_EXTRACT(a, %S) FROM t", "SELECT a->%S FROM t", "SELECT a FROM t WHERE MATCH(a) AGAINST (%S IN BOOLEAN MODE)",
	"SELECT DATE %S FROM t", "SELECT x%S FROM t", "SELECT N%S FROM t", "SELECT %S 'b' FROM t", "INSERT INTO t VALUES (%S)", "UPDATE t SET a = %S", "SELECT a FROM %N", "SELECT a FROM t LIMIT %S",
}

// Names and texts within quotes stay what they are: nothing of them becomes a part of the statement.
func TestNothingGetsOutOfItsQuotes(t *testing.T) {
	for _, inner := range []string{
		"a, (select s from secret)", "utf8mb4_bin, (select s from secret)", "utf8mb4), (select s from secret), lower(a", "a) + (select s from secret", "@a, (select s from secret)", "day, (select s from secret)",
		"@@a from secret -- ", "a` from secret -- ", "x'), (select s from secret), ('", "a\\", "a from secret; -- ", "/*! a */", "a b", "é", "1", "select", "@", "@@", "a'b", "a\"b", "a/*b", "a#b", "a--b", "signed), (select s from secret), cast(a as signed",
		"\\'), (select s from secret) -- ", "' union select s from secret -- ", "` union select s from secret -- ", "a) from secret as t -- ",
	} {
		name, text := "`"+strings.ReplaceAll(inner, "`", "``")+"`", "'"+strings.NewReplacer("\\", "\\\\", "'", "''").Replace(inner)+"'"
		for _, form := range quotedForms {
			client := strings.NewReplacer("%N", name, "%S", text).Replace(form)
			tr, err := Translate(client, MySQL, nil, Options{})
			if err != nil {
				continue
			}
			s := one(tr.Text)
			if s == nil {
				t.Errorf("%s\n\tgives %s, which cannot be read", client, tr.Text)
				continue
			}
			for _, n := range append(s.Reads, s.Writes...) {
				if n.Table == "secret" {
					t.Errorf("%s\n\tgives %s", client, tr.Text)
				}
			}
		}
	}
}

// A refusal names the right kind of source.
func TestARefusalNamesTheSource(t *testing.T) {
	for to, of := range map[Dialect]string{MySQL: "for a MySQL or MariaDB source:", Postgres: "for a PostgreSQL source:"} {
		for _, text := range []string{
			"SELECT fdef() FROM t", "SELECT a INTO @x FROM t", "SELECT @@version FROM t", "SELECT /*!50000 a */ FROM t", "SELECT a FROM t /*!99999 WHERE a = 1 */",
		} {
			_, err := Translate(text, to, nil, Options{})
			var e *ErrNotTranslated
			if !errors.As(err, &e) || !strings.Contains(e.Error(), of) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	// Before the tables of a statement are known, so is no source.
	if _, err := Analyse("SELECT /*! a */ FROM t", Options{}); err == nil || !strings.Contains(err.Error(), "for a source:") {
		t.Error(err)
	}
}

// Columns that a server has besides those of its tables, and whole rows, are no client's to read.
func TestColumnsOfTablesNotImported(t *testing.T) {
	for _, text := range []string{
		"SELECT xmin FROM orders", "SELECT o.ctid FROM orders o", "SELECT tableoid FROM orders WHERE id = 1", "SELECT id FROM orders WHERE xmax = 0", "SELECT id FROM orders ORDER BY cmin",
		"SELECT orders FROM orders", "SELECT o FROM orders o", "SELECT o.o FROM orders o", "SELECT id FROM orders WHERE orders IS NOT NULL", "SELECT d FROM (SELECT id FROM orders) AS d", "SELECT d.d FROM (SELECT id FROM orders) AS d",
		"SELECT (SELECT o FROM accounts LIMIT 1) FROM orders o", "SELECT q FROM (SELECT 1 AS a) AS q, orders", "WITH q AS (SELECT 1 AS a) SELECT q FROM q, orders", "SELECT COUNT(o) FROM orders o", "SELECT CONCAT(orders) FROM orders",
		"SELECT 1 AS xmin FROM orders WHERE xmin = 1", "SELECT 1 AS orders FROM orders WHERE orders IS NULL", "UPDATE orders SET qty = 1 WHERE xmin = 1", "UPDATE orders SET qty = ctid", "DELETE FROM orders WHERE ctid = '(0,1)'",
		"INSERT INTO orders (id, qty) SELECT id, xmin FROM orders", "SELECT o.count FROM orders o", "SELECT orders.lower FROM orders", "SELECT id FROM orders GROUP BY tableoid, id",
	} {
		tr, err := Translate(text, Postgres, caseSchema{}, Options{})
		var e *ErrNotTranslated
		if !errors.As(err, &e) || e.Code() != codeNoColumn && e.Code() != codeNotSupported {
			t.Errorf("%s: %s, %v", text, tr.Text, err)
		}
	}
	for _, text := range []string{"SELECT ROW_START FROM orders", "SELECT o.row_end FROM orders o", "SELECT id FROM orders WHERE _rowid = 1", "SELECT 1 AS row_start FROM orders WHERE row_start < NOW()", "SELECT id FROM orders FOR SYSTEM_TIME ALL"} {
		if tr, err := Translate(text, MySQL, caseSchema{}, Options{}); err == nil {
			t.Errorf("%s: %s", text, tr.Text)
		}
	}
	for _, text := range []string{"SELECT xmin FROM t", "SELECT t.ctid FROM t"} {
		if tr, err := Translate(text, Postgres, nil, Options{}); err == nil {
			t.Errorf("%s without a schema: %s", text, tr.Text)
		}
	}
}
