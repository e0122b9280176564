package expr

import (
	"strconv"

	"vitess.io/vitess/go/sqltypes"
)

// anyScale is the scale of a double with no fixed number of decimals.
const anyScale = 31

// Display is a value as a client is sent it: a double whose type has a number of decimals is rounded to them. Expressions
// compute with the full value.
func Display(v Value, t Type) Value {
	if !sqltypes.IsFloat(v.Type()) || t.Scale() <= 0 || t.Scale() >= anyScale {
		return v
	}
	f, err := strconv.ParseFloat(v.ToString(), 64)
	if err != nil {
		return v
	}
	return sqltypes.MakeTrusted(v.Type(), []byte(fixedDouble(f, int(t.Scale()))))
}
