package sql

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// probed is a type of columns with values for it.
type probed struct {
	name, decl string
	values     []string
}

var probedTypes = []probed{
	{"t1", "TINYINT", []string{"0", "1", "2", "127", "-128"}},
	{"i4", "INT", []string{"0", "1", "2", "-1", "300", "2024", "101112", "20240131", "16777217"}},
	{"i8", "BIGINT", []string{"1", "2", "-1", "9007199254740993", "9223372036854775807"}},
	{"u4", "INT UNSIGNED", []string{"0", "1", "2", "4294967295"}},
	{"u8", "BIGINT UNSIGNED", []string{"1", "2", "9223372036854775808", "18446744073709551615"}},
	{"d2", "DECIMAL(5,2)", []string{"1.00", "1.10", "1.40", "1.50", "2.00", "-1.00"}},
	{"d4", "DECIMAL(12,4)", []string{"1.0000", "1.1000", "1.4000", "1.4001", "2.0000", "20240131.0000"}},
	{"d0", "DECIMAL(20,0)", []string{"1", "2", "18446744073709551615", "-1"}},
	{"f8", "DOUBLE", []string{"1", "1.1", "1.4", "1.5", "2", "0.1", "-1", "1e100", "9007199254740992"}},
	{"f4", "FLOAT", []string{"1", "1.4", "1.5", "2", "0.1", "16777216"}},
	{"c3", "VARCHAR(3) COLLATE utf8mb4_general_ci", []string{"'1'", "'01'", "'1.4'", "'abc'", "'Ab'", "'2'", "''", "'x'", "'1a'"}},
	{"c20", "VARCHAR(20) COLLATE utf8mb4_general_ci", []string{"'1'", "'1.40'", "'1abc'", "'ABC'", "'abcd'", "'x'", "'2024-01-31'", "'2024-1-31'", "'10:11:12'", "'2'"}},
	{"b3", "VARCHAR(3) COLLATE utf8mb4_bin", []string{"'1'", "'abc'", "'ABC'", "'x'"}},
	{"h3", "CHAR(3) COLLATE utf8mb4_general_ci", []string{"'1'", "'abc'", "'X'"}},
	{"tx", "TEXT COLLATE utf8mb4_general_ci", []string{"'1'", "'abc'", "'x'", "'2024-01-31'"}},
	{"vb", "VARBINARY(4)", []string{"'1'", "'abc'", "'abcd'", "'x'"}},
	{"da", "DATE", []string{"'2024-01-31'", "'2024-01-01'"}},
	{"dt", "DATETIME", []string{"'2024-01-31'", "'2024-01-31 10:11:12'", "'2024-01-01'"}},
	{"d6", "DATETIME(6)", []string{"'2024-01-31'", "'2024-01-31 10:11:12'", "'2024-01-31 10:11:12.4'"}},
	{"ts", "TIMESTAMP NULL", []string{"'2024-01-31'", "'2024-01-31 10:11:12'"}},
	{"ti", "TIME", []string{"'10:11:12'", "'00:00:01'", "'00:00:00'"}},
	{"ye", "YEAR", []string{"2024", "2001", "1999"}},
	{"en", "ENUM('x','abc','1','2') COLLATE utf8mb4_general_ci", []string{"'x'", "'abc'", "'1'", "'2'"}},
	{"se", "SET('x','abc','1') COLLATE utf8mb4_general_ci", []string{"'x'", "'abc'", "'x,abc'"}},
	{"bi", "BIT(8)", []string{"1", "2", "255"}},
}

// probes are constants that columns are compared with.
var probes = []string{
	"0", "1", "2", "-1", "127", "128", "300", "2024", "24", "101112", "20240131", "9007199254740993", "18446744073709551615", "1.4", "1.40", "1.4001", "1.10", "2.0", "-0.5", "1e30", "99999999999999999999",
	"1.4e0", "1e0", "0.1e0", "1e100", "'1'", "'01'", "'1.4'", "'1abc'", "'abc'", "'ABC'", "'abcd'", "'x'", "'X'", "''", "'2'", "'y'",
	"'2024-01-31'", "'2024-1-31'", "'2024-01-31 10:11:12'", "'2024-01-31 10:11:12.4'", "'10:11:12'", "'10:11:12.4'", "'20240131'",
	"DATE'2024-01-31'", "TIMESTAMP'2024-01-31 00:00:00'", "TIMESTAMP'2024-01-31 10:11:12.4'", "TIME'10:11:12'", "TIME'10:11:12.4'", "X'31'", "NULL", "TRUE",
}

// tablesOfProbes makes, for each type, a table without an index, one with the column as its key and one with an index on it.
func tablesOfProbes(do func(string)) {
	for _, p := range probedTypes {
		length := ""
		if p.name == "tx" {
			length = "(2)"
		}
		do(fmt.Sprintf("CREATE TABLE u_%s (id INT PRIMARY KEY, v %s, n INT)", p.name, p.decl))
		do(fmt.Sprintf("CREATE TABLE k_%s (id INT, v %s NOT NULL, n INT, PRIMARY KEY (v%s))", p.name, strings.TrimSuffix(p.decl, " NULL"), length))
		do(fmt.Sprintf("CREATE TABLE s_%s (id INT PRIMARY KEY, v %s, n INT, KEY (v%s))", p.name, p.decl, length))
		for i, v := range p.values {
			for _, kind := range []string{"u", "k", "s"} {
				do(fmt.Sprintf("INSERT INTO %s_%s VALUES (%d, %s, 0)", kind, p.name, i+1, v))
			}
		}
		for _, kind := range []string{"u", "s"} {
			do(fmt.Sprintf("INSERT INTO %s_%s VALUES (50, NULL, 0)", kind, p.name))
		}
	}
}

// askTable are statements about a table @ whose column v may have an index, and a table # beside; several end in the query whose result counts.
var askTable = []string{
	"SELECT a.id, b.id FROM @ a JOIN # b ON a.v = b.v ORDER BY 1, 2",
	"SELECT a.id, b.id FROM # b JOIN @ a ON b.v = a.v ORDER BY 1, 2",
	"SELECT a.id, b.id FROM # b LEFT JOIN @ a ON a.v = b.v WHERE a.id < 50 OR a.id IS NULL ORDER BY 1, 2",
	"SELECT a.id, b.id FROM @ a LEFT JOIN # b ON a.v = b.v WHERE a.id < 50 ORDER BY 1, 2",
	"SELECT a.id, b.id FROM @ a JOIN # b ON a.v <=> b.v WHERE a.id < 50 ORDER BY 1, 2",
	"SELECT b.id FROM # b WHERE EXISTS (SELECT 1 FROM @ a WHERE a.v = b.v) ORDER BY 1",
	"SELECT a.id FROM @ a WHERE EXISTS (SELECT 1 FROM # b WHERE a.v = b.v) ORDER BY 1",
	"SELECT b.id FROM # b WHERE NOT EXISTS (SELECT 1 FROM @ a WHERE a.v = b.v) ORDER BY 1",
	"SELECT b.id FROM # b WHERE b.v IN (SELECT v FROM @) ORDER BY 1",
	"SELECT a.id FROM @ a WHERE a.v IN (SELECT v FROM #) ORDER BY 1",
	"SELECT b.id FROM # b WHERE b.v NOT IN (SELECT v FROM @ WHERE v IS NOT NULL) ORDER BY 1",
	"SELECT a.id FROM @ a WHERE a.v NOT IN (SELECT v FROM # WHERE id < 50) ORDER BY 1",
	"SELECT b.id, (SELECT COUNT(*) FROM @ a WHERE a.v = b.v) FROM # b ORDER BY 1",
	"SELECT b.id, b.v IN (SELECT a.v FROM @ a WHERE a.id < 50) FROM # b ORDER BY 1",
	"SELECT a.id, b.id FROM @ a JOIN # b ON a.v > b.v ORDER BY 1, 2",
	"BEGIN; UPDATE @ a JOIN # b ON a.v = b.v SET a.n = 1; SELECT id, n FROM @ WHERE id < 50 ORDER BY 1; ROLLBACK",
	"BEGIN; UPDATE @ SET n = 1 WHERE v IN (SELECT v FROM (SELECT v FROM #) q); SELECT id, n FROM @ WHERE id < 50 ORDER BY 1; ROLLBACK",
	"BEGIN; DELETE a FROM @ a JOIN # b ON a.v = b.v; SELECT id FROM @ WHERE id < 50 ORDER BY 1; ROLLBACK",
	"BEGIN; DELETE FROM @ WHERE v IN (SELECT v FROM (SELECT v FROM #) q); SELECT id FROM @ WHERE id < 50 ORDER BY 1; ROLLBACK",
	"BEGIN; DELETE FROM @ WHERE EXISTS (SELECT 1 FROM (SELECT v FROM #) b WHERE b.v = @.v); SELECT id FROM @ WHERE id < 50 ORDER BY 1; ROLLBACK",
}

// askConstant are statements with a constant #.
var askConstant = []string{
	"SELECT id FROM @ WHERE v = # ORDER BY 1",
	"SELECT id FROM @ WHERE # = v ORDER BY 1",
	"SELECT id FROM @ WHERE v IN (#) ORDER BY 1",
	"SELECT id FROM @ WHERE v IN (#, 2) ORDER BY 1",
	"SELECT id FROM @ WHERE v IN (#, 'x') ORDER BY 1",
	"SELECT id FROM @ WHERE v < # ORDER BY 1",
	"SELECT id FROM @ WHERE v <= # ORDER BY 1",
	"SELECT id FROM @ WHERE v > # ORDER BY 1",
	"SELECT id FROM @ WHERE # <= v ORDER BY 1",
	"SELECT id FROM @ WHERE v <> # ORDER BY 1",
	"SELECT id FROM @ WHERE NOT v = # ORDER BY 1",
	"SELECT id FROM @ WHERE v NOT IN (#) ORDER BY 1",
	"SELECT id FROM @ WHERE v <=> # AND id < 50 ORDER BY 1",
	"SELECT id FROM @ WHERE v BETWEEN # AND # ORDER BY 1",
	"SELECT id FROM @ WHERE v = # OR v = 2 ORDER BY 1",
	"SELECT id FROM @ WHERE (v, id) IN ((#, 1), (#, 2)) ORDER BY 1",
	"SET @p = #; SELECT id FROM @ WHERE v = @p ORDER BY 1",
	"BEGIN; UPDATE @ SET n = n + 1 WHERE v = #; SELECT id, n FROM @ WHERE id < 50 ORDER BY 1; ROLLBACK",
	"BEGIN; UPDATE @ SET n = n + 1 WHERE v IN (#, 2); SELECT id, n FROM @ WHERE id < 50 ORDER BY 1; ROLLBACK",
	"BEGIN; DELETE FROM @ WHERE v = #; SELECT id FROM @ WHERE id < 50 ORDER BY 1; ROLLBACK",
	"SELECT id FROM @ WHERE v = # FOR UPDATE",
}

// answerOf is what statements answer, the last query's rows; "error" if one fails.
func answerOf(c *client, script string) string {
	out, failed := "", ""
	for _, text := range strings.Split(script, "; ") {
		got, err := c.try(text)
		if err != nil && failed == "" {
			failed = "error " + err.Error()
		}
		out += got
	}
	if failed != "" {
		return failed
	}
	if strings.Contains(script, "ORDER BY") {
		return out
	}
	lines := strings.Split(out, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// sameAnswer reports whether two answers are the same; all errors are alike.
func sameAnswer(a, b string) bool {
	return a == b || strings.HasPrefix(a, "error") && strings.HasPrefix(b, "error")
}

// beside is a MariaDB with the same tables.
func beside(t *testing.T, address string) *client {
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User = "tcp", address, "root"
	pool, err := sql.Open("mysql", cfg.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pool.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); pool.Close() })
	c := &client{t, conn, pool}
	for _, text := range []string{"DROP DATABASE IF EXISTS probes", "CREATE DATABASE probes", "USE probes"} {
		c.exec(text)
	}
	return c
}

// matrix asks statements of tables with and without an index.
type matrix struct {
	t      *testing.T
	c      *client
	beside *client // a MariaDB; nil: none
	asked  int
	unlike map[string]int
}

// ask compares what a statement answers of the three tables of a type.
func (m *matrix) ask(form, key, probe string) {
	script := func(kind string) string {
		return strings.NewReplacer("#", probe, "@p", "@p", "@", kind+"_"+key).Replace(form)
	}
	scan := answerOf(m.c, script("u"))
	for _, kind := range []string{"k", "s"} {
		m.asked++
		if got := answerOf(m.c, script(kind)); !sameAnswer(got, scan) {
			m.t.Errorf("%s\ngot:  %q\nscan: %q", script(kind), got, scan)
		}
	}
	if m.beside == nil {
		return
	}
	if got := answerOf(m.beside, script("u")); !strings.HasPrefix(got, "error") && !sameAnswer(got, scan) {
		if m.unlike[form]++; m.unlike[form] <= 60 {
			m.t.Logf("UNLIKE %s\nhere:    %q\nmariadb: %q", script("u"), scan, got)
		}
	}
}

// A key that is compared with a value of any type finds the rows that are found without it, in every kind of
// statement. PROBES_ALL asks all of them, which takes a minute; PROBES_MARIADB, the address of a MariaDB in which
// root has no password, logs besides where a comparison differs from that.
func TestProbesFindWhatAScanFinds(t *testing.T) {
	f := start(t)
	m := &matrix{t: t, c: f.connect(t, "va", "shop"), unlike: map[string]int{}}
	tablesOfProbes(func(s string) { m.c.exec(s) })
	if address := os.Getenv("PROBES_MARIADB"); address != "" {
		m.beside = beside(t, address)
		tablesOfProbes(func(s string) { m.beside.exec(s) })
	}
	n, step := 0, 7 // which no list is a multiple of
	if os.Getenv("PROBES_ALL") != "" {
		step = 1
	}
	ask := func(form, key, probe string) {
		if n++; n%step == 0 {
			m.ask(form, key, probe)
		}
	}
	for _, key := range probedTypes {
		for _, form := range askTable {
			for _, with := range probedTypes {
				for _, side := range []string{"u", "s"} {
					ask(form, key.name, side+"_"+with.name)
				}
			}
		}
		for _, form := range askConstant {
			for _, probe := range probes {
				ask(form, key.name, probe)
			}
		}
	}
	t.Logf("%d asked, unlike MariaDB: %v", m.asked, m.unlike)
}

// Values of different types are compared as MySQL compares them.
func TestComparisonsOfDifferentTypes(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	tablesOfProbes(func(s string) { c.exec(s) })
	for _, q := range [][2]string{
		{"SELECT id FROM k_i4 WHERE v = 1.4", ""},
		{"SELECT id FROM k_d2 WHERE v = 1.4001", ""},
		{"SELECT id FROM k_d2 WHERE v < 1.4001 ORDER BY id", "1\n2\n3\n6"},
		{"SELECT id FROM k_u8 WHERE v > -1 ORDER BY id", "1\n2\n3\n4"},
		{"SELECT a.id, b.id FROM k_i8 a JOIN k_u8 b ON a.v = b.v ORDER BY 1", "1 | 1\n2 | 2"},
		{"SELECT id FROM k_da WHERE v < '2024-01-31 10:11:12' ORDER BY id", "1\n2"},
		{"SELECT id FROM k_da WHERE v = 20240131", "1"},
		{"SELECT a.id, b.id FROM k_da a JOIN k_dt b ON a.v = b.v ORDER BY 1", "1 | 1\n2 | 3"},
		{"SELECT id FROM k_c3 WHERE v = 1 ORDER BY id", "1\n2\n9"},
		{"SELECT id FROM k_c3 WHERE v = '1abc'", ""},
		{"SELECT id FROM k_c3 WHERE v IN ('ABC', 'q', 'r', 's') ORDER BY id", "4"},
		{"SELECT id FROM s_h3 WHERE v <=> 'ABC'", "2"},
		{"SELECT a.id, b.id FROM u_c3 a JOIN u_c20 b ON a.v = b.v ORDER BY 1", "1 | 1\n4 | 4\n6 | 10\n8 | 6"},
		{"SELECT a.id, b.id FROM u_c3 a JOIN u_en b ON a.v = b.v ORDER BY 1", "1 | 3\n4 | 2\n6 | 4\n8 | 1"},
		{"SELECT id FROM s_en WHERE v > 'abc' ORDER BY id", "1"},
		{"SELECT id FROM s_ye WHERE v = 24", "1"},
		{"SELECT id FROM s_ti WHERE v = 101112", "1"},
		{"SELECT id FROM s_tx WHERE v <> 'abcd' ORDER BY id", "1\n2\n3\n4"},
		{"SELECT id FROM s_tx WHERE v = 'abc'", "2"},
		{"SELECT b.id FROM s_i4 b WHERE b.v NOT IN (SELECT v FROM s_t1)", ""},
		{"SELECT b.id FROM s_i4 b WHERE b.v NOT IN (SELECT v FROM s_t1 WHERE v IS NOT NULL) AND b.v < 300 ORDER BY 1", "4"},
		{"SELECT id FROM k_i4 WHERE (v, id) IN ((2, NULL), (3, 5))", ""},
		{"SELECT id FROM k_i4 WHERE NOT ((v, id) IN ((2, NULL))) AND id < 4 ORDER BY id", "1\n2"},
		{"SELECT a.id, b.id FROM s_i4 a JOIN s_t1 b ON a.v <=> b.v ORDER BY 1, 2", "1 | 1\n2 | 2\n3 | 3\n50 | 50"},
	} {
		if got := strings.TrimSpace(answerOf(c, q[0])); got != q[1] {
			t.Errorf("%s\ngot:  %q\nwant: %q", q[0], got, q[1])
		}
	}
}

// Texts of two columns are joined by their collations.
func TestJoinOfTwoTextsGoesByTheirCollations(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE a (x VARCHAR(5) COLLATE utf8mb4_general_ci, y VARCHAR(5) COLLATE utf8mb4_general_ci)")
	c.exec("INSERT INTO a VALUES ('a', 'b'), ('A', 'B')")
	c.expect("SELECT COUNT(*) FROM a p JOIN a q ON p.x = q.x AND p.y = q.y", "4")
}
