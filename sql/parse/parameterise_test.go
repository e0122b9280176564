package parse

import (
	"fmt"
	"strings"
	"testing"
)

func TestParameterise(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"SELECT c FROM t WHERE id = 5", "SELECT c FROM t WHERE id = ? [5]"},
		{"SELECT 1, c+2 FROM t WHERE id=-5 AND k = 7", "SELECT 1, c+2 FROM t WHERE id=-5 AND k = ? [7]"},
		{"select c from t where a between 1 and 2.5 order by 1 limit 3", "select c from t where a between ? and ? order by 1 limit 3 [1 2.5]"},
		{"SELECT c FROM t WHERE id IN (1, 2,3) AND n = 'x y'", "SELECT c FROM t WHERE id IN (?, ?,?) AND n = ? [1 2 3 'x y']"},
		{"SELECT c FROM t WHERE ROUND(f, 2) = 1 AND (k = 3 OR k > 4)", "SELECT c FROM t WHERE ROUND(f, 2) = ? AND (k = ? OR k > ?) [1 3 4]"},
		{"UPDATE t SET k = k - 1, c = 'a' WHERE id = 4", "UPDATE t SET k = k - ?, c = ? WHERE id = ? [1 'a' 4]"},
		{"INSERT INTO t (id, c) VALUES (1, 'a'), (-2, NULL)", "INSERT INTO t (id, c) VALUES (?, ?), (-2, NULL) [1 'a']"},
		{"INSERT INTO t VALUES (1, f(2, 3), DATE '2020-01-01', x'41')", "INSERT INTO t VALUES (?, f(2, 3), DATE '2020-01-01', x'41') [1]"},
		{"SELECT c FROM t WHERE at > '2020-01-01' - INTERVAL 1 DAY", "SELECT c FROM t WHERE at > ? - INTERVAL 1 DAY ['2020-01-01']"},
		{"SELECT c FROM t WHERE id IN (SELECT 2 FROM u WHERE v = 3) AND k = 4", "SELECT c FROM t WHERE id IN (SELECT 2 FROM u WHERE v = ?) AND k = ? [3 4]"},
		{"SELECT c, (SELECT d FROM u WHERE v = 3) IN (5) FROM t WHERE k = 4", "SELECT c, (SELECT d FROM u WHERE v = 3) IN (5) FROM t WHERE k = ? [4]"},
		{"SELECT c FROM (SELECT a, (SELECT 1 FROM u WHERE v = 2) c FROM t WHERE k = 3) d", "SELECT c FROM (SELECT a, (SELECT 1 FROM u WHERE v = 2) c FROM t WHERE k = ?) d [3]"},
		{"SELECT c FROM `a 5` WHERE t2.k3 = 1e3", "SELECT c FROM `a 5` WHERE t2.k3 = ? [1e3]"},
		{"SELECT c FROM t WHERE n = 'it''s'", "no"},
		{`SELECT c FROM t WHERE n = 'a\\'`, "no"},
		{`SELECT c FROM t WHERE n = "a"`, "no"},
		{"SELECT c FROM t WHERE id = 5; DROP TABLE t", "no"},
		{"SELECT /* hint */ c FROM t WHERE id = 5", "no"},
		{"SELECT c FROM t WHERE id = 5 -- x", "no"},
		{"SELECT c FROM t WHERE id = 0x1F", "no"},
		{"SELECT c FROM t WHERE id = @a", "no"},
		{"SELECT c FROM t WHERE (id = 5", "no"},
		{"SET a = 1", "no"},
	} {
		text, values, ok := Parameterise(c.query, plainValue)
		got := text + " ["
		for i, v := range values {
			got += strings.Repeat(" ", min(i, 1)) + v
		}
		if got += "]"; !ok {
			got = "no"
		}
		if got != c.want {
			t.Errorf("%s\ngives %s\nwant  %s", c.query, got, c.want)
		}
	}
}

func plainValue(kind Literal, text string) string {
	if kind == Quoted {
		return "'" + text + "'"
	}
	return text
}

// FuzzParameterise: with the values put back, the text is what it was.
func FuzzParameterise(f *testing.F) {
	f.Add("SELECT c FROM t WHERE id IN (1, 2.5) AND n = 'x' LIMIT 3")
	f.Add("INSERT INTO `t` VALUES (1, -2, f(3), 'a'), (4, 5e6, NULL, '')")
	f.Fuzz(func(t *testing.T, query string) {
		text, values, ok := Parameterise(query, plainValue)
		if !ok {
			return
		}
		if strings.Count(text, "?") < len(values) {
			t.Fatalf("%q has fewer places than %d values", text, len(values))
		}
		for _, v := range values {
			at := strings.IndexByte(text, '?')
			text = text[:at] + strings.Replace(v, "?", "\x00", -1) + text[at+1:]
		}
		if strings.ReplaceAll(text, "\x00", "?") != strings.TrimRight(query, " \t\r\n") {
			t.Fatalf("%q came back as %q", query, fmt.Sprint(text))
		}
	})
}
