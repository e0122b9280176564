package sql

import "testing"

func TestFoundRows(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, b INT)")
	c.exec("INSERT INTO a VALUES (1, 1), (2, 1), (3, 2), (4, 2), (5, 3)")
	for _, tc := range []struct{ query, rows, found string }{
		{"SELECT SQL_CALC_FOUND_ROWS id FROM a ORDER BY id LIMIT 2", "1\n2\n", "5"},
		{"SELECT SQL_CALC_FOUND_ROWS id FROM a WHERE id > 1 ORDER BY b DESC, id LIMIT 1, 1", "3\n", "4"},
		{"SELECT SQL_CALC_FOUND_ROWS id FROM a ORDER BY b DESC, id LIMIT 2", "5\n3\n", "5"},
		{"SELECT SQL_CALC_FOUND_ROWS DISTINCT b FROM a ORDER BY b LIMIT 1", "1\n", "3"},
		{"SELECT SQL_CALC_FOUND_ROWS b, COUNT(*) FROM a GROUP BY b ORDER BY b LIMIT 0", "", "3"},
		{"SELECT SQL_CALC_FOUND_ROWS id FROM a", "1\n2\n3\n4\n5\n", "5"},
		{"SELECT id FROM a ORDER BY id LIMIT 2", "1\n2\n", "2"},
	} {
		if tc.rows != "" || tc.found != "3" {
			c.expect(tc.query, tc.rows)
		} else {
			c.query(tc.query)
		}
		c.expect("SELECT FOUND_ROWS()", tc.found)
	}
}
