package expr

import (
	"fmt"
	"math"
	"net/netip"

	"vitess.io/vitess/go/mysql/collations"
)

// INET_NTOA, and addresses of IPv6 that have one of IPv4 in them.

func init() {
	register(
		embedded("IS_IPV4_COMPAT", func(b []byte) bool {
			return zeros(b[:12]) && !(zeros(b[12:15]) && b[15] <= 1)
		}),
		&Function{Name: "INET_NTOA", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) {
			n := c.Integer(0)
			if n < 0 || n > math.MaxUint32 {
				return Null, nil
			}
			return c.Text(fmt.Sprintf("%d.%d.%d.%d", n>>24, n>>16&255, n>>8&255, n&255)), nil
		}},
		&Function{Name: "INET6_NTOA", Min: 1, Max: 1, Type: textType, Ask: func(c *Call, need func(i int) error) (Value, error) {
			t := c.Types[0]
			if !isText(t.Type()) && !c.Number[0] {
				return Null, nil // no address, and not computed
			}
			if err := need(0); err != nil || c.IsNull(0) || t.Collation() != collations.CollationBinaryID {
				return Null, err
			}
			return c.address(c.Raw(0)), nil
		}},
		embedded("IS_IPV4_MAPPED", func(b []byte) bool { return zeros(b[:10]) && b[10] == 0xff && b[11] == 0xff }),
	)
}

// addressBytes is the length of an address of IPv6.
const addressBytes = 16

func embedded(name string, is func([]byte) bool) *Function {
	return &Function{Name: name, Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) {
		b := c.Raw(0)
		if len(b) != addressBytes || !c.isBinary(0) {
			c.Warn(1292, fmt.Sprintf("Incorrect inet6 value: '%s'", shorten(c.Str(0))))
			return Bool(false), nil
		}
		return Bool(is(b)), nil
	}}
}

// address writes an address of 4 or 16 bytes; one with only its last 32 bits is written as that of IPv4 behind colons.
func (c *Call) address(b []byte) Value {
	ip, ok := netip.AddrFromSlice(b)
	if !ok {
		return Null
	}
	if len(b) == addressBytes && zeros(b[:12]) && !zeros(b[12:14]) {
		short, _ := netip.AddrFromSlice(b[12:])
		return c.Text("::" + short.String())
	}
	return c.Text(ip.String())
}

func zeros(b []byte) bool {
	for _, n := range b {
		if n != 0 {
			return false
		}
	}
	return true
}
