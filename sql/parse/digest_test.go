package parse

import (
	"strings"
	"testing"
)

// No literal of any form is in a digest.
func TestDigest(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SELECT v FROM t1 WHERE id = 42 AND name='bob'", "SELECT v FROM t1 WHERE id = ? AND name=?"},
		{"INSERT INTO t VALUES (1,'a''b', 2.5e-3), (2, \"x\\\"y\", -7)", "INSERT INTO t VALUES (?), (?, -?)"},
		{"SELECT `a``1` FROM t WHERE b IN (1, 2,3) -- pw secret\n LIMIT 5", "SELECT `a``1` FROM t WHERE b IN (?) LIMIT ?"},
		{"SELECT /* secret */ x'ABCD', _utf8'secret', 0x1F, b'01' # secret", "SELECT ?"},
		{"UPDATE t SET v = 'cut off sec", "UPDATE t SET v = ?"},
		{"SELECT /* cut off sec", "SELECT"},
	} {
		if got := Digest(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzDigest(f *testing.F) {
	f.Add("SELECT ", " FROM t")
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.ContainsAny(before, "'\"`#-/\\") {
			return
		}
		if got := Digest(before + "'swordfish'" + after); strings.Contains(got, "swordfish") && !strings.Contains(after, "swordfish") && !strings.Contains(before, "swordfish") {
			t.Errorf("%q lets a literal through: %q", before+"'swordfish'"+after, got)
		}
	})
}
