package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generatedTables are the tables of generated statements.
var generatedTables = []string{
	`CREATE TABLE t (id INT PRIMARY KEY, g INT, h VARCHAR(5), v INT, d DECIMAL(6,2), f DOUBLE, w DATE, KEY (g), KEY kv (v), FULLTEXT KEY fh (h))`,
	`CREATE TABLE u (id INT PRIMARY KEY, t INT, k INT, KEY (t))`,
	`CREATE TABLE o (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), made DATETIME(3), tm TIME, y YEAR, e ENUM('x','y','z'), st SET('a','b','c'), bi BIT(8), j LONGTEXT, bl BLOB, un INT UNSIGNED)`,
	`INSERT INTO t VALUES (1,1,'A',2,NULL,NULL,NULL),(2,NULL,'b',5,NULL,8,'2024-01-02'),(3,NULL,'a',2,-3.10,NULL,'2024-01-02'),(4,NULL,NULL,2,NULL,8,'2024-01-01'),(5,0,NULL,NULL,10.00,8,'2024-02-01'),(6,NULL,'A',NULL,10.00,0.5,'2024-01-05'),(7,2,'A',4,NULL,8,'2024-01-05'),(8,0,'a',5,10.00,0.5,'2024-01-05')`,
	`INSERT INTO u VALUES (1,3,2),(2,5,0),(3,3,3),(4,9,2),(5,1,2),(6,3,0),(7,8,3),(8,7,3)`,
	`INSERT INTO o (name, made, tm, y, e, st, bi, j, bl, un) VALUES ('ann','2024-01-01 10:00:00.123','10:00:00',2024,'x','a,b',b'101','{"a": [1, 2]}',x'0001',7),('bob',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)`,
}

// gen draws statements; its seed is fixed, so that two runs compare.
type gen struct{ r *rand.Rand }

func (g gen) pick(of ...string) string { return of[g.r.IntN(len(of))] }
func (g gen) n() int                   { return g.r.IntN(9) }

// num is an expression over t that is a number.
func (g gen) num(depth int) string {
	if depth <= 0 {
		return g.pick("t.id", "t.g", "t.v", "t.d", "t.f", "1", "-2", "1.5", "2e1", "NULL", "'7'")
	}
	a, b := g.num(depth-1), g.num(depth-1)
	switch g.r.IntN(12) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", a, g.pick("+", "-", "*", "/", "%", "DIV", "MOD", "|", "&", "^", "<<", ">>"), b)
	case 1:
		return fmt.Sprintf("%s(%s)", g.pick("ABS", "CEIL", "FLOOR", "SIGN", "SQRT", "ROUND"), a)
	case 2:
		return fmt.Sprintf("IFNULL(%s, %s)", a, b)
	case 3:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.cond(depth-1), a, b)
	case 4:
		return fmt.Sprintf("CASE %s WHEN %d THEN %s END", a, g.n(), b)
	case 5:
		return fmt.Sprintf("CAST(%s AS %s)", a, g.pick("SIGNED", "UNSIGNED", "DECIMAL(10,2)", "DOUBLE"))
	case 6:
		return fmt.Sprintf("COALESCE(%s, %s, 0)", a, b)
	case 7:
		return fmt.Sprintf("LENGTH(%s)", g.str(depth-1))
	case 8:
		return fmt.Sprintf("%s(%s, %s)", g.pick("GREATEST", "LEAST"), a, b)
	case 9:
		return fmt.Sprintf("IF(%s, %s, %s)", g.cond(depth-1), a, b)
	case 10:
		return fmt.Sprintf("DATEDIFF(t.w, '2024-01-0%d')", 1+g.r.IntN(9))
	}
	return fmt.Sprintf("-%s", a)
}

func (g gen) str(depth int) string {
	if depth <= 0 {
		return g.pick("t.h", "'a'", "'B '", "''", "N'x'", "_utf8mb4'y'", "x'61'")
	}
	a, b := g.str(depth-1), g.str(depth-1)
	switch g.r.IntN(9) {
	case 0:
		return fmt.Sprintf("CONCAT(%s, %s)", a, b)
	case 1:
		return fmt.Sprintf("%s(%s)", g.pick("UPPER", "LOWER", "TRIM", "HEX", "REVERSE", "QUOTE"), a)
	case 2:
		return fmt.Sprintf("SUBSTRING(%s, %d)", a, g.n())
	case 3:
		return fmt.Sprintf("SUBSTRING(%s FROM %d FOR %d)", a, g.n(), g.n())
	case 4:
		return fmt.Sprintf("TRIM(%s 'a' FROM %s)", g.pick("BOTH", "LEADING", "TRAILING"), a)
	case 5:
		return fmt.Sprintf("REPLACE(%s, 'a', %s)", a, b)
	case 6:
		return fmt.Sprintf("CONVERT(%s USING utf8mb4)", a)
	case 7:
		return fmt.Sprintf("LPAD(%s, %d, '*')", a, g.n())
	}
	return fmt.Sprintf("CAST(%s AS CHAR)", g.num(depth-1))
}

func (g gen) cond(depth int) string {
	a, b := g.num(depth-1), g.num(depth-1)
	switch g.r.IntN(13) {
	case 0:
		return fmt.Sprintf("%s IS %sNULL", a, g.pick("", "NOT "))
	case 1:
		return fmt.Sprintf("%s %sBETWEEN %s AND %s", a, g.pick("", "NOT "), b, g.num(0))
	case 2:
		return fmt.Sprintf("%s %sIN (%s, %s, 3)", a, g.pick("", "NOT "), b, g.num(0))
	case 3:
		return fmt.Sprintf("%s %sLIKE '%s'", g.str(depth-1), g.pick("", "NOT "), g.pick("a%", "_", "%b", "a|%' ESCAPE '|"))
	case 4:
		return fmt.Sprintf("%s REGEXP '^[ab]'", g.str(depth-1))
	case 5:
		return fmt.Sprintf("t.w %s DATE'2024-01-02'", g.pick("<", "=", ">="))
	case 6:
		return fmt.Sprintf("t.w %s INTERVAL %d %s > '2024-01-03'", g.pick("+", "-"), g.n(), g.pick("DAY", "MONTH", "YEAR", "HOUR"))
	case 7:
		return fmt.Sprintf("%s IS %s", a, g.pick("TRUE", "FALSE", "UNKNOWN", "NOT TRUE"))
	case 8:
		if depth > 0 {
			return fmt.Sprintf("(%s %s %s)", g.cond(depth-1), g.pick("AND", "OR", "XOR"), g.cond(depth-1))
		}
	case 9:
		if depth > 0 {
			return fmt.Sprintf("NOT (%s)", g.cond(depth-1))
		}
	case 10:
		return fmt.Sprintf("%s COLLATE utf8mb4_bin = 'a'", "t.h")
	}
	return fmt.Sprintf("%s %s %s", a, g.pick("=", "<>", "!=", "<", "<=", ">", ">=", "<=>"), b)
}

func (g gen) agg() string {
	return g.pick("COUNT(*)", "COUNT(t.v)", "COUNT(DISTINCT t.v)", "SUM(t.d)", "AVG(t.v)", "MIN(t.h)", "MAX(t.w)", "STD(t.f)", "VAR_SAMP(t.v)", "BIT_OR(t.v)", "SUM(DISTINCT t.v)", "GROUP_CONCAT(t.v ORDER BY t.id)")
}

func (g gen) order() string {
	return g.pick("", " ORDER BY t.id", " ORDER BY 1", " ORDER BY t.v DESC, t.id LIMIT 3", " ORDER BY t.id LIMIT 2 OFFSET 1", " ORDER BY t.id LIMIT 1, 2")
}

func (g gen) frame() string {
	return g.pick("", "", " ROWS UNBOUNDED PRECEDING", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
}

// generatedForm is a form of statement with what draws one.
type generatedForm struct {
	name   string
	mysql8 bool
	draw   func(g gen) string
}

var generatedForms = []generatedForm{
	{"SELECT without tables", false, func(g gen) string { return "SELECT " + strings.ReplaceAll(g.num(2), "t.", "1+0*@") }},
	{"SELECT, FROM a table", false, func(g gen) string {
		return fmt.Sprintf("SELECT %s AS x, %s FROM t WHERE %s%s", g.num(2), g.str(2), g.cond(2), g.order())
	}},
	{"SELECT *", false, func(g gen) string {
		return fmt.Sprintf("SELECT %s FROM t WHERE %s%s", g.pick("*", "t.*", "t.*, 1", "id, t.*"), g.cond(1), g.pick("", " LIMIT 5"))
	}},
	{"SELECT of every type", false, func(g gen) string {
		return fmt.Sprintf("SELECT %s FROM o WHERE %s", g.pick("name, made, tm", "e+0, st, bi+0", "y, HEX(bl), un-8", "made + INTERVAL 1 MICROSECOND, j"), g.pick("e = 'x'", "st & 1", "y > 2000", "un >= 0", "name <> 'b'", "made IS NOT NULL"))
	}},
	{"SELECT DISTINCT", false, func(g gen) string {
		return fmt.Sprintf("SELECT %s %s, %s FROM t%s", g.pick("DISTINCT", "DISTINCTROW", "ALL", "SQL_CALC_FOUND_ROWS", "STRAIGHT_JOIN"), g.num(1), g.str(1), g.pick("", " ORDER BY 1", " LIMIT 3"))
	}},
	{"aggregates", false, func(g gen) string {
		return fmt.Sprintf("SELECT %s, %s FROM t WHERE %s", g.agg(), g.agg(), g.cond(1))
	}},
	{"GROUP BY", false, func(g gen) string {
		return fmt.Sprintf("SELECT g, %s a, %s b FROM t GROUP BY %s%s%s", g.agg(), g.agg(), g.pick("g", "t.g", "1"), g.pick("", " HAVING COUNT(*) > 1", " HAVING a IS NOT NULL AND g > 0"), g.pick("", " ORDER BY g", " ORDER BY a DESC, 1", " ORDER BY COUNT(*), g"))
	}},
	{"GROUP BY an expression or alias", false, func(g gen) string {
		return fmt.Sprintf("SELECT %s AS x, %s FROM t GROUP BY x ORDER BY x", g.pick("v + 1", "UPPER(h)", "YEAR(w)", "v IS NULL"), g.agg())
	}},
	{"GROUP BY ... WITH ROLLUP", false, func(g gen) string {
		return fmt.Sprintf("SELECT g, v, %s FROM t GROUP BY g, v WITH ROLLUP", g.agg())
	}},
	{"GROUPING()", true, func(g gen) string {
		return fmt.Sprintf("SELECT g, GROUPING(g), %s FROM t GROUP BY g WITH ROLLUP%s", g.agg(), g.pick("", " HAVING GROUPING(g) = 0", " ORDER BY GROUPING(g), g"))
	}},
	{"GROUP_CONCAT", false, func(g gen) string {
		return fmt.Sprintf("SELECT GROUP_CONCAT(%s%s%s%s) FROM t", g.pick("", "DISTINCT "), g.str(1), g.pick("", " ORDER BY v DESC", " ORDER BY 1, id"), g.pick("", " SEPARATOR '|'"))
	}},
	{"JSON_ARRAYAGG, JSON_OBJECTAGG", false, func(g gen) string {
		return fmt.Sprintf("SELECT %s FROM t WHERE h IS NOT NULL GROUP BY g", g.pick("JSON_ARRAYAGG(v)", "JSON_OBJECTAGG(h, v)"))
	}},
	{"windows", false, func(g gen) string {
		return fmt.Sprintf("SELECT id, %s OVER (%s) c FROM t%s", g.pick("SUM(v)", "COUNT(*)", "FIRST_VALUE(h)", "LAST_VALUE(v)", "NTH_VALUE(v, 2)", "AVG(d)", "MIN(w)"), g.pick("ORDER BY id", "PARTITION BY g ORDER BY id", "ORDER BY v DESC, id")+g.frame(), g.pick("", " ORDER BY id"))
	}},
	{"windows without frames", false, func(g gen) string {
		return fmt.Sprintf("SELECT id, %s OVER (%sORDER BY v%s) c FROM t", g.pick("ROW_NUMBER()", "RANK()", "DENSE_RANK()", "NTILE(2)", "LAG(v)", "LEAD(v, 2)", "PERCENT_RANK()", "CUME_DIST()"), g.pick("", "PARTITION BY h "), g.pick("", " DESC"))
	}},
	{"named windows", false, func(g gen) string {
		return fmt.Sprintf("SELECT id, SUM(v) OVER q, RANK() OVER %s FROM t WINDOW q AS (PARTITION BY g), z AS (ORDER BY %s)", g.pick("z", "q", "(q ORDER BY v)"), g.pick("id", "v DESC"))
	}},
	{"windows over aggregates", false, func(g gen) string {
		return fmt.Sprintf("SELECT g, SUM(v), RANK() OVER (ORDER BY %s) FROM t GROUP BY g", g.pick("SUM(v)", "COUNT(*) DESC", "MIN(h)"))
	}},
	{"inner joins", false, func(g gen) string {
		return fmt.Sprintf("SELECT t.id, u.k FROM t %s u ON %s WHERE %s%s", g.pick("JOIN", "INNER JOIN", "CROSS JOIN", "STRAIGHT_JOIN"), g.pick("u.t = t.id", "u.t = t.id AND u.k > 1", "u.t = t.v OR u.k = t.g"), g.cond(1), g.order())
	}},
	{"outer joins", false, func(g gen) string {
		return fmt.Sprintf("SELECT t.id, u.* FROM t %s u ON u.t = t.id%s WHERE %s", g.pick("LEFT JOIN", "RIGHT OUTER JOIN", "LEFT OUTER JOIN"), g.pick("", " AND u.k > 1"), g.cond(1))
	}},
	{"joins by comma", false, func(g gen) string {
		return fmt.Sprintf("SELECT COUNT(*) FROM t, u%s WHERE t.id = u.t AND %s", g.pick("", ", t AS x", ", u y"), g.cond(1))
	}},
	{"JOIN ... USING", false, func(g gen) string {
		return fmt.Sprintf("SELECT %s FROM t %sJOIN u USING (id)%s", g.pick("*", "id, v, k", "t.id, u.id", "COUNT(*)"), g.pick("", "LEFT "), g.pick("", " WHERE id > 2", " WHERE k = 2"))
	}},
	{"NATURAL JOIN", false, func(g gen) string {
		return fmt.Sprintf("SELECT %s FROM t NATURAL %sJOIN u", g.pick("*", "id, v", "COUNT(*)"), g.pick("", "LEFT ", "RIGHT "))
	}},
	{"nested joins in parentheses", false, func(g gen) string {
		return fmt.Sprintf("SELECT t.id, u.id, x.id FROM t LEFT JOIN (u %s t x%s) ON u.t = t.id", g.pick("JOIN", "CROSS JOIN", "INNER JOIN"), g.pick(" ON x.id = u.k", " ON 1", " ON x.v = u.t AND x.g = 1"))
	}},
	{"self joins, three tables", false, func(g gen) string {
		return fmt.Sprintf("SELECT a.id, b.v FROM t a JOIN t b ON a.id = b.%s LEFT JOIN u ON u.t = b.id WHERE a.v > %d", g.pick("v", "g", "id"), g.n())
	}},
	{"derived tables", false, func(g gen) string {
		return fmt.Sprintf("SELECT q.x, q.y FROM (SELECT %s x, %s y FROM t WHERE %s) %sq WHERE x IS NOT NULL", g.num(1), g.str(1), g.cond(1), g.pick("", "AS "))
	}},
	{"derived tables with named columns", true, func(g gen) string {
		return fmt.Sprintf("SELECT a, b FROM (SELECT %s, %s FROM t) AS q (a, b)", g.num(1), g.str(1))
	}},
	{"LATERAL", true, func(g gen) string {
		return fmt.Sprintf("SELECT t.id, q.m FROM t%s LATERAL (SELECT %s m FROM u WHERE u.t = t.id) q%s", g.pick(",", " JOIN"), g.pick("MAX(k)", "COUNT(*)"), g.pick("", ""))
	}},
	{"scalar subqueries", false, func(g gen) string {
		return fmt.Sprintf("SELECT id, (SELECT %s FROM u WHERE u.t = t.id) FROM t WHERE v > (SELECT %s FROM u)", g.pick("MAX(k)", "COUNT(*)", "SUM(k)"), g.pick("MIN(k)", "AVG(t)"))
	}},
	{"IN (subquery), EXISTS", false, func(g gen) string {
		return fmt.Sprintf("SELECT id FROM t WHERE %s%s", g.pick("", "NOT "), g.pick("EXISTS (SELECT 1 FROM u WHERE u.t = t.id)", "id IN (SELECT t FROM u)", "(id, v) IN (SELECT t, k FROM u)", "EXISTS (SELECT * FROM u WHERE k = v)"))
	}},
	{"ANY, ALL, SOME (subquery)", false, func(g gen) string {
		return fmt.Sprintf("SELECT id FROM t WHERE v %s %s (SELECT k FROM u%s)", g.pick(">", "=", "<=", "<>"), g.pick("ANY", "ALL", "SOME"), g.pick("", " WHERE u.t = t.id"))
	}},
	{"row values", false, func(g gen) string {
		return fmt.Sprintf("SELECT id FROM t WHERE %s", g.pick("(g, v) = (1, 2)", "(g, v) IN ((1,2),(0,5))", "(g, v) > (0, 3)", "ROW(g, v) = ROW(1, 2)", "(g, v) = (SELECT t, k FROM u LIMIT 1)"))
	}},
	{"UNION", false, func(g gen) string {
		return fmt.Sprintf("%sSELECT v, h FROM t WHERE %s%s UNION %sSELECT k, %s FROM u%s", "", g.cond(1), "", g.pick("", "ALL ", "DISTINCT "), g.pick("'x'", "NULL", "1.5"), g.pick("", " ORDER BY 1", " ORDER BY v LIMIT 3"))
	}},
	{"UNION in parentheses", false, func(g gen) string {
		return fmt.Sprintf("(SELECT v FROM t%s) UNION %s(SELECT k FROM u%s)%s", g.pick("", " ORDER BY v LIMIT 2"), g.pick("", "ALL "), g.pick("", " LIMIT 1"), g.pick("", " ORDER BY v", " LIMIT 4", " UNION ALL SELECT 1"))
	}},
	{"INTERSECT, EXCEPT", false, func(g gen) string {
		return fmt.Sprintf("SELECT v FROM t %s %sSELECT k FROM u%s", g.pick("INTERSECT", "EXCEPT"), g.pick("", "ALL ", "DISTINCT "), g.pick("", " ORDER BY 1", " UNION SELECT 9"))
	}},
	{"WITH (CTE)", false, func(g gen) string {
		return fmt.Sprintf("WITH a AS (SELECT %s x FROM t), b%s AS (SELECT 1%s FROM u) SELECT %s FROM a%s", g.num(1), g.pick("", " (m)"), g.pick("", "+1"), g.pick("x", "COUNT(*)", "a.x"), g.pick("", ", b", " JOIN u ON u.id = a.x", " AS z, a AS a2 WHERE z.x = a2.x")+"")
	}},
	{"WITH RECURSIVE", false, func(g gen) string {
		return fmt.Sprintf("WITH RECURSIVE r (n) AS (SELECT 1 UNION %sSELECT n + 1 FROM r WHERE n < %d) SELECT %s FROM r", g.pick("", "ALL "), 2+g.n(), g.pick("n", "SUM(n)", "*"))
	}},
	{"WITH in a subquery or change", false, func(g gen) string {
		return g.pick("SELECT * FROM (WITH c AS (SELECT v FROM t) SELECT * FROM c) q", "SELECT id FROM t WHERE v IN (WITH c AS (SELECT k FROM u) SELECT k FROM c)", "INSERT INTO u WITH c AS (SELECT 100 a, 1 b, 2 c) SELECT * FROM c WHERE a < 0")
	}},
	{"WITH before UPDATE, DELETE", true, func(g gen) string {
		return g.pick("WITH c AS (SELECT 1 x) UPDATE t, c SET v = v WHERE t.id = c.x", "WITH c AS (SELECT 99 x) DELETE FROM t WHERE id IN (SELECT x FROM c)", "WITH c AS (SELECT 99 x) DELETE t FROM t JOIN c ON t.id = c.x")
	}},
	{"TABLE t, VALUES ROW()", true, func(g gen) string {
		return g.pick("TABLE t", "TABLE t ORDER BY id LIMIT 2", "VALUES ROW(1,2), ROW(3,4)", "SELECT * FROM (VALUES ROW(1,'a'), ROW(2,'b')) q (x, y)", "SELECT v FROM t UNION TABLE one", "INSERT INTO u VALUES ROW(900,1,1)", "INSERT INTO u TABLE u2")
	}},
	{"JSON_TABLE", false, func(g gen) string {
		return fmt.Sprintf(`SELECT * FROM %sJSON_TABLE('[{"a":1,"b":"x"},{"a":2}]', '$[*]' COLUMNS (n FOR ORDINALITY, a INT PATH '$.a'%s, b VARCHAR(5) PATH '$.b')) AS j`, g.pick("", "t, "), g.pick("", " DEFAULT '0' ON EMPTY", " NULL ON ERROR"))
	}},
	{"JSON operators -> and ->>", true, func(g gen) string {
		return fmt.Sprintf("SELECT j->'$.a', j->>'$.a[%d]' FROM o WHERE j->'$.a' IS NOT NULL", g.n())
	}},
	{"MEMBER OF", true, func(g gen) string { return "SELECT 1 MEMBER OF ('[1,2]'), id FROM o WHERE 2 MEMBER OF (j->'$.a')" }},
	{"MATCH ... AGAINST", false, func(g gen) string {
		return fmt.Sprintf("SELECT id FROM t WHERE MATCH (h) AGAINST ('a'%s)", g.pick("", " IN BOOLEAN MODE", " IN NATURAL LANGUAGE MODE", " WITH QUERY EXPANSION"))
	}},
	{"index hints", false, func(g gen) string {
		return fmt.Sprintf("SELECT id FROM t %s (%s) WHERE v = %d", g.pick("USE INDEX", "FORCE INDEX", "IGNORE KEY", "USE INDEX FOR ORDER BY"), g.pick("kv", "PRIMARY", "kv, g"), g.n())
	}},
	{"optimizer hints", false, func(g gen) string {
		return fmt.Sprintf("SELECT /*+ %s */ id FROM t", g.pick("MAX_EXECUTION_TIME(1000)", "NO_INDEX_MERGE(t)", "JOIN_ORDER(t)", "SET_VAR(sort_buffer_size = 1M)"))
	}},
	{"FOR UPDATE, LOCK IN SHARE MODE", false, func(g gen) string {
		return fmt.Sprintf("SELECT v FROM t WHERE id = %d %s", g.n(), g.pick("FOR UPDATE", "LOCK IN SHARE MODE", "FOR UPDATE NOWAIT", "FOR UPDATE SKIP LOCKED"))
	}},
	{"FOR SHARE, NOWAIT, SKIP LOCKED", true, func(g gen) string {
		return fmt.Sprintf("SELECT v FROM t WHERE id = %d FOR SHARE%s", g.n(), g.pick("", " NOWAIT", " SKIP LOCKED"))
	}},
	{"FOR UPDATE OF, FOR SHARE OF", true, func(g gen) string {
		return fmt.Sprintf("SELECT t.v FROM t JOIN u ON u.t = t.id FOR %s OF %s%s", g.pick("UPDATE", "SHARE"), g.pick("t", "u", "t, u"), g.pick("", " NOWAIT", " SKIP LOCKED"))
	}},
	{"INTO @variable", false, func(g gen) string {
		return fmt.Sprintf("SELECT v%s FROM t LIMIT 1 INTO @a%s", g.pick("", ""), "")
	}},
	{"INTO @variable before FROM", false, func(g gen) string { return "SELECT v, h INTO @a, @b FROM t WHERE id = 1" }},
	{"@a := ...", false, func(g gen) string {
		return g.pick("SELECT @n := @n + 1 FROM t", "SELECT @a := v, h FROM t ORDER BY id", "SELECT @a := (SELECT MAX(v) FROM t)", "UPDATE t SET v = (@x := v) WHERE id = 1")
	}},
	{"variables", false, func(g gen) string {
		return g.pick("SELECT @@session.sql_mode, @@global.max_connections, @a, @'b c'", "SELECT @@autocommit, @`x`", "SELECT id FROM t WHERE v > @a")
	}},
	{"INSERT ... VALUES, SET", false, func(g gen) string {
		n := 1000 + g.r.IntN(1e6)
		return g.pick(fmt.Sprintf("INSERT INTO t (id, v) VALUES (%d, DEFAULT)", n), fmt.Sprintf("INSERT IGNORE INTO t SET id = %d, v = 1 + 2, h = 'x'", n),
			fmt.Sprintf("INSERT t VALUES (%d,1,'a',1,1.5,2e0,'2024-01-01'),(%d,NULL,NULL,NULL,NULL,NULL,NULL)", n, n+1), "INSERT INTO o () VALUES ()", fmt.Sprintf("INSERT INTO t (id, d) VALUE (%d, DEFAULT(d))", n), fmt.Sprintf("INSERT LOW_PRIORITY INTO t (id) VALUES (%d)", n))
	}},
	{"INSERT ... SELECT", false, func(g gen) string {
		n := 1000 + g.r.IntN(1e6)
		return g.pick(fmt.Sprintf("INSERT INTO u (id, t) SELECT id + %d, v FROM t WHERE id < 3", n), fmt.Sprintf("REPLACE INTO u SELECT id, v, g FROM t WHERE id > %d", n), fmt.Sprintf("INSERT INTO u (id, t) SELECT id, v FROM t ON DUPLICATE KEY UPDATE k = u.k + 1, t = %d", n),
			"INSERT INTO u (id, t) (SELECT id, v FROM t WHERE id < 0 UNION SELECT 5000, 1 FROM u WHERE id < 0)")
	}},
	{"INSERT ... ON DUPLICATE", false, func(g gen) string {
		return fmt.Sprintf("INSERT INTO t (id, v) VALUES (%d, 1), (%d, 2) ON DUPLICATE KEY UPDATE v = %s", g.n(), g.n(), g.pick("VALUES(v)", "v + VALUES(v)", "t.v + 1, g = IF(v > 3, g, VALUES(id))", "DEFAULT"))
	}},
	{"INSERT ... AS new ON DUPLICATE", true, func(g gen) string {
		return fmt.Sprintf("INSERT INTO t (id, v) VALUES (%d, 1) AS n%s ON DUPLICATE KEY UPDATE v = %s", g.n(), g.pick("", "(a, b)"), g.pick("n.v", "t.v + 1"))
	}},
	{"REPLACE", false, func(g gen) string {
		return fmt.Sprintf("REPLACE INTO u %s", g.pick("VALUES (1, 3, 2)", "(id, k) VALUES (2, 0), (3, 3)", "SET id = 5, t = 1, k = 2"))
	}},
	{"UPDATE", false, func(g gen) string {
		return fmt.Sprintf("UPDATE %st%s SET v = v%s WHERE %s%s", g.pick("", "IGNORE ", "LOW_PRIORITY "), "", g.pick("", "+0", ", h = h"), g.cond(1), g.pick("", " ORDER BY id LIMIT 2", " LIMIT 1"))
	}},
	{"UPDATE of several tables", false, func(g gen) string {
		return g.pick("UPDATE t JOIN u ON u.t = t.id SET t.v = t.v, u.k = u.k WHERE u.k > 1", "UPDATE t, u SET t.v = u.k WHERE t.id = u.t AND u.id = 99", "UPDATE t LEFT JOIN u ON u.t = t.id SET t.g = t.g WHERE u.id IS NULL", "UPDATE t AS a JOIN (SELECT t, MAX(k) m FROM u GROUP BY t) q ON q.t = a.id SET a.v = a.v")
	}},
	{"DELETE", false, func(g gen) string {
		return fmt.Sprintf("DELETE %sFROM t WHERE id > %d%s", g.pick("", "IGNORE ", "QUICK "), 100+g.n(), g.pick("", " ORDER BY id DESC LIMIT 1", " LIMIT 2"))
	}},
	{"DELETE of several tables", false, func(g gen) string {
		return g.pick("DELETE t FROM t JOIN u ON u.t = t.id WHERE u.id = 99", "DELETE t, u FROM t JOIN u ON u.t = t.id WHERE t.id = 99", "DELETE FROM t USING t JOIN u ON u.t = t.id WHERE u.k = 99", "DELETE a FROM t AS a LEFT JOIN u ON u.t = a.id WHERE a.id = 99", "DELETE t.*, u.* FROM t, u WHERE t.id = u.t AND t.id = 99")
	}},
	{"DELETE ... alias", true, func(g gen) string { return "DELETE FROM t AS a WHERE a.id = 99" }},
	{"RETURNING", false, func(g gen) string {
		n := 1000 + g.r.IntN(1e6)
		return g.pick(fmt.Sprintf("INSERT INTO t (id, v) VALUES (%d, 1) RETURNING id, v", n), "DELETE FROM t WHERE id = 99 RETURNING *", "REPLACE INTO u VALUES (1,3,2) RETURNING id")
	}},
	{"CREATE TABLE", false, func(g gen) string {
		n := g.r.IntN(1e6)
		return fmt.Sprintf("CREATE %sTABLE IF NOT EXISTS c%d (%s)%s", g.pick("", "TEMPORARY "), n, g.pick(
			"a INT NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'k', b VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT 'x', UNIQUE KEY uq (b(10))",
			"a BIGINT UNSIGNED ZEROFILL, b DECIMAL(10,2) UNSIGNED DEFAULT 1.5, c DOUBLE PRECISION, d BIT(3) DEFAULT b'1', INDEX i USING BTREE (a, b DESC)",
			"a DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), b TIMESTAMP NULL, c YEAR, d TIME(3), e ENUM('x','y') NOT NULL, f SET('a','b')",
			"a INT, b INT GENERATED ALWAYS AS (a + 1) VIRTUAL, c INT AS (a * 2) STORED, CONSTRAINT ck CHECK (a > 0), CHECK (b < 10)",
			"a JSON, b BLOB, c LONGTEXT, d BINARY(4), e VARBINARY(8), f NATIONAL CHAR(3), g BOOL, h SERIAL", "a INT REFERENCES u (id), id INT PRIMARY KEY, KEY (a)"),
			g.pick("", " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE utf8mb4_general_ci", " COMMENT='x' AUTO_INCREMENT=5 ROW_FORMAT=DYNAMIC"))
	}},
	{"CREATE TABLE, MySQL 8's", true, func(g gen) string {
		return fmt.Sprintf("CREATE TABLE c%d (%s)", g.r.IntN(1e6), g.pick("a INT INVISIBLE, b INT DEFAULT (a + 1), KEY ((a + b)), KEY k (b) INVISIBLE", "a INT, CHECK (a > 0) NOT ENFORCED", "a POINT SRID 4326 NOT NULL, SPATIAL INDEX (a)", "id BINARY(16) DEFAULT (UUID_TO_BIN(UUID())) PRIMARY KEY", "a VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci", "a JSON, KEY ((CAST(a->'$.x' AS UNSIGNED ARRAY)))"))
	}},
	{"CREATE TABLE ... SELECT or LIKE", false, func(g gen) string {
		n := g.r.IntN(1e6)
		return fmt.Sprintf(g.pick("CREATE TABLE c%d LIKE t", "CREATE TABLE c%d AS SELECT id, v FROM t", "CREATE TABLE c%d (id INT PRIMARY KEY) SELECT id, h FROM t", "CREATE TEMPORARY TABLE c%d SELECT 1 x", "CREATE TABLE c%d (LIKE t)"), n)
	}},
	{"CREATE TABLE ... PARTITION BY", false, func(g gen) string {
		return fmt.Sprintf("CREATE TABLE c%d (a INT, b DATE) PARTITION BY %s", g.r.IntN(1e6), g.pick("HASH (a) PARTITIONS 4", "KEY (a) PARTITIONS 2", "RANGE (a) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)", "LIST (a) (PARTITION p0 VALUES IN (1,2))", "RANGE COLUMNS (b) (PARTITION p0 VALUES LESS THAN ('2024-01-01'))"))
	}},
	{"ALTER TABLE", false, func(g gen) string {
		return fmt.Sprintf("ALTER TABLE o %s", g.pick("ADD COLUMN z1 INT DEFAULT 1 AFTER id, DROP COLUMN z1", "MODIFY name VARCHAR(30)", "CHANGE name name VARCHAR(20) NULL", "ADD INDEX zi (name), DROP INDEX zi", "RENAME COLUMN un TO un", "ADD CONSTRAINT zc CHECK (un >= 0), DROP CONSTRAINT zc", "ALTER COLUMN un SET DEFAULT 5", "COMMENT = 'x', ALGORITHM=INPLACE, LOCK=NONE", "CONVERT TO CHARACTER SET utf8mb4", "AUTO_INCREMENT = 100", "ENGINE=InnoDB", "RENAME INDEX PRIMARY TO PRIMARY", "ADD FOREIGN KEY (un) REFERENCES u (id)", "DISABLE KEYS", "ORDER BY id", "ALTER INDEX zi INVISIBLE"))
	}},
	{"CREATE, DROP INDEX", false, func(g gen) string {
		return g.pick("CREATE INDEX zx ON u (k, t DESC)", "CREATE UNIQUE INDEX zy ON u (id) COMMENT 'x' ALGORITHM=INPLACE", "DROP INDEX zx ON u", "CREATE INDEX zx USING BTREE ON u (k)", "CREATE FULLTEXT INDEX zf ON o (name)")
	}},
	{"CREATE, ALTER, DROP VIEW", false, func(g gen) string {
		return g.pick("CREATE OR REPLACE VIEW z AS SELECT id, v FROM t WHERE v > 1", "CREATE OR REPLACE ALGORITHM=MERGE DEFINER=root@localhost SQL SECURITY INVOKER VIEW z (a) AS SELECT id FROM t WITH CASCADED CHECK OPTION", "DROP VIEW IF EXISTS z", "ALTER VIEW z AS SELECT 1 x", "CREATE VIEW IF NOT EXISTS z2 AS SELECT 1 UNION SELECT 2")
	}},
	{"DROP, TRUNCATE, RENAME TABLE", false, func(g gen) string {
		return g.pick("DROP TABLE IF EXISTS nothing, nothing2", "DROP TEMPORARY TABLE IF EXISTS nothing", "TRUNCATE TABLE zz", "TRUNCATE zz", "RENAME TABLE zz TO zy, zx TO zw", "DROP TABLES IF EXISTS nothing", "DROP TABLE IF EXISTS nothing CASCADE")
	}},
	{"CREATE, ALTER, DROP DATABASE", false, func(g gen) string {
		return g.pick("CREATE DATABASE IF NOT EXISTS zdb DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "DROP DATABASE IF EXISTS zdb", "ALTER DATABASE zdb CHARACTER SET = utf8mb4", "DROP SCHEMA IF EXISTS zdb")
	}},
	{"users, roles and rights", false, func(g gen) string {
		return g.pick("CREATE USER IF NOT EXISTS a@'%' IDENTIFIED BY 'x'", "ALTER USER a@localhost IDENTIFIED BY 'y' ACCOUNT LOCK", "DROP USER IF EXISTS a, b@localhost", "GRANT SELECT, INSERT (id, v), UPDATE ON db.* TO a@'%' WITH GRANT OPTION", "REVOKE ALL PRIVILEGES, GRANT OPTION FROM a", "CREATE ROLE r1, r2", "GRANT r1 TO a", "SET DEFAULT ROLE r1 FOR a", "SET PASSWORD FOR a = 'z'", "RENAME USER a TO b", "SHOW GRANTS FOR a", "DROP ROLE r1", "CREATE USER a REQUIRE SSL WITH MAX_USER_CONNECTIONS 3", "GRANT PROXY ON a TO b", "GRANT EXECUTE ON PROCEDURE d.p TO a", "SET ROLE ALL")
	}},
	{"users, MySQL 8's", true, func(g gen) string {
		return g.pick("CREATE USER a IDENTIFIED WITH caching_sha2_password BY 'x' DEFAULT ROLE r1 PASSWORD EXPIRE INTERVAL 90 DAY", "GRANT BACKUP_ADMIN ON *.* TO a", "ALTER USER a FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME 2", "SET DEFAULT ROLE ALL TO a", "REVOKE IF EXISTS SELECT ON *.* FROM a IGNORE UNKNOWN USER", "ALTER USER USER() IDENTIFIED BY 'x' REPLACE 'y'")
	}},
	{"BEGIN, COMMIT, SAVEPOINT, SET TRANSACTION", false, func(g gen) string {
		return g.pick("BEGIN", "BEGIN WORK", "START TRANSACTION", "START TRANSACTION READ ONLY", "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ WRITE", "COMMIT AND CHAIN", "COMMIT NO RELEASE", "ROLLBACK WORK", "SAVEPOINT a", "ROLLBACK TO SAVEPOINT a", "RELEASE SAVEPOINT a", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "SET SESSION TRANSACTION READ ONLY", "SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE")
	}},
	{"SET of variables", false, func(g gen) string {
		return g.pick("SET @a = 1, @b := 'x'", "SET SESSION sql_mode = 'ANSI', @@global.max_connections = 5", "SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SET CHARACTER SET utf8mb4", "SET autocommit = 0", "SET @@session.time_zone = DEFAULT", "SET @a = (SELECT MAX(v) FROM t)", "SET LOCAL wait_timeout = 10 + 5", "SET NAMES DEFAULT")
	}},
	{"SET PERSIST", true, func(g gen) string {
		return g.pick("SET PERSIST max_connections = 10", "SET PERSIST_ONLY max_connections = 10", "SET @@persist.max_connections = 10", "RESET PERSIST")
	}},
	{"SHOW", false, func(g gen) string {
		return g.pick("SHOW TABLES", "SHOW FULL TABLES FROM mysql LIKE 'u%'", "SHOW FULL COLUMNS FROM t", "SHOW INDEX FROM t", "SHOW CREATE TABLE t", "SHOW CREATE VIEW z", "SHOW VARIABLES LIKE 'sql%'", "SHOW GLOBAL STATUS WHERE Variable_name = 'Uptime'", "SHOW WARNINGS LIMIT 5", "SHOW COUNT(*) WARNINGS", "SHOW ERRORS", "SHOW PROCESSLIST", "SHOW FULL PROCESSLIST", "SHOW ENGINE INNODB STATUS", "SHOW DATABASES", "SHOW CHARSET", "SHOW COLLATION LIKE 'utf8mb4%'", "SHOW TABLE STATUS", "SHOW PLUGINS", "SHOW ENGINES", "SHOW PRIVILEGES", "SHOW TRIGGERS", "SHOW EVENTS", "SHOW PROCEDURE STATUS", "SHOW FUNCTION STATUS", "SHOW CREATE PROCEDURE p", "SHOW CREATE TRIGGER x", "SHOW OPEN TABLES", "SHOW MASTER STATUS", "SHOW BINARY LOGS", "SHOW KEYS FROM t WHERE Key_name = 'PRIMARY'", "SHOW CREATE DATABASE mysql", "SHOW PROFILES", "SHOW SLAVE STATUS")
	}},
	{"EXPLAIN", false, func(g gen) string {
		return g.pick("EXPLAIN SELECT * FROM t", "EXPLAIN FORMAT=JSON SELECT * FROM t WHERE id = 1", "DESCRIBE t", "DESC t v", "EXPLAIN UPDATE t SET v = 1", "EXPLAIN DELETE FROM t WHERE id = 1", "EXPLAIN EXTENDED SELECT 1", "DESC t '%a'")
	}},
	{"EXPLAIN, MySQL 8's", true, func(g gen) string {
		return g.pick("EXPLAIN FORMAT=TREE SELECT * FROM t", "EXPLAIN ANALYZE SELECT * FROM t WHERE v > 1", "EXPLAIN FORMAT=TRADITIONAL INSERT INTO t (id) VALUES (1)", "EXPLAIN FOR CONNECTION 5", "EXPLAIN ANALYZE FORMAT=TREE SELECT 1")
	}},
	{"CREATE PROCEDURE, plain body", false, func(g gen) string {
		return g.pick("CREATE PROCEDURE zp(a INT, OUT b INT) BEGIN SELECT v INTO b FROM t WHERE id = a; UPDATE t SET v = v WHERE id = a; END", "CREATE PROCEDURE zp() SELECT 1", "CREATE DEFINER=root@localhost PROCEDURE zp() SQL SECURITY INVOKER COMMENT 'x' BEGIN END")
	}},
	{"CREATE PROCEDURE, control flow", false, func(g gen) string {
		return g.pick("CREATE PROCEDURE zp(n INT) BEGIN DECLARE i INT DEFAULT 0; WHILE i < n DO SET i = i + 1; END WHILE; END",
			"CREATE PROCEDURE zp(n INT) BEGIN IF n > 1 THEN SELECT 1; ELSEIF n = 0 THEN SELECT 2; ELSE SELECT 3; END IF; END",
			"CREATE PROCEDURE zp() BEGIN DECLARE done INT DEFAULT 0; DECLARE x INT; DECLARE c CURSOR FOR SELECT id FROM t; DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1; OPEN c; l: LOOP FETCH c INTO x; IF done THEN LEAVE l; END IF; END LOOP; CLOSE c; END",
			"CREATE PROCEDURE zp() BEGIN REPEAT SET @a = @a + 1; UNTIL @a > 3 END REPEAT; CASE @a WHEN 1 THEN SELECT 1; ELSE SELECT 2; END CASE; END",
			"CREATE PROCEDURE zp() BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END; SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END")
	}},
	{"CREATE FUNCTION", false, func(g gen) string {
		return g.pick("CREATE FUNCTION zf(a INT) RETURNS INT DETERMINISTIC RETURN a + 1", "CREATE FUNCTION zf(a VARCHAR(5)) RETURNS VARCHAR(10) READS SQL DATA BEGIN DECLARE x INT; SELECT MAX(v) INTO x FROM t; RETURN CONCAT(a, x); END")
	}},
	{"CREATE TRIGGER", false, func(g gen) string {
		return g.pick("CREATE TRIGGER zt BEFORE INSERT ON t FOR EACH ROW SET NEW.v = NEW.v + 1", "CREATE TRIGGER zt AFTER UPDATE ON t FOR EACH ROW BEGIN INSERT INTO u VALUES (NEW.id, OLD.v, 1); END")
	}},
	{"CREATE EVENT", false, func(g gen) string {
		return "CREATE EVENT ze ON SCHEDULE EVERY 1 DAY DO DELETE FROM t WHERE id = 99"
	}},
	{"DROP of routine, trigger, event", false, func(g gen) string {
		return g.pick("DROP PROCEDURE IF EXISTS zp", "DROP FUNCTION IF EXISTS zf", "DROP TRIGGER IF EXISTS zt", "DROP EVENT IF EXISTS ze")
	}},
	{"CALL, DO", false, func(g gen) string { return g.pick("CALL zp(1, @a)", "CALL mysql.zp()", "DO SLEEP(0), 1+1") }},
	{"PREPARE, EXECUTE", false, func(g gen) string {
		return g.pick("PREPARE s FROM 'SELECT ?'", "EXECUTE s USING @a", "DEALLOCATE PREPARE s", "PREPARE s FROM @q", "DROP PREPARE s")
	}},
	{"LOCK TABLES", false, func(g gen) string {
		return g.pick("LOCK TABLES t READ, u AS x WRITE", "UNLOCK TABLES", "LOCK TABLE t WRITE")
	}},
	{"LOAD DATA", false, func(g gen) string {
		return "LOAD DATA LOCAL INFILE 'x.csv' IGNORE INTO TABLE t FIELDS TERMINATED BY ',' ENCLOSED BY '\"' LINES TERMINATED BY '\\n' IGNORE 1 LINES (id, @v) SET v = @v + 1"
	}},
	{"SIGNAL, GET DIAGNOSTICS", false, func(g gen) string {
		return g.pick("SIGNAL SQLSTATE '45000'", "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'x', MYSQL_ERRNO = 1000", "GET DIAGNOSTICS @n = NUMBER", "GET DIAGNOSTICS CONDITION 1 @a = RETURNED_SQLSTATE")
	}},
	{"HANDLER, XA", false, func(g gen) string {
		return g.pick("HANDLER t OPEN", "HANDLER t READ FIRST", "HANDLER t CLOSE", "XA START 'x'", "XA END 'x'", "XA PREPARE 'x'", "XA COMMIT 'x' ONE PHASE", "XA ROLLBACK 'x'", "XA RECOVER")
	}},
	{"KILL, FLUSH, ANALYZE and kin", false, func(g gen) string {
		return g.pick("KILL 99999", "KILL QUERY 99999", "FLUSH TABLES", "FLUSH PRIVILEGES", "FLUSH TABLES t WITH READ LOCK", "ANALYZE TABLE t", "CHECK TABLE t", "OPTIMIZE TABLE t", "REPAIR TABLE t", "CHECKSUM TABLE t", "HELP 'x'", "USE mysql", "RESET QUERY CACHE")
	}},
	{"COLLATE, introducers, casts", false, func(g gen) string {
		return g.pick("SELECT _latin1'a' COLLATE latin1_bin, N'x', _binary'ab'", "SELECT CAST('1' AS DATETIME(3)), CONVERT('a', CHAR(3)), CAST(1 AS FLOAT)", "SELECT h COLLATE utf8mb4_bin c FROM t ORDER BY h COLLATE utf8mb4_general_ci", "SELECT BINARY h, 'a' 'b' \"c\" FROM t", "SELECT CONVERT(_utf8mb4'ä' USING latin1)", "SELECT CAST('a' AS CHAR CHARACTER SET latin1)")
	}},
	{"CAST, MySQL 8's", true, func(g gen) string {
		return g.pick("SELECT CAST('2024' AS YEAR)", "SELECT CAST('{}' AS JSON)", "SELECT CAST('[1]' AS UNSIGNED ARRAY)", "SELECT CAST(TIMESTAMP'2024-01-01 00:00:00' AT TIME ZONE '+00:00' AS DATETIME)", "SELECT CAST(1.5 AS REAL)")
	}},
	{"intervals and time literals", false, func(g gen) string {
		return g.pick("SELECT w + INTERVAL '1:30' MINUTE_SECOND, INTERVAL 1 DAY + w FROM t", "SELECT DATE_ADD('2024-01-01', INTERVAL '1 2:3:4.5' DAY_MICROSECOND)", "SELECT EXTRACT(YEAR_MONTH FROM w), TIMESTAMPADD(WEEK, 1, w), TIMESTAMPDIFF(SECOND, w, NOW()) FROM t", "SELECT DATE'2024-01-01', TIME'10:00', TIMESTAMP'2024-01-01 00:00:00', {d '2024-01-01'}, {ts '2024-01-01 00:00:00'}", "SELECT INTERVAL(5, 1, 10), NOW(3) - INTERVAL v+1 QUARTER FROM t", "SELECT GET_FORMAT(DATE, 'EUR'), WEEK(w, 3), ADDDATE(w, 3) FROM t")
	}},
	{"names: quotes, reserved words, dots", false, func(g gen) string {
		return g.pick("SELECT `id` AS `select`, t.`v` 'a b' FROM `t`", "SELECT 1 AS rank1, v date, v `group`, v status, v value, v type, v name FROM t", "SELECT .5, 5., 1e3, 0x1F, 0b11, X'4142', b'01'", "SELECT v count, v level, v language, v comment, v user, v offset, v year, v end FROM t", "SELECT t.v AS json, v AS action, v AS at, v AS engine, v AS role, v AS window1 FROM t")
	}},
	{"comments and odd layouts", false, func(g gen) string {
		return g.pick("/* a */ SELECT /*! 1 + */ 1 -- x", "SELECT 1 # end", "SELECT /*!40101 1 */", "SELECT 1;", "select\n1\n,\t2", "/*!40101 SET NAMES utf8mb4 */", "SELECT COUNT(*)FROM t WHERE`id`=1AND v>0")
	}},
}

// generated draws many statements of each form.
func generated(many int) script {
	g := gen{rand.New(rand.NewPCG(1, 2))}
	s := script{source: "generated"}
	for _, f := range generatedForms {
		seen := map[string]bool{}
		for range many {
			text := f.draw(g)
			if !seen[text] {
				seen[text] = true
				s.statements = append(s.statements, statement{text: text, form: f.name, mysql8: f.mysql8})
			}
		}
	}
	return s
}
