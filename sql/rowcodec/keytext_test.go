package rowcodec

import (
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// Consecutive key forms of all kinds are distinguished, and decoded where that is possible.
func TestKeyText(t *testing.T) {
	bin := types.MustCreateString(sqltypes.VarChar, 20, gms.Collation_utf8mb4_bin)
	folded := types.MustCreateString(sqltypes.VarChar, 20, gms.Collation_utf8mb4_0900_ai_ci)
	for _, c := range []struct {
		typ  gms.Type
		v    any
		want string
	}{
		{types.Int32, int32(-7), "-7"}, {types.Uint64, uint64(1 << 63), "9223372036854775808"}, {types.Int8, nil, "NULL"},
		{bin, "a\x00b Zoë 語", "'a\x00b Zoë 語'"}, {folded, "Zoë Ā 語", "?"}, {types.MustCreateBinary(sqltypes.VarBinary, 9), []byte{0, 1, 255}, "0x0001ff"},
		{types.MustCreateDecimalType(9, 2), apd.New(-12345, -2), "?"}, {types.Float64, 1.5, "?"},
		{types.Datetime, time.Date(2024, 2, 29, 1, 2, 3, 0, time.UTC), "'2024-02-29 01:02:03'"},
	} {
		key, err := AppendKey(nil, named(c.typ), c.v, 0)
		if err != nil {
			t.Fatal(err)
		}
		text, rest, ok := KeyText(append(key, "rest"...), named(c.typ), false)
		if !ok || text != c.want || string(rest) != "rest" {
			t.Errorf("%v in %s: %q, then %q, %v; want %q", c.v, c.typ, text, rest, ok, c.want)
		}
		for n := range key {
			KeyText(key[:n], named(c.typ), false) // must not panic
		}
	}
}
