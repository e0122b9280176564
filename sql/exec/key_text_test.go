package exec

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"
)

// The weights of ASCII that are looked up are the collation's, and so are those of other texts.
func TestWeightsOfASCII(t *testing.T) {
	c := colldata.Lookup(collations.CollationUtf8mb4ID)
	weights := weightsOf(c)
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		text := make([]byte, random.IntN(20))
		for i := range text {
			text[i] = byte(random.IntN(utf8.RuneSelf))
		}
		if random.IntN(4) == 0 {
			text = append(text, "ä\U0001F600"[:random.IntN(6)]...)
			text = append(text, 'x')
		}
		if got, want := weights([]byte("before"), text), c.WeightString([]byte("before"), text, 0); !bytes.Equal(got, want) {
			t.Fatalf("%q: %x, want %x", text, got, want)
		}
	}
}
