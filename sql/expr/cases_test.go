package expr

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"vitess.io/vitess/go/mysql/format"
)

// A file testdata/FAMILY.txt has cases, one a line:
//
//	EXPRESSION => VALUE             the value is NULL, a text, or "quoted text" where that is not clear
//	EXPRESSION => VALUE [1292 1365] with the numbers of the warnings
//	EXPRESSION => error 1690
//	mysql: EXPRESSION => VALUE      MariaDB differs from MySQL 8, whose answer this is
//
// TestCases compares this package with them, TestCasesAtMariaDB a MariaDB. To add cases, write the expressions alone and
// run TestCasesAtMariaDB with -fill: it writes MariaDB's answers, to be checked with MySQL's manual.

var fill = flag.Bool("fill", false, "write MariaDB's answers behind the expressions of testdata that have none")

// exprCase is a line of a file of cases; one without an expression is kept as it is.
type exprCase struct {
	line, text, want string
	mysql            bool
}

func readCases(t testing.TB, path string) (out []exprCase) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		c := exprCase{line: strings.TrimRight(line, "\n")}
		if c.line != "" && c.line[0] != '#' {
			c.text, c.mysql = strings.CutPrefix(c.line, "mysql: ")
			if i := strings.LastIndex(c.text, " => "); i >= 0 {
				c.text, c.want = c.text[:i], c.text[i+4:]
			}
		}
		out = append(out, c)
	}
	return out
}

func caseFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	return files
}

// written is an answer as the cases write it.
func written(text string, null bool, warnings []int, err int) string {
	s := text
	switch {
	case err != 0:
		return fmt.Sprint("error ", err)
	case null:
		s = "NULL"
	case text == "" || text == "NULL" || text != strings.TrimSpace(text) || strconv.Quote(text) != `"`+text+`"` && strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }):
		s = strconv.Quote(text)
	}
	if len(warnings) > 0 {
		s += " " + fmt.Sprint(warnings)
	}
	return s
}

// answered is this package's answer to an expression.
func answered(text string, c *Context) string {
	e, err := environment.Parser().ParseExpr(text)
	if err != nil {
		return written("", false, nil, 1064)
	}
	var v Value
	p, err := Compile(c, Columns{}, e)
	if err == nil {
		p.Begin(c)
		var out []Value
		if out, err = p.Run(nil, nil); err == nil {
			v = Display(out[0], p.Type(0))
		}
	}
	var own *Error
	switch {
	case errors.As(err, &own):
		return written("", false, nil, own.Code)
	case err != nil:
		return err.Error()
	}
	var codes []int
	list, _ := c.Warnings()
	for _, w := range list {
		codes = append(codes, w.Code)
	}
	return written(v.ToString(), v.IsNull(), codes, 0)
}

// agree allows the last digit of a floating-point number.
func agree(got, want string) bool {
	if got == want {
		return true
	}
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(want, 64)
	return errA == nil && errB == nil && len(got) > 12 && math.Abs(a-b) <= 1e-15*math.Abs(a)
}

func TestCases(t *testing.T) {
	for _, path := range caseFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			for _, c := range readCases(t, path) {
				if c.text == "" {
					continue
				}
				if got := answered(c.text, testContext()); !agree(got, c.want) {
					t.Errorf("%s => %s, expected %s", c.text, got, c.want)
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
			if c.text != "" && c.want == "" || c.text != "" && !c.mysql {
				got := answeredThere(t, conn, c.text)
				switch {
				case c.want == "" && *fill:
					c.line += " => " + got
					filled = true
				case !agree(got, c.want):
					t.Errorf("%s: %s => %s, expected %s", path, c.text, got, c.want)
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

// answeredThere is the server's answer to an expression.
func answeredThere(t testing.TB, conn *sql.Conn, text string) string {
	t.Helper()
	// A SELECT without a table leaves the warnings of the statement before.
	v, err := valueThere(conn, "SELECT "+text+" FROM (SELECT 1) AS one")
	var failed *mysql.MySQLError
	if errors.As(err, &failed) {
		return written("", false, nil, int(failed.Number))
	}
	if err != nil {
		t.Fatal(err)
	}
	codes, err := warningsThere(conn)
	if err != nil {
		t.Fatal(err)
	}
	return written(string(v), v == nil, codes, 0)
}

func valueThere(conn *sql.Conn, query string) (v []byte, err error) {
	rows, err := conn.QueryContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var got any
		if err := rows.Scan(&got); err != nil {
			return nil, err
		}
		switch got := got.(type) {
		case nil:
		case []byte:
			v = got
		case float64:
			v = format.FormatFloat(got) // the driver parses it
		default:
			v = fmt.Append(nil, got)
		}
	}
	return v, rows.Err()
}

func warningsThere(conn *sql.Conn) (codes []int, err error) {
	rows, err := conn.QueryContext(context.Background(), "SHOW WARNINGS")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var level, message string
		var code int
		if err := rows.Scan(&level, &code, &message); err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, rows.Err()
}
