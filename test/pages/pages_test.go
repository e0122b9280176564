package pages

import "testing"

// Two texts differ from their first line on that is not the same, also where one is longer.
func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		line int
	}{{"a\nb\nc", "a\nx\nc", 2}, {"a\nb", "a\nb\nc", 3}, {"", "a", 1}} {
		if got := differs(c.a, c.b); got != c.line {
			t.Errorf("%q and %q: line %d, want %d", c.a, c.b, got, c.line)
		}
	}
}

func TestCell(t *testing.T) {
	if got := Cell("a |\n  b "); got != `a \| b` {
		t.Errorf("%q", got)
	}
}
