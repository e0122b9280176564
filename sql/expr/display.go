package expr

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/mysql/format"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// anyScale is the scale of a double with no fixed number of decimals.
const anyScale = 31

// floatDigits is how many digits of a float of 32 bits are shown.
const floatDigits = 6

// Display is a value as a client is sent it: a double whose type has a number of decimals is rounded to them, a float of
// 32 bits has six digits. Expressions compute with the full value.
func Display(v Value, t Type) Value {
	if !sqltypes.IsFloat(v.Type()) {
		return v
	}
	digits := Decimals(t)
	if digits == anyScale && v.Type() != sqltypes.Float32 {
		return plainDouble(v)
	}
	f, err := strconv.ParseFloat(v.ToString(), 64)
	if err != nil {
		return v
	}
	if digits == anyScale {
		short, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', floatDigits, 64), 64)
		return sqltypes.MakeTrusted(v.Type(), format.FormatFloat(short))
	}
	return sqltypes.MakeTrusted(v.Type(), []byte(fixedDouble(f, int(digits))))
}

// Text is a value where it becomes a text: a float of 32 bits has six digits, and 0 no sign.
func Text(v Value) Value {
	switch {
	case v.Type() == sqltypes.Float32:
		return Display(v, shortFloat)
	case v.Type() == sqltypes.Float64 && v.ToString() == "-0":
		return Double(0)
	}
	return v
}

var shortFloat = evalengine.NewTypeEx(sqltypes.Float32, collations.CollationBinaryID, true, 0, anyScale, nil)

// Exact is Display for a client that reads numbers as bits: a float of 32 bits without a number of decimals is sent whole.
func Exact(v Value, t Type) Value {
	if v.Type() == sqltypes.Float32 && Decimals(t) == anyScale {
		return v
	}
	return Display(v, t)
}

// plainDouble is a double without an exponent if it has digits behind the point.
func plainDouble(v Value) Value {
	digits, ok := strings.CutSuffix(v.ToString(), "e15")
	if digits = strings.TrimPrefix(digits, "-"); !ok || len(digits) < len("1.1234567890123456") {
		return v
	}
	f, err := strconv.ParseFloat(v.ToString(), 64)
	if err != nil {
		return v
	}
	return sqltypes.MakeTrusted(v.Type(), strconv.AppendFloat(nil, f, 'f', -1, 64))
}

// scaled is a value of the engine with the decimals of its type: it leaves out the zeros that another branch would have.
func scaled(v Value, t Type) Value {
	if t.Type() == sqltypes.Float32 && v.Type() == sqltypes.Float64 {
		return sqltypes.MakeTrusted(sqltypes.Float32, v.Raw())
	}
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

// rounded is a decimal with no more decimals than its type has.
func rounded(v Value, t Type) Value {
	scale := int(t.Scale())
	if !sqltypes.IsDecimal(v.Type()) || !sqltypes.IsDecimal(t.Type()) || scale == 0 {
		return v
	}
	if _, fraction, _ := strings.Cut(v.ToString(), "."); len(fraction) <= scale {
		return v
	}
	d, err := decimal.NewFromMySQL(v.Raw())
	if err != nil {
		return v
	}
	return sqltypes.MakeTrusted(v.Type(), d.Round(int32(scale)).FormatMySQL(int32(scale)))
}
