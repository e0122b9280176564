package exec

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// textOrder is the order of a collation.
type textOrder struct {
	weights func(dst, src []byte) []byte // nil: the bytes themselves
	space   []byte                       // the weight of a space, where spaces at the end do not count; else nil
}

// orderOf is the order of a collation. PAD SPACE are all but the binary one and those of Unicode 9.
func orderOf(id collations.ID) textOrder {
	c := colldata.Lookup(id)
	if c == nil || id == collations.CollationBinaryID {
		return textOrder{}
	}
	var o textOrder
	if !c.IsBinary() {
		o.weights = weightsOf(c)
	}
	if !strings.Contains(c.Name(), "_0900_") {
		o.space = []byte(" ")
		if o.weights != nil {
			o.space = o.weights(nil, o.space)
		}
		if len(o.space) == 0 {
			o.space = nil // spaces count nowhere
		}
	}
	return o
}

// weightsOf appends the weights of a text in a collation. Those of ASCII in the default collation are looked up: each of its
// characters has one weight or none, whatever stands beside it.
func weightsOf(c colldata.Collation) func(dst, src []byte) []byte {
	all := func(dst, src []byte) []byte { return c.WeightString(dst, src, 0) }
	if c.Name() != "utf8mb4_0900_ai_ci" {
		return all
	}
	ascii := asciiWeights()
	return func(dst, src []byte) []byte {
		from := len(dst)
		dst = slices.Grow(dst, 2*len(src))
		for _, ch := range src {
			if ch >= utf8.RuneSelf {
				return all(dst[:from], src)
			}
			if w := ascii[ch]; w != 0 {
				dst = append(dst, byte(w>>8), byte(w))
			}
		}
		return dst
	}
}

// asciiWeights are the weights of ASCII's characters in the default collation; 0: none.
var asciiWeights = sync.OnceValue(func() (out [utf8.RuneSelf]uint16) {
	c := colldata.Lookup(collations.CollationUtf8mb4ID)
	for ch := range out {
		if w := c.WeightString(nil, []byte{byte(ch)}, 0); len(w) == 2 {
			out[ch] = binary.BigEndian.Uint16(w)
		} else if len(w) > 0 {
			panic("exec: a character of ASCII has several weights in the default collation")
		}
	}
	return out
})

func encodeText(e *encoder, c *column, dst []byte, v expr.Value) []byte {
	text := v.Raw()
	if c.text.weights != nil {
		e.scratch = c.text.weights(e.scratch[:0], text)
		text = e.scratch
	}
	if c.text.space == nil {
		return appendEscaped(dst, text)
	}
	return appendPadded(dst, text, c.text.space)
}

// What follows a run of spaces in a padded key, compared with spaces without end.
const (
	padLess = iota
	padEnd
	padGreater
)

// appendPadded appends weights so that they compare as if both texts went on with spaces. Behind each space stands how
// what follows the run of spaces compares with spaces; the end is one more space.
func appendPadded(dst, weights, space []byte) []byte {
	n := len(space)
	for len(weights) >= n && bytes.Equal(weights[len(weights)-n:], space) && aligned(weights, n) {
		weights = weights[:len(weights)-n]
	}
	for i := 0; i < len(weights); {
		unit := weights[i:min(i+n, len(weights))]
		i += len(unit)
		dst = append(dst, unit...)
		if bytes.Equal(unit, space) {
			dst = append(dst, afterSpaces(weights[i:], space))
		}
	}
	dst = append(dst, space...)
	return append(dst, padEnd)
}

// aligned reports whether weights consist of whole units.
func aligned(weights []byte, unit int) bool { return len(weights)%unit == 0 }

// afterSpaces compares what follows a run of spaces with a space. There is something: spaces at the end have been cut off.
func afterSpaces(weights, space []byte) byte {
	n := len(space)
	for len(weights) >= n && bytes.Equal(weights[:n], space) {
		weights = weights[n:]
	}
	if bytes.Compare(weights[:min(n, len(weights))], space) < 0 {
		return padLess
	}
	return padGreater
}

// ordinals are the values of an ENUM with their indexes from 1, or those of a SET with their bits.
func ordinals(t expr.Type) map[string]uint64 {
	out := map[string]uint64{}
	for i, text := range *t.Values() {
		if plain, err := sqltypes.DecodeStringSQL(text); err == nil {
			text = plain
		}
		n := uint64(i + 1)
		if t.Type() == sqltypes.Set {
			n = 1 << i
		}
		if _, twice := out[text]; !twice {
			out[text] = n
		}
	}
	return out
}

// ordinalOf is the number of an ENUM or SET.
func ordinalOf(of map[string]uint64, v expr.Value) (n uint64) {
	if sqltypes.IsIntegral(v.Type()) {
		n, _ = v.ToUint64()
		return n
	}
	text := v.Raw()
	if n, ok := of[string(text)]; ok {
		return n
	}
	for len(text) > 0 && v.Type() == sqltypes.Set {
		var one []byte
		one, text, _ = bytes.Cut(text, []byte(","))
		n |= of[string(one)]
	}
	return n
}

// cutText is the longest beginning of a text of at most so many bytes that ends with a whole character.
func cutText(text []byte, most int) []byte {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
