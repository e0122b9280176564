package sql

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// testdata/windows.cases has statements that a generator made, over windows, groups and
// subqueries, each with MariaDB's answer.
func TestWindowsGiveWhatMariaDBGives(t *testing.T) { sameAsMariaDB(t, "testdata/windows.cases", 200) }

// GREATEST and LEAST, MIN and MAX of an ENUM, HAVING over a join, and INSERT ... SELECT ... ON
// DUPLICATE KEY UPDATE, each with MariaDB's answer.
func TestStatementsGiveWhatMariaDBGives(t *testing.T) {
	sameAsMariaDB(t, "testdata/statements.cases", 30)
}

// sameAsMariaDB compares the answers to at least so many statements of a file.
func sameAsMariaDB(t *testing.T, name string, least int) {
	c := start(t).connect(t, "va", "shop")
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	asked, query := 0, ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		want, isAnswer := strings.CutPrefix(line, "=> ")
		switch {
		case isAnswer:
			got, err := c.try(query)
			if err != nil || !sameCells(got, want) {
				t.Errorf("%s\nis  %s(%v)\nnot %s", query, strings.ReplaceAll(strings.ReplaceAll(got, " | ", ","), "\n", ";"), err, want)
			}
			asked++
		case strings.HasPrefix(line, "create"), strings.HasPrefix(line, "insert"):
			c.exec(line)
		default:
			query = line
		}
	}
	if asked < least {
		t.Errorf("%d statements were compared", asked)
	}
}

// sameCells compares rows; numbers as far as MariaDB shows their digits.
func sameCells(got, want string) bool {
	rows, answers := strings.Split(strings.TrimSpace(got), "\n"), strings.Split(want, ";")
	if got == "" || want == "" {
		return strings.TrimSpace(got) == want
	}
	if len(rows) != len(answers) {
		return false
	}
	for i := range rows {
		cells, right := strings.Split(strings.ReplaceAll(rows[i], " | ", ","), ","), strings.Split(answers[i], ",")
		if len(cells) != len(right) {
			return false
		}
		for j := range cells {
			a, err := strconv.ParseFloat(cells[j], 64)
			b, err2 := strconv.ParseFloat(right[j], 64)
			if cells[j] != right[j] && (err != nil || err2 != nil || math.Abs(a-b) > 6e-5*max(1, math.Abs(b))) {
				return false
			}
		}
	}
	return true
}

// What MariaDB does otherwise than MySQL, or what the generator does not make.
func TestWindows(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, g INT, v INT, d DECIMAL(6,2), w DATE)")
	c.exec("INSERT INTO t VALUES (1, 1, 10, 1.50, '2024-01-01'), (2, 1, 20, NULL, '2024-01-02'), (3, 2, 3, 2.25, '2024-01-05'), (4, NULL, NULL, -1, NULL)")
	for _, q := range []struct{ query, want string }{
		{"SELECT id, LAG(v, 1, 0) OVER (ORDER BY id), LEAD(g, 2, 'none') OVER (ORDER BY id) FROM t ORDER BY id", "1 | 0 | 2\n2 | 10 | NULL\n3 | 20 | none\n4 | 3 | none"},
		{"SELECT id, COUNT(*) OVER (ORDER BY w RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) FROM t ORDER BY id", "1 | 1\n2 | 2\n3 | 1\n4 | 1"},
		{"SELECT id, COUNT(*) OVER (ORDER BY w DESC RANGE INTERVAL 3 DAY PRECEDING) FROM t ORDER BY id", "1 | 2\n2 | 2\n3 | 1\n4 | 1"},
		{"SELECT SUM(v) OVER (), AVG(v) OVER (), AVG(d) OVER (), STD(g) OVER () FROM t LIMIT 1", "33 | 11.0000 | 0.916667 | 0.4714045207910317"},
		{"SELECT AVG(v), AVG(d), STD(g), VAR_SAMP(v), STDDEV_SAMP(id) FROM t", "11.0000 | 0.916667 | 0.4714045207910317 | 73 | 1.2909944487358056"},
		{"SELECT DISTINCT SUM(v) OVER (PARTITION BY g) FROM t ORDER BY 1", "NULL\n3\n30"},
		{"SELECT *, ROW_NUMBER() OVER (ORDER BY id DESC) r, (SELECT COUNT(*) FROM t x WHERE x.g = t.g) n FROM t WHERE id = 1", "1 | 1 | 10 | 1.50 | 2024-01-01 | 1 | 2"},
		{"SELECT YEAR(w) y, COUNT(*), SUM(COUNT(*)) OVER (ORDER BY YEAR(w)) FROM t GROUP BY y ORDER BY y", "NULL | 1 | 1\n2024 | 3 | 4"},
		{"SELECT g x, SUM(SUM(v)) OVER (ORDER BY g) FROM t GROUP BY 1 HAVING x > 0 ORDER BY 1", "1 | 30\n2 | 33"},
		{"SELECT COUNT(*), (SELECT COUNT(*) FROM t WHERE v > 5), (SELECT COUNT(*) FROM t WHERE g = 2 AND id > (SELECT COUNT(*) FROM t WHERE g = 1)) FROM t", "4 | 2 | 1"},
		{"SELECT GROUP_CONCAT(id), (SELECT GROUP_CONCAT(id) FROM t WHERE g = 1) FROM t", "1,2,3,4 | 1,2"},
		{"SELECT BIT_OR(id) OVER (), BIT_AND(id) OVER (PARTITION BY g), CUME_DIST() OVER (ORDER BY id), NTH_VALUE(v, 2) OVER (ORDER BY id) FROM t WHERE id < 3", "3 | 0 | 0.5 | NULL\n3 | 0 | 1 | 20"},
		{"SELECT id FROM t o WHERE EXISTS (SELECT 1 FROM (SELECT id FROM t ORDER BY v DESC LIMIT 1) x WHERE x.id = o.id)", "2"},
	} {
		if got, err := c.try(q.query); strings.TrimSpace(got) != q.want || err != nil {
			t.Errorf("%s\ngives %s(%v), not %s", q.query, got, err, q.want)
		}
	}
	c.exec("CREATE VIEW s AS SELECT id, SUM(v) OVER (ORDER BY id) s FROM t")
	c.expect("SELECT s FROM s WHERE id = 2", "30")
	c.exec("CREATE PROCEDURE p(IN n INT) SELECT g, SUM(SUM(v)) OVER (ORDER BY g) FROM t WHERE id < n GROUP BY g ORDER BY g")
	c.expect("CALL p(4)", "1 | 30\n2 | 33")
	c.expect("SELECT SUM(v) OVER (ORDER BY id ROWS 1 PRECEDING), LAG(v, ?) OVER (ORDER BY id) FROM t", "10 | NULL\n30 | NULL\n23 | 10\n3 | 20", 2)
	for query, want := range map[string]string{
		"SELECT COUNT(DISTINCT v) OVER () FROM t":                                "1235",
		"SELECT NTILE(0) OVER () FROM t":                                         "1210",
		"SELECT NTH_VALUE(v, 0) OVER () FROM t":                                  "1210",
		"SELECT SUM(v) OVER (ORDER BY g, v RANGE 1 PRECEDING) FROM t":            "3587",
		"SELECT g, v, COUNT(*) FROM t GROUP BY g":                                "GROUP BY",
		"SELECT g, (SELECT MAX(x.v) FROM t x WHERE x.v = t.v) FROM t GROUP BY g": "GROUP BY",
	} {
		c.fails(query, want)
	}
}
