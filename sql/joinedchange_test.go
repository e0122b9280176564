package sql

import "testing"

// A row that is matched twice is changed once, and the rows that it matches are all found.
func TestChangesOfJoinedTables(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	fill := func() {
		c.exec("DROP TABLE IF EXISTS r, q")
		c.exec("CREATE TABLE r (id INT PRIMARY KEY, n INT)")
		c.exec("CREATE TABLE q (id INT PRIMARY KEY, rid INT, v INT)")
		c.exec("INSERT INTO r VALUES (1, 10), (2, 20), (3, 30)")
		c.exec("INSERT INTO q VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, 9, 4)")
	}
	for _, x := range []struct {
		text    string
		changed int64
		r, q    string
	}{
		{"UPDATE r JOIN q ON q.rid = r.id SET r.n = r.n + 1", 2, "1 | 11\n2 | 21\n3 | 30", "1\n2\n3\n4"},
		{"UPDATE q JOIN r ON q.rid = r.id SET r.n = r.n + 1", 2, "1 | 11\n2 | 21\n3 | 30", "1\n2\n3\n4"},
		{"DELETE r, q FROM r JOIN q ON q.rid = r.id", 5, "3 | 30", "4"},
		{"DELETE q, r FROM q JOIN r ON q.rid = r.id", 5, "3 | 30", "4"},
		{"DELETE r FROM r JOIN q ON q.rid = r.id", 2, "3 | 30", "1\n2\n3\n4"},
		{"DELETE a FROM r a JOIN q b ON b.rid = a.id", 2, "3 | 30", "1\n2\n3\n4"},
		{"DELETE r, q FROM q LEFT JOIN r ON q.rid = r.id", 6, "3 | 30", ""},
		{"DELETE q FROM q LEFT JOIN r ON q.rid = r.id WHERE r.id IS NULL", 1, "1 | 10\n2 | 20\n3 | 30", "1\n2\n3"},
	} {
		fill()
		if n, _ := c.exec(x.text).RowsAffected(); n != x.changed {
			t.Errorf("%s: %d rows, want %d", x.text, n, x.changed)
		}
		c.expect("SELECT id, n FROM r ORDER BY id", x.r)
		c.expect("SELECT id FROM q ORDER BY id", x.q)
	}
}
