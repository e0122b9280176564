package rowcodec

import (
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"

	"isochron/sql/coltype"
)

// Consecutive key forms of all kinds are distinguished, and decoded where that is possible.
func TestKeyText(t *testing.T) {
	bin := text(bytewise)
	folded := text(accentlessCI)
	for _, c := range []struct {
		typ  *coltype.Type
		v    any
		want string
	}{
		{typed("int"), int32(-7), "-7"}, {typed("bigint unsigned"), uint64(1 << 63), "9223372036854775808"}, {typed("tinyint"), nil, "NULL"},
		{bin, "a\x00b Zoë 語", "'a\x00b Zoë 語'"}, {folded, "Zoë Ā 語", "?"}, {typed("varbinary(9)"), []byte{0, 1, 255}, "0x0001ff"},
		{typed("decimal(9,2)"), apd.New(-12345, -2), "?"}, {typed("double"), 1.5, "?"},
		{typed("datetime"), time.Date(2024, 2, 29, 1, 2, 3, 0, time.UTC), "'2024-02-29 01:02:03'"},
	} {
		key, err := AppendKey(nil, c.typ, c.v, 0)
		if err != nil {
			t.Fatal(err)
		}
		text, rest, ok := KeyText(append(key, "rest"...), c.typ, false)
		if !ok || text != c.want || string(rest) != "rest" {
			t.Errorf("%v in %s: %q, then %q, %v; want %q", c.v, c.typ, text, rest, ok, c.want)
		}
		for n := range key {
			KeyText(key[:n], c.typ, false) // must not panic
		}
	}
}
