package expr

import (
	"bytes"
	"math"

	"vitess.io/vitess/go/sqltypes"
)

// String functions of lists and sets of bits.

func init() {
	register(
		&Function{Name: "FIND_IN_SET", Min: 2, Max: 2, Type: integerType, Eval: findInSet},
		&Function{Name: "FIELD", Min: 2, Max: -1, Type: integerType, Ask: field},
		&Function{Name: "ELT", Min: 2, Max: -1, Type: likeRest, Ask: elt},
		&Function{Name: "MAKE_SET", Min: 2, Max: -1, Type: likeRest, Ask: makeSet},
		&Function{Name: "EXPORT_SET", Min: 3, Max: 5, Convert: toBits, Type: likeRest, Eval: exportSet},
	)
}

// likeRest is the text type of the arguments but the first.
func likeRest(args []Type, c *Context) Type { return likeAll(args[1:], c) }

// findInSet is FIND_IN_SET: the position of a text in a list parted by commas, by the collation; 0: not in it.
func findInSet(c *Call) (Value, error) {
	needle, list := c.Raw(0), c.Raw(1)
	if bytes.IndexByte(needle, ',') >= 0 || len(list) == 0 || len(needle) > len(list) { // in bytes, as MySQL
		return Int(0), nil
	}
	collation := c.comparison(c.Types...)
	for i := int64(1); ; i++ {
		item, rest, more := bytes.Cut(list, []byte(","))
		if collation.Collate(item, needle, false) == 0 {
			return Int(i), nil
		}
		if !more {
			return Int(0), nil
		}
		list = rest
	}
}

// field is FIELD: the position of the first argument among the others; as texts if all are, as exact numbers if all are,
// else as doubles.
func field(c *Call, need func(i int) error) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Int(0), err
	}
	equal := c.fieldEqual()
	for i := 1; i < len(c.Args); i++ {
		if err := need(i); err != nil {
			return Null, err
		}
		if !c.IsNull(i) && equal(i) {
			return Int(int64(i)), nil
		}
	}
	return Int(0), nil
}

// fieldEqual compares the first argument with the i-th.
func (c *Call) fieldEqual() func(i int) bool {
	texts, exact := true, true
	for _, t := range c.Types {
		texts = texts && (isText(t.Type()) || hasNames(t) || sqltypes.IsDateOrTime(t.Type()) || sqltypes.IsNull(t.Type()))
		exact = exact && (sqltypes.IsIntegral(t.Type()) || sqltypes.IsDecimal(t.Type()))
	}
	switch {
	case texts:
		collation := c.comparison(c.Types...)
		return func(i int) bool { return equal(collation, c.Raw(0), c.Raw(i)) }
	case exact:
		first := c.Decimal(0)
		return func(i int) bool { return first.Cmp(c.Decimal(i)) == 0 }
	}
	first := c.Float(0)
	return func(i int) bool { return first == c.Float(i) }
}

// elt is ELT: the n-th of the arguments behind n, the only one that is computed.
func elt(c *Call, need func(i int) error) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Null, err
	}
	n := c.Integer(0)
	if n < 1 || n >= int64(len(c.Args)) {
		return Null, nil
	}
	if err := need(int(n)); err != nil || c.IsNull(int(n)) {
		return Null, err
	}
	return c.Bytes(c.Raw(int(n))), nil
}

// makeSet is MAKE_SET: the texts whose bits are set, joined by commas.
func makeSet(c *Call, need func(i int) error) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Null, err
	}
	var parts [][]byte
	size := 0
	bits := c.Bits(0)
	for i := 1; i < len(c.Args) && i <= 64; i++ {
		if bits>>(i-1)&1 == 0 {
			continue
		}
		if err := need(i); err != nil {
			return Null, err
		}
		if c.IsNull(i) {
			continue
		}
		parts = append(parts, c.Raw(i))
		size += len(c.Raw(i)) + 1
	}
	if c.TooLong(size) {
		return Null, nil
	}
	return c.Bytes(bytes.Join(parts, []byte(","))), nil
}

// exportSet is EXPORT_SET: a text for each bit, the lowest first.
func exportSet(c *Call) (Value, error) {
	bits, on, off := c.Bits(0), c.Raw(1), c.Raw(2)
	separator, n := []byte(","), int64(64)
	if len(c.Args) > 3 {
		separator = c.Raw(3)
	}
	if len(c.Args) > 4 {
		if given := int64(uint32(c.Integer(4))); given < n {
			n = given
		}
	}
	if n == 0 {
		return c.Text(""), nil
	}
	if longest := int64(max(len(on), len(off)))*n + int64(len(separator))*(n-1); c.TooLong(int(min(longest, math.MaxInt32))) {
		return Null, nil
	}
	parts := make([][]byte, n)
	for i := range parts {
		parts[i] = off
		if bits>>i&1 == 1 {
			parts[i] = on
		}
	}
	return c.Bytes(bytes.Join(parts, separator)), nil
}
