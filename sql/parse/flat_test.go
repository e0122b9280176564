package parse

import (
	"strings"
	"testing"
)

func TestFlat(t *testing.T) {
	list := func(item string, n int) string {
		return "SELECT * FROM t WHERE id IN (" + strings.TrimSuffix(strings.Repeat(item+", ", n), ", ") + ")"
	}
	for _, c := range []struct {
		text string
		want bool
	}{
		{list("123456", 20_000), true},
		{list("-1.5", 20_000), true},
		{list("'it''s (a) \\' text'", 20_000), true},
		{list("(1, 'x')", 20_000), true},
		{list("x'00'", 20_000), false},
		{list("123456", 200_000), false},
		{"SELECT 1" + strings.Repeat("+1", 20_000), false},
		{"SELECT 1" + strings.Repeat("-1", 20_000), false},
		{"SELECT * FROM t WHERE a = 1" + strings.Repeat(" OR a = 1", 10_000), false},
		{"SELECT " + strings.Repeat("(", 101) + "1" + strings.Repeat(")", 101), false},
	} {
		if got := Flat(c.text); got != c.want {
			t.Errorf("%.60s... of %d bytes: %v", c.text, len(c.text), got)
		}
	}
}
