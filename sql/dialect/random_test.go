//go:build unix

package dialect

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	seed  = flag.Uint64("seed", 1, "of TestServers/Random")
	count = flag.Int("count-random", 400, "statements of TestServers/Random")
)

// composer composes expressions over the table accounts. It avoids known differences: text in two
// cases, doubles written with their last digits, sums beyond 64 bits.
type composer struct{ *rand.Rand }

func (c composer) of(s ...string) string { return s[c.IntN(len(s))] }

func (c composer) number(deep int) string {
	if deep == 0 {
		return c.of("0", "1", "2", "-3", "7", "1.5", "0.25", "n", "id", "active", "balance")
	}
	a, b := func() string { return c.number(deep - 1) }, func() string { return c.number(deep - 1) }
	switch c.IntN(22) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", a(), c.of("+", "-", "*"), b())
	case 3:
		return fmt.Sprintf("(%s / %s)", a(), b())
	case 4:
		return fmt.Sprintf("(%s DIV %s)", a(), b())
	case 5:
		return fmt.Sprintf("(ABS(%s) %% %s)", a(), b()) // MariaDB has a decimal -0.00, which is not 0
	case 6:
		return "-(" + a() + ")"
	case 7:
		return fmt.Sprintf("%s(%s)", c.of("ABS", "SIGN", "CEIL", "FLOOR", "ROUND"), a())
	case 8:
		return fmt.Sprintf("%s(%s, %s)", c.of("ROUND", "TRUNCATE"), a(), c.of("0", "1", "2"))
	case 9:
		return fmt.Sprintf("%s(%s, %s)", c.of("IFNULL", "COALESCE", "NULLIF", "LEAST", "GREATEST"), a(), b())
	case 10:
		return fmt.Sprintf("IF(%s, %s, %s)", c.condition(deep-1), a(), b())
	case 11:
		return fmt.Sprintf("CASE WHEN %s THEN %s WHEN %s THEN %s ELSE %s END", c.condition(deep-1), a(), c.condition(deep-1), b(), c.number(deep-1))
	case 12:
		return fmt.Sprintf("CASE %s WHEN %s THEN %s END", a(), b(), c.number(deep-1))
	case 13:
		return fmt.Sprintf("%s(%s)", c.of("CHAR_LENGTH", "LENGTH"), c.text(deep-1))
	case 14:
		return fmt.Sprintf("%s(%s)", c.of("YEAR", "MONTH", "DAY", "DAYOFWEEK", "WEEKDAY", "QUARTER", "DAYOFYEAR"), c.moment(deep-1))
	case 15:
		return fmt.Sprintf("DATEDIFF(%s, %s)", c.moment(deep-1), c.moment(deep-1))
	case 16:
		return "(" + c.condition(deep-1) + ")"
	case 17:
		return fmt.Sprintf("LOCATE(%s, %s)", c.of("'a'", "'n'", "'l'"), c.text(deep-1))
	case 18:
		return fmt.Sprintf("TIMESTAMPDIFF(%s, %s, %s)", c.of("DAY", "MONTH", "YEAR", "HOUR", "MINUTE", "SECOND", "WEEK", "QUARTER"), c.moment(deep-1), c.moment(deep-1))
	case 19:
		return fmt.Sprintf("FIELD(%s, 'ann', 'bob', %s)", c.text(deep-1), c.text(deep-1))
	case 20:
		return fmt.Sprintf("(SELECT %s(o.qty) FROM orders o WHERE o.account = accounts.id)", c.of("MAX", "SUM", "COUNT", "MIN"))
	}
	return c.number(0)
}

func (c composer) text(deep int) string {
	if deep == 0 {
		return c.of("owner", "note", "'a'", "''", "'ann'", "'x y'", "NULL")
	}
	a := func() string { return c.text(deep - 1) }
	switch c.IntN(14) {
	case 0, 1:
		return fmt.Sprintf("CONCAT(%s, %s)", a(), a())
	case 2:
		return fmt.Sprintf("CONCAT('-', %s)", c.of("n", "id", "balance", "active", "born", "made", "n > 1"))
	case 3:
		return fmt.Sprintf("CONCAT_WS(',', %s, %s, %s)", a(), a(), c.of("n", "id"))
	case 4:
		return fmt.Sprintf("%s(%s)", c.of("LOWER", "REVERSE", "LTRIM", "RTRIM", "TRIM"), a())
	case 5:
		return fmt.Sprintf("%s(%s, %s)", c.of("LEFT", "RIGHT", "REPEAT"), a(), c.of("0", "1", "2", "-1"))
	case 6:
		return fmt.Sprintf("SUBSTRING(%s, %s)", a(), c.of("1", "2", "-1", "-3", "0", "9"))
	case 7:
		return fmt.Sprintf("SUBSTRING(%s, %s, %s)", a(), c.of("1", "2", "-2"), c.of("0", "1", "3", "-1"))
	case 8:
		return fmt.Sprintf("REPLACE(%s, 'n', %s)", a(), c.of("'m'", "''", "'nn'"))
	case 9:
		return fmt.Sprintf("IF(%s, %s, %s)", c.condition(deep-1), a(), a())
	case 10:
		return fmt.Sprintf("%s(%s, %s)", c.of("COALESCE", "IFNULL", "NULLIF", "LEAST", "GREATEST"), a(), a())
	case 11:
		return fmt.Sprintf("%s(%s, %s, '*')", c.of("LPAD", "RPAD"), a(), c.of("0", "2", "6"))
	case 12:
		return fmt.Sprintf("DATE_FORMAT(%s, '%s')", c.moment(deep-1), c.of("%Y-%m-%d", "%d.%m.%y %H:%i", "%e/%c", "%a %b %j", "%W %M", "%D %k %l %p"))
	}
	return c.text(0)
}

func (c composer) moment(deep int) string {
	if deep == 0 {
		return c.of("made", "born", "NULL", "'2024-02-29'", "'2023-12-31 23:59:58'")
	}
	switch c.IntN(5) {
	case 0, 1:
		return fmt.Sprintf("(%s %s INTERVAL %s %s)", c.of("made", "born"), c.of("+", "-"), c.of("1", "13", "-2", "0"), c.of("DAY", "MONTH", "YEAR", "HOUR", "MINUTE", "SECOND", "WEEK", "QUARTER"))
	case 2:
		return fmt.Sprintf("LAST_DAY(%s)", c.of("made", "born"))
	case 3:
		return fmt.Sprintf("DATE(%s)", c.of("made", "born"))
	}
	return c.moment(0)
}

func (c composer) condition(deep int) string {
	if deep == 0 {
		return c.of("active", "n", "n IS NULL", "balance > 20", "owner = 'ann'", "note LIKE '%o%'", "TRUE", "NULL")
	}
	switch c.IntN(14) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", c.condition(deep-1), c.of("AND", "OR", "XOR", "&&", "||"), c.condition(deep-1))
	case 2:
		return "NOT (" + c.condition(deep-1) + ")"
	case 3, 4:
		return fmt.Sprintf("%s %s %s", c.number(deep-1), c.of("=", "<>", "<", ">=", "<=>"), c.number(deep-1))
	case 5:
		return fmt.Sprintf("%s %s %s", c.text(deep-1), c.of("=", "<>", "<=>"), c.text(deep-1))
	case 6:
		return fmt.Sprintf("%s %sIN (%s, %s, %s)", c.number(deep-1), c.of("", "NOT "), c.number(0), c.number(0), c.number(0))
	case 7:
		return fmt.Sprintf("%s %sBETWEEN %s AND %s", c.number(deep-1), c.of("", "NOT "), c.number(0), c.number(0))
	case 8:
		return fmt.Sprintf("%s LIKE %s", c.text(deep-1), c.of("'a%'", "'%n'", "'_o%'", "'%\\_%'", "'%\\\\%'"))
	case 9:
		return fmt.Sprintf("%s IS %s", c.condition(deep-1), c.of("NULL", "NOT NULL", "TRUE", "NOT TRUE", "FALSE", "NOT FALSE"))
	case 10:
		return fmt.Sprintf("%s %s %s", c.of("made", "born", "made", "DATE(made)"), c.of("=", "<", ">="), c.of("'2024-01-31'", "'2023-12-31 23:59:59'", "born", "made", "'2000-02-29 00:00:00'", "'2000-02-29 10:00:00'"))
	case 11:
		return fmt.Sprintf("EXISTS (SELECT 1 FROM orders o WHERE o.account = accounts.id AND %s)", c.of("o.qty > 2", "paid", "o.item LIKE 'p%'", "accounts.n"))
	case 12:
		return fmt.Sprintf("%s %sIN (SELECT account FROM orders)", c.of("id", "n"), c.of("", "NOT "))
	}
	return c.condition(0)
}

func (c composer) statement() string {
	what := c.number
	switch c.IntN(3) {
	case 0:
		what = c.text
	case 1:
		what = c.moment
	}
	switch c.IntN(6) {
	case 5:
		return c.write()
	case 0:
		return fmt.Sprintf("SELECT %s AS k, COUNT(*) AS c, %s(n) AS m FROM accounts WHERE %s GROUP BY k HAVING c > 0", c.of("owner", "active", "n IS NULL", "n > 3", "YEAR(born)"), c.of("SUM", "MIN", "MAX", "AVG", "COUNT"), c.condition(2))
	case 1:
		return fmt.Sprintf("SELECT id, %s AS a FROM accounts ORDER BY %s, id", what(2), c.of("n", "n DESC", "balance", "a IS NULL", "n > 2 DESC"))
	}
	return fmt.Sprintf("SELECT id, %s AS a, %s AS b FROM accounts WHERE %s ORDER BY id", what(3), c.number(2), c.condition(3))
}

// write composes a statement that changes rows.
func (c composer) write() string {
	limit := c.of("", "", fmt.Sprintf(" ORDER BY %s, id LIMIT %d", c.of("n", "n DESC", "balance", "owner"), 1+c.IntN(3)))
	switch c.IntN(5) {
	case 0:
		return fmt.Sprintf("DELETE FROM accounts WHERE %s%s", c.condition(2), limit)
	case 1:
		return fmt.Sprintf("INSERT INTO orders (id, account, item, qty) SELECT 100 + id, id, COALESCE(LEFT(%s, 20), ''), %s FROM accounts WHERE %s", c.text(2), c.number(2), c.condition(1))
	case 2:
		return fmt.Sprintf("INSERT INTO stock (a, b, v) VALUES (1, %s, %d), (2, 2, 5) ON DUPLICATE KEY UPDATE v = %s, w = %s", c.of("1", "2", "3"), c.IntN(9), c.of("v + VALUES(v)", "VALUES(v) DIV 2", "v * 2 + b"), c.of("CONCAT(w, v)", "IFNULL(w, 'x')", "VALUES(v)", "v"))
	case 3:
		return fmt.Sprintf("UPDATE accounts a JOIN orders o ON o.id = a.id + %s SET a.n = o.qty + a.id, a.note = CONCAT(o.item, a.n) WHERE a.id > %s", c.of("9", "10", "11"), c.of("0", "1", "2"))
	}
	return fmt.Sprintf("UPDATE accounts SET n = %s, balance = %s, note = %s, active = %s WHERE %s%s", c.number(2), c.number(2), c.text(2), c.condition(1), c.condition(2), limit)
}

// randomAnswers composes statements, and has both servers answer them.
func randomAnswers(t *testing.T, maria *sql.DB, pg *postgres) {
	t.Helper()
	for _, s := range []string{"SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin", "ALTER TABLE accounts CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", "ALTER TABLE orders CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"} {
		if _, err := maria.Exec(s); err != nil { // text is compared as PostgreSQL does here
			t.Fatal(err)
		}
	}
	c := composer{rand.New(rand.NewPCG(*seed, 2))}
	var all []aCase
	var translations []Translation
	script := &strings.Builder{}
	refused := 0
	for range *count {
		one := aCase{text: c.statement()}
		tr, err := one.translate()
		if err != nil {
			refused++
			continue
		}
		script.WriteString(pgScript(len(all), one, tr))
		all, translations = append(all, one), append(translations, tr)
	}
	out, err := pg.script(script.String())
	if err != nil {
		t.Fatal(err, out)
	}
	got := readScript(out)
	same, failed := 0, 0
	for i, one := range all {
		m, p := onMariaDB(t, maria, one, translations[i].Kind == Read), got[i]
		switch {
		case m.err != "":
			continue
		case p.err != "":
			failed++
			t.Logf("%s\n%s\nPostgreSQL: %s", one.text, translations[i].Text, p.err)
			continue
		}
		if why := differ(m, p, !strings.Contains(one.text, "ORDER BY")); why != "" {
			t.Errorf("%s\n%s\n%s", one.text, translations[i].Text, why)
			continue
		}
		same++
	}
	if same < *count*9/10 {
		t.Errorf("of %d statements %d have an answer at both", *count, same)
	}
	t.Logf("%d statements: %d with the same answer, %d refused, %d failed at PostgreSQL", *count, same, refused, failed)
}
