package expr

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/format"
	"vitess.io/vitess/go/sqltypes"
)

// anyScale is the scale of a double with no fixed number of decimals.
const anyScale = 31

// floatDigits is how many digits of a float of 32 bits are shown.
const floatDigits = 6

// Display is a value as a client is sent it: a double whose type has a number of decimals is rounded to them, a float of
// 32 bits has six digits. Expressions compute with the full value.
func Display(v Value, t Type) Value {
	fixed := t.Scale() > 0 && t.Scale() < anyScale
	if !sqltypes.IsFloat(v.Type()) || !fixed && v.Type() != sqltypes.Float32 {
		return v
	}
	f, err := strconv.ParseFloat(v.ToString(), 64)
	if err != nil {
		return v
	}
	if !fixed {
		short, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', floatDigits, 64), 64)
		return sqltypes.MakeTrusted(v.Type(), format.FormatFloat(short))
	}
	return sqltypes.MakeTrusted(v.Type(), []byte(fixedDouble(f, int(t.Scale()))))
}

// scaled is a value of the engine with the decimals of its type: it leaves out the zeros that another branch would have.
func scaled(v Value, t Type) Value {
	scale := int(t.Scale())
	if !sqltypes.IsDecimal(t.Type()) || scale == 0 || !sqltypes.IsDecimal(v.Type()) && !sqltypes.IsIntegral(v.Type()) {
		return v
	}
	_, fraction, found := strings.Cut(v.ToString(), ".")
	if scale <= len(fraction) {
		return v
	}
	text := v.ToString()
	if !found {
		text += "."
	}
	return sqltypes.MakeTrusted(sqltypes.Decimal, []byte(text+strings.Repeat("0", scale-len(fraction))))
}
