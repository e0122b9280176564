package expr

// ASCII and ORD, which are of the bytes of a BIT, not of the digits of its number.

func init() {
	register(
		&Function{Name: "ASCII", Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) {
			if b := c.Native(0); len(b) > 0 {
				return Int(int64(b[0])), nil
			}
			return Int(0), nil
		}},
		&Function{Name: "ORD", Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) {
			b, n := c.Native(0), int64(0)
			for _, one := range b[:c.measure(0).offset(b, 1)] {
				n = n<<8 | int64(one)
			}
			return Int(n), nil
		}},
	)
}
