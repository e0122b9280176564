package coltype

import (
	"fmt"
	"testing"

	"vitess.io/vitess/go/sqltypes"
)

func TestMembers(t *testing.T) {
	typ := Type{Kind: KindSet, Members: []string{"a", "", "c"}}
	for set, want := range map[uint64]string{0: " true", 1: "a true", 2: " true", 5: "a,c true", 6: ",c true", 7: "a,,c true", 8: " false"} {
		text, ok := typ.SetText(set)
		if got := fmt.Sprint(text, " ", ok); got != want {
			t.Errorf("%b: %q, want %q", set, got, want)
		}
	}
	for n, want := range map[uint64]string{0: " true", 1: "a true", 3: "c true", 4: " false"} {
		text, ok := typ.Member(n)
		if got := fmt.Sprint(text, " ", ok); got != want {
			t.Errorf("member %d: %q, want %q", n, got, want)
		}
	}
}

// The ends of a type's range are values of its Go type.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		typ         Type
		least, most string
	}{
		{Type{Kind: KindInt, SQL: sqltypes.Int8}, "int8 -128", "int8 127"},
		{Type{Kind: KindInt, SQL: sqltypes.Int16}, "int16 -32768", "int16 32767"},
		{Type{Kind: KindInt, SQL: sqltypes.Int24}, "int32 -8388608", "int32 8388607"},
		{Type{Kind: KindInt, SQL: sqltypes.Int32}, "int32 -2147483648", "int32 2147483647"},
		{Type{Kind: KindInt, SQL: sqltypes.Int64}, "int64 -9223372036854775808", "int64 9223372036854775807"},
		{Type{Kind: KindUint, SQL: sqltypes.Uint8}, "uint8 0", "uint8 255"},
		{Type{Kind: KindUint, SQL: sqltypes.Uint16}, "uint16 0", "uint16 65535"},
		{Type{Kind: KindUint, SQL: sqltypes.Uint24}, "uint32 0", "uint32 16777215"},
		{Type{Kind: KindUint, SQL: sqltypes.Uint32}, "uint32 0", "uint32 4294967295"},
		{Type{Kind: KindUint, SQL: sqltypes.Uint64}, "uint64 0", "uint64 18446744073709551615"},
		{Type{Kind: KindBit, SQL: sqltypes.Bit, Bits: 9}, "uint64 0", "uint64 511"},
		{Type{Kind: KindBit, SQL: sqltypes.Bit, Bits: 64}, "uint64 0", "uint64 18446744073709551615"},
	} {
		least, most := c.typ.Limits()
		low, high := any(nil), any(nil)
		if c.typ.Kind == KindInt {
			low, high = c.typ.Int(least), c.typ.Int(int64(most))
		} else {
			low, high = c.typ.Uint(uint64(least)), c.typ.Uint(most)
		}
		if got := fmt.Sprintf("%T %v", low, low); got != c.least {
			t.Errorf("least: %s, want %s", got, c.least)
		}
		if got := fmt.Sprintf("%T %v", high, high); got != c.most {
			t.Errorf("most: %s, want %s", got, c.most)
		}
	}
}
