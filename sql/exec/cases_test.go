package exec

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/server/sourcedb/sourcetest"
	"isochron/sql/expr"
)

// A file testdata/NAME.txt has statements, each on a line:
//
//	CREATE TABLE ..., INSERT ..., SET group_concat_max_len = ...    the table of what follows
//	SELECT ... => ROWS               values parted by " | ", rows by " / "
//	EXPRESSION => ROWS               short for SELECT EXPRESSION FROM t
//	... => ROWS [1292]               with the numbers of the warnings
//	... => error 3158
//	mysql: ... => ROWS               MariaDB differs from MySQL 8, whose answer this is
//
// TestCases compares the operators with them, TestCasesAtMariaDB a MariaDB. To add cases, write them without an answer and
// run TestCasesAtMariaDB with -fill: it writes MariaDB's answers, to be checked with MySQL's manual.

var (
	fill      = flag.Bool("fill", false, "write MariaDB's answers to the cases of testdata that have none")
	yardstick = flag.String("yardstick", "", "the socket of a running MariaDB 10.11, instead of starting one")
)

// sqlCase is a line of a file of cases.
type sqlCase struct {
	line, text, want string
	set              bool // a statement without an answer
	mysql            bool
}

func readCases(t testing.TB, path string) (out []sqlCase) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		c := sqlCase{line: strings.TrimRight(line, "\n")}
		if c.line != "" && c.line[0] != '#' {
			c.text, c.mysql = strings.CutPrefix(c.line, "mysql: ")
			if i := strings.LastIndex(c.text, " => "); i >= 0 {
				c.text, c.want = c.text[:i], c.text[i+4:]
			}
			for _, word := range []string{"CREATE ", "INSERT ", "SET "} {
				c.set = c.set || strings.HasPrefix(c.text, word)
			}
			if !c.set && !strings.HasPrefix(c.text, "SELECT ") {
				c.text = "SELECT " + c.text + " FROM t"
			}
		}
		out = append(out, c)
	}
	return out
}

// answer writes rows and warnings as the files do.
func answer(rows [][]string, codes []int) string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, strings.Join(r, " | "))
	}
	s := strings.Join(lines, " / ")
	if len(rows) == 0 {
		s = "no rows"
	}
	if len(codes) > 0 {
		s += " " + fmt.Sprint(codes)
	}
	return s
}

// quoted writes a value; one that does not stand for itself in a line is quoted.
func quoted(s string, null bool) string {
	if null {
		return "NULL"
	}
	strange := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	if s == "" || s == "NULL" || strings.TrimSpace(s) != s || strings.ContainsFunc(s, strange) {
		return strconv.Quote(s)
	}
	return s
}

// runner runs the statements of a file here.
type runner struct {
	table  testTable
	concat int
}

// run is the answer of the operators, "" for a statement that has none.
func (r *runner) run(text string) (string, error) {
	statement, err := expr.Environment().Parser().ParseStrictDDL(text)
	if err != nil {
		return "", err
	}
	switch s := statement.(type) {
	case *sqlparser.CreateTable:
		r.table.create(s)
		return "", nil
	case *sqlparser.Insert:
		return "", r.table.insert(s)
	case *sqlparser.Set:
		_, err := fmt.Sscan(sqlparser.String(s.Exprs[0].Expr), &r.concat)
		return "", err
	case *sqlparser.Select:
		return r.query(s)
	}
	return "", fmt.Errorf("what is %s?", text)
}

func (r *runner) query(s *sqlparser.Select) (string, error) {
	c, m := session(), &meter{}
	p := testPlan{context: c, table: &r.table, concat: r.concat}
	from, err := p.plan(s, m)
	if err != nil {
		return "", err
	}
	rows, err := readAll(from)
	from.Close()
	if m.held != 0 {
		return "", fmt.Errorf("%d bytes are held after Close", m.held)
	}
	var own *expr.Error
	if errors.As(err, &own) {
		return fmt.Sprint("error ", own.Code), nil
	}
	if err != nil {
		return "", err
	}
	var out [][]string
	for _, row := range rows {
		var line []string
		for _, v := range row {
			line = append(line, quoted(v.ToString(), v.IsNull()))
		}
		out = append(out, line)
	}
	var codes []int
	list, _ := c.Warnings()
	for _, w := range list {
		codes = append(codes, w.Code)
	}
	return answer(out, codes), nil
}

func caseFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	return files
}

func TestCases(t *testing.T) {
	for _, path := range caseFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var r runner
			for _, c := range readCases(t, path) {
				if c.text == "" {
					continue
				}
				got, err := r.run(c.text)
				if err != nil {
					t.Errorf("%s: %v", c.text, err)
				} else if !c.set && got != c.want {
					t.Errorf("%s\n got  %s\n want %s", c.text, got, c.want)
				}
			}
		})
	}
}

func TestCasesAtMariaDB(t *testing.T) {
	conn := mariadb(t)
	for _, path := range caseFiles(t) {
		var out strings.Builder
		filled := false
		for _, c := range readCases(t, path) {
			if c.set {
				runThere(t, conn, c.text)
			} else if c.text != "" && (c.want == "" || !c.mysql) {
				got := queryThere(t, conn, c.text)
				switch {
				case c.want == "" && *fill:
					c.line += " => " + got
					filled = true
				case got != c.want:
					t.Errorf("%s: %s\n got  %s\n want %s", path, c.text, got, c.want)
				}
			}
			fmt.Fprintln(&out, c.line)
		}
		if filled {
			if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// mariadb is a connection to a MariaDB.
func mariadb(t testing.TB) *sql.Conn {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Logger, cfg.Collation = "root", &mysql.NopLogger{}, "utf8mb4_general_ci"
	cfg.Params = map[string]string{"sql_mode": "'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES'", "max_statement_time": "2"}
	if *yardstick != "" {
		cfg.Net, cfg.Addr = "unix", *yardstick
	} else {
		s, err := sourcetest.MariaDB("--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci")
		if err != nil {
			if os.Getenv("ISOCHRON_NEED_SOURCES") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		t.Cleanup(s.Close)
		cfg.Net, cfg.Addr = "tcp", s.Addr()
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	runThere(t, conn, "CREATE DATABASE IF NOT EXISTS exec_cases")
	runThere(t, conn, "USE exec_cases")
	return conn
}

func runThere(t testing.TB, conn *sql.Conn, text string) {
	t.Helper()
	if strings.HasPrefix(text, "CREATE TABLE") {
		text = strings.Replace(text, "CREATE", "CREATE OR REPLACE", 1)
	}
	if _, err := conn.ExecContext(context.Background(), text); err != nil {
		t.Fatal(text, err)
	}
}

// queryThere is the server's answer.
func queryThere(t testing.TB, conn *sql.Conn, text string) string {
	t.Helper()
	out, err := rowsThere(conn, text)
	var failed *mysql.MySQLError
	if errors.As(err, &failed) {
		return fmt.Sprintf("error %d %s", failed.Number, failed.Message)
	}
	if err != nil {
		t.Fatal(text, err)
	}
	warnings, err := rowsThere(conn, "SHOW WARNINGS")
	if err != nil {
		t.Fatal(err)
	}
	var codes []int
	for _, w := range warnings {
		code := 0
		fmt.Sscan(w[1], &code)
		codes = append(codes, code)
	}
	return answer(out, codes)
}

func rowsThere(conn *sql.Conn, text string) (out [][]string, err error) {
	rows, err := conn.QueryContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values := make([]sql.RawBytes, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		var line []string
		for _, v := range values {
			text := string(v)
			if f, err := strconv.ParseFloat(text, 64); err == nil && strings.Contains(text, "e+") {
				text = expr.Double(f).ToString() // the driver writes doubles in its own way
			}
			line = append(line, quoted(text, v == nil))
		}
		out = append(out, line)
	}
	return out, rows.Err()
}
