package exec

import (
	"bytes"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// bytesMax is the longest argument of a bit function over byte strings.
const bytesMax = 511

// startBits starts BIT_AND, BIT_OR and BIT_XOR: over unsigned integers of 64 bits, or over byte strings of one length.
func (f *folding) startBits() func(*account) accumulator {
	if f.overBytes() {
		return func(a *account) accumulator { return &byteBits{folding: f, account: a} }
	}
	n := newNumbers(f.context, f.Types[0])
	var neutral uint64
	if f.Kind == BitAnd {
		neutral = 1<<64 - 1
	}
	var p pool[integerBits]
	return func(*account) accumulator { return p.take(integerBits{folding: f, numbers: n, bits: neutral}) }
}

// integerBits is a bit function over integers.
type integerBits struct {
	*folding
	numbers *numbers
	bits    uint64
}

func (b *integerBits) add(row []expr.Value) error {
	v := row[b.Args[0]]
	if v.IsNull() {
		return nil
	}
	switch n := b.numbers.integer(v); b.Kind {
	case BitAnd:
		b.bits &= n
	case BitOr:
		b.bits |= n
	default:
		b.bits ^= n
	}
	return nil
}

func (b *integerBits) result() (expr.Value, error) { return expr.Uint(b.bits), nil }

// byteBits is a bit function over byte strings.
type byteBits struct {
	*folding
	account *account
	bits    []byte // nil: no value yet
}

func (b *byteBits) add(row []expr.Value) error {
	v := row[b.Args[0]]
	if v.IsNull() {
		return nil
	}
	if v.Len() > bytesMax {
		return expr.NewError(3514, "HY000", "Aggregate bitwise functions cannot accept arguments longer than 511 bytes; consider using the SUBSTRING() function")
	}
	if b.bits == nil {
		b.bits = append(make([]byte, 0, v.Len()), v.Raw()...)
		return b.account.add(int64(v.Len()))
	}
	if v.Len() != len(b.bits) {
		return expr.NewError(3513, "HY000", "Binary operands of bitwise operators must be of equal length")
	}
	for i, ch := range v.Raw() {
		switch b.Kind {
		case BitAnd:
			b.bits[i] &= ch
		case BitOr:
			b.bits[i] |= ch
		default:
			b.bits[i] ^= ch
		}
	}
	return nil
}

func (b *byteBits) result() (expr.Value, error) {
	bits := b.bits
	if bits == nil {
		var fill byte
		if b.Kind == BitAnd {
			fill = 0xFF
		}
		bits = bytes.Repeat([]byte{fill}, min(int(max(b.Types[0].Size(), 0)), bytesMax))
	}
	return sqltypes.MakeTrusted(sqltypes.VarBinary, bits), nil
}
