package sourcedb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"isochron/server/sourcedb/sourcetest"
	"isochron/source"
)

// The clause is added to statements that read only their own FROM; all others are unchanged.
func TestSharing(t *testing.T) {
	for _, text := range []string{"SELECT v FROM t WHERE id = 1", "select * from `t` WHERE id=-1 AND name = 'x' ORDER BY v LIMIT 3", "SELECT a.v FROM a JOIN b ON a.id = b.id WHERE a.id = ?",
		"SELECT DISTINCT format FROM t", "SELECT v FROM intos WHERE unions = 1 LIMIT 3 OFFSET 2", "SELECT v FROM t GROUP BY v HAVING v > 1"} {
		if got, ok := sharing(text); !ok || got != text+" LOCK IN SHARE MODE" {
			t.Errorf("%s becomes %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "SELECT 1", "SELECT f(v) FROM t", "SELECT v FROM (SELECT v FROM t) AS x", "SELECT v FROM t UNION SELECT v FROM u", "SELECT v FROM t union table u",
		"SELECT v FROM t FOR UPDATE", "SELECT v FROM t LOCK IN SHARE MODE", "SELECT v INTO @x FROM t", "SELECT NEXT VALUE FOR s FROM t", "SELECT v FROM t; SELECT v FROM t", "SELECT v FROM t EXCEPT VALUES",
		"WITH w AS SELECT v FROM t", "TABLE t", "SELECT 'it\\'s' FROM t", "SELECT v FROM t WHERE id IN (1)", "SELECT v FROM t LIMIT ROWS EXAMINED 5", "SELECT v FROM t FETCH FIRST ROW ONLY"} {
		if got, ok := sharing(text); ok {
			t.Errorf("%s becomes %q", text, got)
		}
	}
}

// A read without a transaction returns and waits for the same as within one: for rows that a prepared branch has changed or
// inserted.
func TestLoneReadsShare(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if k.name_() != "mariadb" {
			t.Skip("PostgreSQL's reads say so themselves")
		}
		k.ok("INSERT INTO %s VALUES (1, 10), (2, 20), (9, 90)")
		for text, want := range map[string]string{"SELECT v FROM %s WHERE id = 2": "20", "SELECT v FROM %s ORDER BY id LIMIT 1 OFFSET 1": "20", "SELECT DISTINCT v FROM %s WHERE v > 80": "90",
			"SELECT v FROM %s GROUP BY v HAVING v < 15": "10", "SELECT HIGH_PRIORITY v FROM %s WHERE id = 1": "10", "SELECT 'from'": "from",
			"SELECT x.v FROM %s AS x JOIN %[1]s AS y ON x.id = y.v WHERE y.id = 77 ": ""} {
			if strings.Contains(text, "%s") {
				text = fmt.Sprintf(text, k.table)
			}
			if _, ok := sharing(text); !ok {
				t.Errorf("%s does not use the clause", text)
			}
			r := k.ok(text)
			if got := fmt.Sprintf("%s", r.Rows); got != map[bool]string{true: "[]", false: "[[" + want + "]]"}[want == ""] {
				t.Errorf("%s gives %s, want %q", text, got, want)
			}
		}
		b, n := k.begin(source.BranchOptions{})
		k.do(b, "UPDATE %s SET v = 11 WHERE id = 1")
		k.do(b, "INSERT INTO %s VALUES (5, 50)")
		k.must(b.Prepare(k.ctx))
		soon := source.BranchOptions{LockWait: time.Second}
		for _, text := range []string{"SELECT v FROM %s WHERE id = 1", "SELECT v FROM %s WHERE id = 5", "SELECT v FROM %s WHERE v > 40", "SELECT x.v FROM %s AS x JOIN %[1]s AS y ON x.id = y.id WHERE y.id = 1"} {
			text = fmt.Sprintf(text, k.table)
			if _, err := k.once(k.driver, soon, text); err == nil {
				t.Errorf("%s does not wait for a prepared branch", text)
			} else {
				k.fails(err, 1205)
			}
		}
		k.finish(k.driver, n, true, true)
		if r := k.ok("SELECT v FROM %s WHERE id = 5"); string(r.Rows[0][0]) != "50" {
			t.Errorf("after the commit: %q", r.Rows)
		}
		// The clause's locks end with its statement.
		k.ok("UPDATE %s SET v = 12 WHERE id = 1")
	})
}

// An account with only the right to read may use the clause.
func TestLoneReadsNeedOnlySelect(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if k.name_() != "mariadb" {
			t.Skip("it is about a MariaDB")
		}
		k.ok("INSERT INTO %s VALUES (1, 10)")
		k.must(k.server.Exec(fmt.Sprintf("CREATE USER reader IDENTIFIED BY '%s'; GRANT SELECT ON %s TO reader", sourcetest.Password, k.table)))
		d, err := Open(strings.Replace(k.server.URL(), "//"+sourcetest.User+":", "//reader:", 1), Options{})
		k.must(err)
		defer d.Close()
		if r, err := k.once(d, source.BranchOptions{}, "SELECT v FROM %s WHERE id = 1"); err != nil || string(r.Rows[0][0]) != "10" {
			t.Errorf("%q, %v", r.Rows, err)
		}
	})
}

// sharingByFields is sharing by a simple split of the text into words in upper case.
func sharingByFields(text string) (string, bool) {
	if strings.ContainsAny(text, "(;\\") {
		return "", false
	}
	words := strings.FieldsFunc(strings.ToUpper(text), func(r rune) bool {
		return r != '_' && r != '$' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && r < 0x80
	})
	count := map[string]int{}
	for _, w := range words {
		if count[w]++; notShared[w] {
			return "", false
		}
	}
	if len(words) == 0 || words[0] != "SELECT" || count["SELECT"] != 1 || count["FROM"] != 1 {
		return "", false
	}
	return text + shareMode, true
}

// sharing agrees with a split into words for any text.
func TestSharingAgreesWithASplitIntoWords(t *testing.T) {
	for w := range notShared {
		if len(w) > wordMax {
			t.Errorf("%s is longer than %d", w, wordMax)
		}
	}
	pieces := []string{"SELECT", "select", "Select", "FROM", "from", "t", "union", "UNION", "unıon", "ſelect", "into", "rows", "ROWSX", "procedure", "PROCEDURES", "intersect", "é", "'x'", "`a`", "_from", "from_", "1", "=", ",", "*", ".", "?", "fetch", "a1", "$with", "WITH"}
	gaps := []string{" ", "", "\n", ",", "\t"}
	r := rand.New(rand.NewPCG(1, 2))
	both := map[bool]int{}
	for range 20_000 {
		text := []string{"SELECT ", " select v FROM ", ""}[r.IntN(3)]
		for range r.IntN(6) {
			text += pieces[r.IntN(len(pieces))] + gaps[r.IntN(len(gaps))]
		}
		want, is := sharingByFields(text)
		got, ok := sharing(text)
		if both[ok]++; got != want || ok != is {
			t.Fatalf("%q becomes %q, %v; by its words %q, %v", text, got, ok, want, is)
		}
	}
	if both[true] < 1000 || both[false] < 1000 {
		t.Errorf("%d texts are shared and %d not", both[true], both[false])
	}
}
