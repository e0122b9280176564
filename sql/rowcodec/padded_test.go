package rowcodec

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"strings"
	"testing"

	"isochron/sql/coltype"
)

var padding = []uint16{generalCI, bytewise, swedishCI}

func paddedKey(t *testing.T, typ *coltype.Type, v any, prefixLength int) []byte {
	t.Helper()
	k, err := AppendPaddedKey(nil, typ, v, prefixLength)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// spaced makes short texts of spaces and of characters before and behind them.
func spaced(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteRune([]rune("  aAbé\t\x00\x1f!~ÿ")[r.IntN(12)])
	}
	return b.String()
}

// comparePadded compares two texts that go on with spaces.
func comparePadded(a, b string, weight func(rune) int32) int {
	x, y := []rune(a), []rune(b)
	for i := range max(len(x), len(y)) {
		p, q := ' ', ' '
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		if c := cmp.Compare(weight(p), weight(q)); c != 0 {
			return c
		}
	}
	return 0
}

// Padded keys sort as texts that go on with spaces, and none begins another.
func TestPaddedKeysCompareAsPaddedTexts(t *testing.T) {
	for _, collation := range padding {
		typ := text(collation)
		weight := typ.Collation.Weight
		if weight == nil {
			weight = func(r rune) int32 { return r } // by code points
		}
		r, equal := rand.New(rand.NewPCG(3, 9)), 0
		for range 20_000 {
			a, b := spaced(r), spaced(r)
			x, y := paddedKey(t, typ, a, 0), paddedKey(t, typ, b, 0)
			want := comparePadded(a, b, weight)
			if got := bytes.Compare(x, y); got != want {
				t.Fatalf("%d: %q and %q compare as %d, their keys %x and %x as %d", collation, a, b, want, x, y, got)
			}
			if want == 0 {
				equal++
			} else if bytes.HasPrefix(y, x) || bytes.HasPrefix(x, y) {
				t.Fatalf("%d: of the keys %x of %q and %x of %q one begins the other", collation, x, a, y, b)
			}
			n := 1 + r.IntN(4)
			first, _ := strings.CutSuffix(string([]rune(a + "      ")[:n]), "")
			if got := paddedKey(t, typ, a, n); !bytes.Equal(got, paddedKey(t, typ, first, 0)) {
				t.Fatalf("%d: the first %d characters of %q have the key %x", collation, n, a, got)
			}
			begins := AppendBeginning(nil, typ, strings.TrimRight(a, " "), 0, true)
			if whole := strings.TrimRight(a, " ") + b; !bytes.HasPrefix(paddedKey(t, typ, whole, 0), begins) && strings.TrimRight(a, " ") != "" {
				t.Fatalf("%d: the key of %q does not begin with %x of %q", collation, whole, begins, a)
			}
		}
		if equal < 100 {
			t.Errorf("only %d pairs were equal", equal)
		}
	}
}

// Values without a collation that pads have the same keys, padded or not.
func TestOnlyTextsArePadded(t *testing.T) {
	for _, c := range []struct {
		typ  *coltype.Type
		v    any
		pads bool
	}{
		{text(accentlessCI), "a ", false}, {text(codePoints), "a ", false},
		{typed("varbinary(9)"), []byte("a "), false}, {typed("int"), int32(32), false}, {typed("json"), nil, false},
		{text(bytewise), nil, true}, {text(generalCI), "a ", true},
	} {
		if got := Pads(c.typ); got != c.pads {
			t.Errorf("%s pads: %v", c.typ, got)
		}
		if a, b := key(t, c.typ, c.v), paddedKey(t, c.typ, c.v, 0); bytes.Equal(a, b) != (!c.pads || c.v == nil) {
			t.Errorf("%v in %s: %x, padded %x", c.v, c.typ, a, b)
		}
	}
}

func TestKeyTextOfPaddedKeys(t *testing.T) {
	typ := text(bytewise)
	for v, want := range map[string]string{"": "''", "a ": "'a'", " a  b\t ": "' a  b\t'", "語 \x01": "'語 \x01'"} {
		form := paddedKey(t, typ, v, 0)
		got, rest, ok := KeyText(append(form, "rest"...), typ, true)
		if !ok || got != want || string(rest) != "rest" {
			t.Errorf("%q: %q, then %q, %v; want %q", v, got, rest, ok, want)
		}
		for n := range form {
			KeyText(form[:n], typ, true) // must not panic
		}
	}
}

// A long run of spaces is looked through once.
func TestLongRunsOfSpaces(t *testing.T) {
	typ := collated("longtext", bytewise)
	long := strings.Repeat(" ", 1<<20) + "a"
	if n := len(paddedKey(t, typ, long, 0)); n < 2<<20 {
		t.Errorf("the key has %d bytes", n)
	}
}
