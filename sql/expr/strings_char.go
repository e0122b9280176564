package expr

import (
	"slices"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// CHAR() of bytes, without USING, and REVERSE.

var char = &Function{Name: "CHAR", Min: 1, Max: -1, Type: binaryType, Nulls: true, Eval: evalChar}

func init() {
	registerNode(func(e *sqlparser.CharExpr) (node, bool) { return node{function: char, args: e.Exprs}, e.Charset == "" })
	register(&Function{Name: "REVERSE", Min: 1, Max: 1, Type: likeFirst, Eval: func(c *Call) (Value, error) {
		if c.isBinary(0) {
			out := slices.Clone(c.Raw(0))
			slices.Reverse(out)
			return c.Bytes(out), nil
		}
		out := []rune(c.Str(0))
		slices.Reverse(out)
		return c.Text(string(out)), nil
	}})
}

// charNumber is the i-th argument as CHAR takes it: a decimal is a BIGINT.
func (c *Call) charNumber(i int) uint64 {
	if sqltypes.IsDecimal(c.Args[i].Type()) {
		return uint64(c.Integer(i))
	}
	return c.Bits(i)
}

// evalChar is the bytes of the lower 32 bits of numbers, without leading zeros; NULL has none.
func evalChar(c *Call) (Value, error) {
	out := make([]byte, 0, 4*len(c.Args))
	for i := range c.Args {
		if c.IsNull(i) {
			continue
		}
		n := uint32(c.charNumber(i))
		for shift := 24; shift > 0; shift -= 8 {
			if n>>shift != 0 {
				out = append(out, byte(n>>shift))
			}
		}
		out = append(out, byte(n))
	}
	return c.Bytes(out), nil
}
