package sql

import (
	"strings"
	"testing"
)

// Of those who take rows from a queue with SKIP LOCKED each locks what it is answered, and nothing
// that it has only read: the next gets the next, and the others are free.
func TestSkipLockedLocksWhatItAnswers(t *testing.T) {
	shapes := []struct{ query, first, second string }{
		{"SELECT id FROM q WHERE st = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "1", "2"},
		{"SELECT id FROM q WHERE st = 0 LIMIT 1 FOR UPDATE SKIP LOCKED", "1", "2"},
		{"SELECT * FROM q WHERE st = 0 LIMIT 1 FOR UPDATE SKIP LOCKED", "1 | 0 | 30 | a", "2 | 0 | 20 | b"},
		{"SELECT id FROM q ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "1", "2"},
		{"SELECT id FROM q ORDER BY id DESC LIMIT 1 FOR UPDATE SKIP LOCKED", "5", "4"},
		{"SELECT id FROM q WHERE st = 0 ORDER BY pr LIMIT 1 FOR UPDATE SKIP LOCKED", "3", "2"},
		{"SELECT id FROM q WHERE st = 0 ORDER BY pr DESC LIMIT 1 FOR UPDATE SKIP LOCKED", "1", "2"},
		{"SELECT id FROM q ORDER BY st DESC, pr LIMIT 1 FOR UPDATE SKIP LOCKED", "4", "5"},
		{"SELECT id FROM q ORDER BY st, pr DESC LIMIT 2 FOR UPDATE SKIP LOCKED", "1\n2", "3\n5"},
		{"SELECT id FROM q WHERE id > 1 AND st = 0 LIMIT 1 FOR UPDATE SKIP LOCKED", "2", "3"},
		{"SELECT id FROM q WHERE id BETWEEN 2 AND 4 AND nm <> 'b' LIMIT 1 FOR UPDATE SKIP LOCKED", "3", "4"},
		{"SELECT id FROM q WHERE pr >= 10 ORDER BY pr LIMIT 1 FOR UPDATE SKIP LOCKED", "3", "2"},
		{"SELECT id FROM q WHERE pr > 1 AND st = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "1", "2"},
		{"SELECT id, upper(nm) FROM q WHERE lower(nm) IN ('b', 'c') LIMIT 1 FOR UPDATE SKIP LOCKED", "2 | B", "3 | C"},
		{"SELECT id FROM q WHERE st = 0 ORDER BY id LIMIT 1 OFFSET 1 FOR UPDATE SKIP LOCKED", "2", "3"},
		{"SELECT id FROM q WHERE id IN (5, 3, 1) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "1", "3"},
		{"SELECT id FROM q WHERE id IN (5, 3, 1) AND pr < 30 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "3", "5"},
		{"SELECT id FROM q WHERE st = 0 AND nm LIKE '%b' FOR UPDATE SKIP LOCKED", "2", ""},
		{"SELECT id FROM q WHERE st = 1 FOR UPDATE SKIP LOCKED", "4\n5", ""},
		{"SELECT id FROM q WHERE pr = 20 FOR UPDATE SKIP LOCKED", "2", ""},
		{"SELECT id FROM q WHERE st = 0 LIMIT 0 FOR UPDATE SKIP LOCKED", "", ""},
		{"SELECT x.id FROM q AS x WHERE x.st = 0 ORDER BY x.pr + 0 LIMIT 1 FOR UPDATE SKIP LOCKED", "3", "2"},
		{"SELECT id FROM q WHERE id IN (SELECT k FROM r WHERE v > 1) LIMIT 1 FOR UPDATE SKIP LOCKED", "2", "3"},
		{"SELECT id FROM q WHERE EXISTS (SELECT 1 FROM r WHERE r.k = q.id AND r.v > 1) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "2", "3"},
		{"SELECT id FROM q WHERE pr = (SELECT max(v) FROM r) + 7 LIMIT 1 FOR UPDATE SKIP LOCKED", "3", ""},
		{"SELECT q.id FROM q JOIN r ON r.k = q.id WHERE r.v > 1 ORDER BY q.id LIMIT 1 FOR UPDATE OF q SKIP LOCKED", "2", "3"},
		{"SELECT q.id, r.v FROM r JOIN q ON r.k = q.id WHERE q.st = 0 ORDER BY q.pr LIMIT 1 FOR UPDATE OF q SKIP LOCKED", "3 | 3", "2 | 2"},
		{"SELECT q.id, r.v FROM q JOIN r ON r.k = q.id ORDER BY q.id LIMIT 1 FOR UPDATE SKIP LOCKED", "1 | 1", "2 | 2"},
		{"SELECT q.id, r.v FROM q LEFT JOIN r ON r.k = q.id + 2 ORDER BY q.id DESC LIMIT 1 FOR UPDATE SKIP LOCKED", "5 | NULL", "4 | NULL"},
		{"SELECT id FROM hidden WHERE st = 0 LIMIT 1 FOR UPDATE SKIP LOCKED", "1", "2"},
	}
	f := start(t)
	a, b, c := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop"), f.connect(t, "va", "shop")
	for _, s := range []string{
		"CREATE TABLE q (id INT PRIMARY KEY, st INT, pr INT, nm VARCHAR(5), KEY (pr))",
		"INSERT INTO q VALUES (1,0,30,'a'),(2,0,20,'b'),(3,0,10,'c'),(4,1,5,'d'),(5,1,25,'e')",
		"CREATE TABLE r (k INT PRIMARY KEY, v INT)", "INSERT INTO r VALUES (1,1),(2,2),(3,3)",
		"CREATE TABLE hidden (id INT, st INT)", "INSERT INTO hidden VALUES (1,0)", "INSERT INTO hidden VALUES (2,0)",
	} {
		a.exec(s)
	}
	for _, shape := range shapes {
		for _, lock := range []string{"UPDATE", "SHARE"} {
			query := strings.Replace(shape.query, "FOR UPDATE", "FOR "+lock, 1)
			a.exec("BEGIN")
			a.expect(query, shape.first)
			b.exec("BEGIN")
			if lock == "UPDATE" {
				b.expect(query, shape.second)
			} else {
				b.expect(query, shape.first)
			}
			a.expect(query, shape.first) // what is its own is not skipped
			taken := strings.Fields(shape.first + "\n" + shape.second)
			for _, id := range []string{"1", "2", "3", "4", "5"} {
				held := false
				for _, row := range strings.Split(shape.first+"\n"+shape.second, "\n") {
					held = held || strings.HasPrefix(row+" ", id+" ")
				}
				if _, err := c.try("SELECT id FROM q WHERE id = " + id + " FOR UPDATE NOWAIT"); (err != nil) != held && !strings.Contains(query, "hidden") && lock == "UPDATE" {
					t.Errorf("%s: row %s is answered: %v, and to lock it gives %v (%v)", query, id, held, err, taken)
				}
			}
			a.exec("ROLLBACK")
			b.exec("ROLLBACK")
			if f.cluster.Held() != 0 {
				t.Fatalf("%s: locks are left", query)
			}
		}
	}
}

// A query with LIMIT that would lock more than it returns is refused, and the transaction continues.
// Where a MariaDB locks all that is read, too, it is locked.
func TestSkipLockedIsRefusedWhereItWouldLockMore(t *testing.T) {
	refused := []string{
		"SELECT DISTINCT st FROM q LIMIT 1 FOR UPDATE SKIP LOCKED",
		"SELECT * FROM (SELECT id FROM q WHERE st = 0 LIMIT 1 FOR UPDATE SKIP LOCKED) AS x",
		"WITH x AS (SELECT id FROM q WHERE st = 0 ORDER BY pr LIMIT 1 FOR UPDATE SKIP LOCKED) SELECT * FROM x",
		"(SELECT id FROM q WHERE st = 0 LIMIT 1 FOR UPDATE SKIP LOCKED) UNION ALL (SELECT id FROM q WHERE id = 3 FOR UPDATE SKIP LOCKED)",
		"SELECT id FROM q WHERE id = 2 UNION SELECT id FROM q WHERE id = 3 FOR UPDATE SKIP LOCKED",
		"SELECT (SELECT id FROM q ORDER BY pr LIMIT 1 FOR UPDATE SKIP LOCKED)",
		"UPDATE q SET st = 1 WHERE id = (SELECT id FROM (SELECT id FROM q WHERE st = 0 LIMIT 1 FOR UPDATE SKIP LOCKED) AS x)",
	}
	answered := []struct{ query, answer, locked string }{
		{"SELECT st, COUNT(*) FROM q GROUP BY st ORDER BY st LIMIT 1 FOR UPDATE SKIP LOCKED", "0 | 2", "123"},
		{"SELECT COUNT(*) FROM q WHERE id < 3 LIMIT 1 FOR UPDATE SKIP LOCKED", "2", "12"},
		{"SELECT DISTINCT st FROM q WHERE id < 3 FOR UPDATE SKIP LOCKED", "0", "12"},
		{"SELECT id FROM q WHERE id IN (SELECT id FROM q WHERE id = 2 FOR UPDATE SKIP LOCKED)", "2", "2"},
		{"SELECT * FROM (SELECT id FROM q WHERE id = 2) AS x FOR UPDATE SKIP LOCKED", "2", ""},
	}
	f := start(t)
	a, c := f.connect(t, "va", "shop"), f.connect(t, "va", "shop")
	a.exec("CREATE TABLE q (id INT PRIMARY KEY, st INT, pr INT)")
	a.exec("INSERT INTO q VALUES (1,0,30),(2,0,20),(3,1,10)")
	locked := func() (out string) {
		for _, id := range []string{"1", "2", "3"} {
			if _, err := c.try("SELECT id FROM q WHERE id = " + id + " FOR UPDATE NOWAIT"); err != nil {
				out += id
			}
		}
		return out
	}
	for _, query := range refused {
		a.exec("BEGIN")
		a.fails(query, "1235")
		if got := locked(); got != "" {
			t.Errorf("%s: it is refused, and has locked %s", query, got)
		}
		a.expect("SELECT id FROM q WHERE st = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "1")
		a.exec("ROLLBACK")
	}
	for _, q := range answered {
		a.exec("BEGIN")
		a.expect(q.query, q.answer)
		if got := locked(); got != q.locked {
			t.Errorf("%s: it has locked %q, not %q", q.query, got, q.locked)
		}
		a.exec("ROLLBACK")
	}
	a.expect(refused[1], "1") // its locks end with it
	a.exec("BEGIN")
	a.exec("INSERT INTO q SELECT id + 10, st, pr FROM q WHERE st = 0 LIMIT 1 FOR UPDATE SKIP LOCKED")
	if got := locked(); got != "1" {
		t.Errorf("an insertion of one row has locked %q", got)
	}
	a.exec("ROLLBACK")
}
