package parse

import (
	"strings"
	"testing"

	"vitess.io/vitess/go/vt/sqlparser"
)

// A change is parsed without the words that change nothing, and with what the parser does not have.
func TestChangesAreParsed(t *testing.T) {
	for text, want := range map[string]string{
		"INSERT LOW_PRIORITY IGNORE INTO t VALUES (1)":                      "insert ignore into t values (1)",
		"REPLACE DELAYED t SELECT 1":                                        "replace into t select 1 from dual",
		"DELETE LOW_PRIORITY QUICK FROM t ORDER BY a LIMIT 1":               "delete from t order by a asc limit 1",
		"DELETE t.*, u.* FROM t JOIN u":                                     "delete t, u from t join u",
		"DELETE FROM t.*, u USING t, u WHERE t.a * 2 = u.b":                 "delete t, u from t, u where t.a * 2 = u.b",
		"INSERT INTO t TABLE u":                                             "insert into t select * from u",
		"INSERT INTO t (a) SELECT 1 EXCEPT SELECT 2":                        "insert into t(a) select 1 from dual union select 2 from dualUnknown lock",
		"WITH q AS (SELECT 1) UPDATE t SET a = 1":                           "with q as (select 1 from dual) update t set a = 1",
		"DELETE FROM t WHERE a = '(' OR b = `returning` RETURNING a, b + 1": "delete from t where a = '(' or b = `returning` | select a, b + 1 from dual",
		"INSERT INTO t VALUES (?, ?) RETURNING a + ?":                       "insert into t values (:v1, :v2) | select a + :v3 from dual",
		"SELECT 1": "", "CREATE TABLE t (a INT)": "",
	} {
		c, err := ReadChange(text, Mode{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		if c != nil {
			for _, tree := range c.Trees() {
				got = append(got, sqlparser.String(tree))
			}
		}
		if s := strings.Join(got, " | "); s != want {
			t.Errorf("%s: %q, expected %q", text, s, want)
		}
	}
	for _, text := range []string{"UPDATE t SET a = 1 RETURNING a", "DELETE t FROM t JOIN u RETURNING a", "INSERT INTO t VALUES (1) RETURNING a FROM t WHERE b", "DELETE FORM t"} {
		if c, err := ReadChange(text, Mode{}); err == nil {
			t.Errorf("%s: %v is accepted", text, c.Tree)
		}
	}
}

// What is behind WITH is told apart by its first word outside of brackets.
func TestWhatIsBehindWith(t *testing.T) {
	for text, want := range map[string]bool{
		"WITH q AS (SELECT 1) UPDATE t SET a = 1": true, "WITH q (a) AS (SELECT 'delete'), r AS (SELECT 1) DELETE FROM t": true,
		"WITH `update` AS (SELECT 1) SELECT * FROM `update`": false, "WITH RECURSIVE q AS (SELECT 1) TABLE q": false,
	} {
		if got := ChangesBehindWith(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
