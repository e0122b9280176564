package rounds_test

import "testing"

// Items of rows that a limit leaves out are not computed, in whatever order the rows are wanted: CAST of a name warns.
func TestLimitsSpareItems(t *testing.T) {
	for _, tc := range []struct {
		text, rows string
		warnings   int
	}{
		{"SELECT CAST(name AS SIGNED) FROM customers", "0;0;0;0", 4},
		{"SELECT CAST(name AS SIGNED), id FROM customers ORDER BY id DESC LIMIT 1", "0,4", 1},
		{"SELECT CAST(name AS SIGNED), id FROM customers ORDER BY name DESC LIMIT 1", "0,4", 1},
		{"SELECT CAST(name AS SIGNED), id FROM customers ORDER BY city, name DESC LIMIT 2 OFFSET 1", "0,3;0,1", 2},
		{"SELECT CAST(name AS SIGNED) FROM customers ORDER BY name LIMIT 1 OFFSET 1000", "", 0},
		{"SELECT CAST(name AS SIGNED) FROM customers ORDER BY name LIMIT 0", "", 0},
		{"SELECT CAST(MAX(name) AS SIGNED), city FROM customers GROUP BY city ORDER BY city DESC LIMIT 1", "0,cork", 1},
		{"SELECT CAST(name AS SIGNED), 'a' AS o, id FROM customers ORDER BY o, name DESC LIMIT 1", "0,a,4", 1},
		{"SELECT CAST(name AS SIGNED), id FROM customers ORDER BY LENGTH(name), id LIMIT 1", "0,1", 4},
		{"SELECT DISTINCT CAST(name AS SIGNED) FROM customers ORDER BY 1 LIMIT 1", "0", 4},
	} {
		s := newShop(t)
		rows, _ := s.answer(tc.text)
		if list, _ := s.c.Warnings(); rows != tc.rows || len(list) != tc.warnings {
			t.Errorf("%s: %s and %d warnings, expected %s and %d", tc.text, rows, len(list), tc.rows, tc.warnings)
		}
	}
}
