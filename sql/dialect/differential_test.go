//go:build unix

package dialect

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// outcome is the result of a statement, and the content of the tables after it.
type outcome struct {
	columns []string
	rows    [][]string
	tables  string
	err     string
}

const null = "\x1dNULL"

// dumped are the tables whose rows are compared after a write.
var dumped = []string{"accounts", "orders", "stock", "users", "flags"}

// The columns of the dumps are named, since a boolean is written differently than a number.
func dump(table string, postgres bool) string {
	columns := "*"
	if table == "flags" {
		columns = "id, ok, maybe"
		if postgres {
			columns = "id, CAST(ok AS integer), CAST(maybe AS integer)"
		}
	}
	if table == "users" {
		columns = "email, hits" // numbers may be skipped by a conflict, as each server does it
	}
	return "SELECT " + columns + " FROM " + table + " ORDER BY 1, 2"
}

// TestServers starts a MariaDB and a PostgreSQL, and holds translations against both.
func TestServers(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts two servers")
	}
	maria := startMariaDB(t)
	pg := startPostgres(t)
	setUp(t, maria, pg)
	t.Run("Cases", func(t *testing.T) { sameAnswers(t, maria, pg) })
	t.Run("Random", func(t *testing.T) { randomAnswers(t, maria, pg) })
}

// sameAnswers runs each case on MariaDB and its translation on PostgreSQL: the answers, the names
// of the columns and the tables' content afterwards are the same.
func sameAnswers(t *testing.T, maria *sql.DB, pg *postgres) {
	t.Helper()
	var all []aCase
	cases(t, func(c aCase) string { all = append(all, c); return c.expected })
	translations := make([]Translation, len(all))
	script := &strings.Builder{}
	for i, c := range all {
		tr, err := c.translate()
		if err == nil {
			translations[i] = tr
			script.WriteString(pgScript(i, c, tr))
		}
	}
	out, err := pg.script(script.String())
	if err != nil {
		t.Fatal(err, out)
	}
	got := readScript(out)
	ran := 0
	for i, c := range all {
		tr := translations[i]
		if tr.Text == "" {
			continue
		}
		p := got[i]
		if p.err != "" && !(c.plain || strings.Contains(c.text, "Mixed")) {
			t.Errorf("%s: %s\n%s\nPostgreSQL: %s", c.pos, c.text, tr.Text, p.err)
			continue
		}
		if strings.Contains(p.err, "syntax error") {
			t.Errorf("%s: %s\nPostgreSQL: %s", c.pos, tr.Text, p.err)
		}
		if c.only || c.plain {
			continue
		}
		m := onMariaDB(t, maria, c, tr.Kind == Read)
		ran++
		if why := differ(m, p, !strings.Contains(strings.ToUpper(c.text), "ORDER BY")); why != "" {
			t.Errorf("%s: %s\n%s\n%s", c.pos, c.text, tr.Text, why)
		}
	}
	if ran < 100 {
		t.Errorf("only %d cases ran", ran)
	}
}

func setUp(t *testing.T, maria *sql.DB, pg *postgres) {
	t.Helper()
	for _, s := range []string{"CREATE DATABASE d", "USE d", "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY'"} {
		if _, err := maria.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	script := "SET client_min_messages = error;\n" + postgresTables + ";\n"
	for _, s := range append(strings.Split(strings.TrimSpace(caseTables), ";\n"), caseRows...) {
		if _, err := maria.Exec(s); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(s, "CREATE") {
			continue
		}
		tr, err := Translate(s, Postgres, caseSchema{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		script += tr.Text + ";\n"
	}
	for _, table := range []string{"accounts", "users"} {
		script += "SELECT setval(pg_get_serial_sequence('" + table + "', 'id'), 100);\n"
		if _, err := maria.Exec("ALTER TABLE " + table + " AUTO_INCREMENT = 101"); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := pg.script(script); err != nil || strings.Contains(out, "ERROR") {
		t.Fatal(err, out)
	}
}

// pgScript runs a translation in a transaction of its own, prepared as a gateway would.
func pgScript(i int, c aCase, tr Translation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\\echo '\x1cCASE %d'\nBEGIN;\n", i)
	b.WriteString("PREPARE p AS " + tr.Text + ";\n\\echo '\x1cROWS'\nEXECUTE p")
	if len(tr.Args) > 0 {
		b.WriteString("(" + list(len(tr.Args), func(n int) string { return quote(argument(c, tr.Args[n])) }) + ")")
	}
	b.WriteString(";\n\\echo '\x1cTABLES'\n")
	if tr.Kind != Read {
		for _, table := range dumped {
			b.WriteString(dump(table, true) + ";\n")
		}
	}
	b.WriteString("ROLLBACK;\nDEALLOCATE ALL;\n")
	return b.String()
}

// argument is the value of a placeholder; a case that gives none has 1.
func argument(c aCase, i int) string {
	if i < len(c.args) {
		return c.args[i]
	}
	return "1"
}

func readScript(out string) map[int]outcome {
	got := map[int]outcome{}
	for _, part := range strings.Split(out, "\x1cCASE ")[1:] {
		number, rest, _ := strings.Cut(part, "\n")
		n, _ := strconv.Atoi(number)
		var o outcome
		if at := strings.Index(rest, "ERROR:"); at >= 0 {
			o.err = strings.TrimSpace(strings.SplitN(rest[at:], "\x1c", 2)[0])
		}
		_, after, _ := strings.Cut(rest, "\x1cROWS\n")
		rows, tables, _ := strings.Cut(after, "\x1cTABLES\n")
		for i, line := range strings.Split(strings.TrimSuffix(rows, "\n"), "\x1e") {
			if i == 0 {
				o.columns = strings.Split(line, "\x1f")
			} else {
				o.rows = append(o.rows, strings.Split(line, "\x1f"))
			}
		}
		for _, line := range strings.Split(tables, "\n") {
			lines := strings.Split(line, "\x1e")
			o.tables += strings.Join(lines[1:], "\x1e") + "\n"
		}
		got[n] = o
	}
	return got
}

func onMariaDB(t *testing.T, db *sql.DB, c aCase, read bool) outcome {
	t.Helper()
	var o outcome
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	args := make([]any, strings.Count(c.text, "?"))
	for i := range args {
		args[i] = argument(c, i)
		if n, err := strconv.ParseInt(argument(c, i), 10, 64); err == nil {
			args[i] = n
		}
	}
	o.columns, o.rows, err = rowsOf(tx, c.text, args...)
	if err != nil {
		o.err = err.Error()
		return o
	}
	if !read {
		for _, table := range dumped {
			_, rows, err := rowsOf(tx, dump(table, false))
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range rows {
				if i > 0 {
					o.tables += "\x1e"
				}
				o.tables += strings.Join(r, "\x1f")
			}
			o.tables += "\n"
		}
	}
	return o
}

func rowsOf(tx *sql.Tx, text string, args ...any) (columns []string, out [][]string, err error) {
	rows, err := tx.Query(text, args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	columns, err = rows.Columns()
	if err != nil {
		return nil, nil, err
	}
	for rows.Next() {
		values := make([]sql.RawBytes, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		line := make([]string, len(values))
		for i, v := range values {
			line[i] = string(v)
			if v == nil {
				line[i] = null
			}
		}
		out = append(out, line)
	}
	return columns, out, rows.Err()
}

// differ describes the difference of two outcomes; empty if there is none.
func differ(m, p outcome, anyOrder bool) string {
	if m.err != "" {
		return "MariaDB: " + m.err
	}
	if len(m.columns) > 0 && !slices.Equal(m.columns, p.columns) && !slices.ContainsFunc(p.columns, hasPlaceholder) {
		return fmt.Sprintf("columns: MariaDB %q, PostgreSQL %q", m.columns, p.columns)
	}
	if anyOrder {
		for _, rows := range [][][]string{m.rows, p.rows} {
			slices.SortFunc(rows, func(a, b []string) int { return slices.Compare(a, b) })
		}
	}
	if len(m.columns) > 0 {
		if len(m.rows) != len(p.rows) {
			return fmt.Sprintf("MariaDB has %d rows %q, PostgreSQL %d %q", len(m.rows), m.rows, len(p.rows), p.rows)
		}
		for i := range m.rows {
			for j := range m.rows[i] {
				if j >= len(p.rows[i]) || !same(m.rows[i][j], p.rows[i][j]) {
					return fmt.Sprintf("row %d, column %s: MariaDB %q, PostgreSQL %q", i, m.columns[j], m.rows[i], p.rows[i])
				}
			}
		}
	}
	return differTables(m.tables, p.tables)
}

// hasPlaceholder: MariaDB is sent the values in the text, and names the column after them.
func hasPlaceholder(name string) bool { return strings.Contains(name, "?") }

func differTables(m, p string) string {
	ms, ps := strings.Split(m, "\n"), strings.Split(p, "\n")
	for i := range min(len(ms), len(ps)) {
		mf := strings.FieldsFunc(ms[i], func(r rune) bool { return r == '\x1e' || r == '\x1f' })
		pf := strings.FieldsFunc(ps[i], func(r rune) bool { return r == '\x1e' || r == '\x1f' })
		if !slices.EqualFunc(mf, pf, same) {
			return fmt.Sprintf("then table %s: MariaDB %q, PostgreSQL %q", dumped[min(i, len(dumped)-1)], mf, pf)
		}
	}
	return ""
}

// same reports whether two values are written alike: bytes in PostgreSQL's way, doubles to 12
// digits.
func same(m, p string) bool {
	if m == p || strings.Trim(m, "-0.") == "" && strings.TrimPrefix(m, "-") == p {
		return true // MariaDB has a decimal -0.00
	}
	if h, ok := strings.CutPrefix(p, `\x`); ok {
		return h == hex.EncodeToString([]byte(m))
	}
	if !strings.ContainsAny(m+p, ".eE") {
		return false
	}
	a, err1 := strconv.ParseFloat(m, 64)
	b, err2 := strconv.ParseFloat(p, 64)
	if err1 != nil || err2 != nil || strings.HasSuffix(m, "0") || strings.HasSuffix(p, "0") {
		return false
	}
	return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}
