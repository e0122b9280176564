package expr

import (
	"math"
	"strconv"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// ROUND and TRUNCATE: integers stay integers, decimals decimals; all else is a double.

const (
	maxScale     = 30 // of a decimal
	maxPrecision = 65
)

func init() {
	register(rounding("ROUND", 1, false), rounding("TRUNCATE", 2, true))
}

// rounding is ROUND or TRUNCATE to the given digits; a constant number of them is part of the type.
func rounding(name string, least int, cut bool) *Function {
	return &Function{
		Name: name, Numbers: true, Min: least, Max: 2, Convert: toDouble,
		Typed: func(args []Known, c *Context) Type {
			digits, known := int64(0), true
			if len(args) == 2 {
				if v := args[1].Value; v != nil && v.IsNull() {
					if t := numberType(args[0].Type); sqltypes.IsIntegral(t.Type()) {
						return roundType(t, 0, true)
					}
					return doubleType(nil, nil)
				}
				digits, known = args[1].integerOf(c)
			}
			return roundType(numberType(args[0].Type), int32(max(0, min(digits, anyScale))), known)
		},
		Eval: func(c *Call) (Value, error) { return c.round(cut) },
	}
}

func roundType(t Type, digits int32, known bool) Type {
	switch k := t.Type(); {
	case sqltypes.IsUnsigned(k):
		return unsignedType(nil, nil)
	case sqltypes.IsIntegral(k):
		return integerType(nil, nil)
	case sqltypes.IsDecimal(k):
		if !known {
			return t
		}
		digits = min(digits, maxScale)
		size := min(max(t.Size()-t.Scale()+digits+1, 1), maxPrecision)
		return evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, true, size, digits, nil)
	}
	if !known {
		return doubleType(nil, nil)
	}
	return doubleOf(digits)
}

func (c *Call) round(cut bool) (Value, error) {
	digits := int64(0)
	if len(c.Args) == 2 {
		digits = c.Integer(1)
	}
	v := c.numeric(0)
	switch t := v.Type(); {
	case sqltypes.IsFloat(c.Out.Type()):
	case sqltypes.IsIntegral(t):
		return c.roundInteger(v, digits, cut)
	case sqltypes.IsDecimal(t):
		return scaled(roundDecimal(v, digits, cut), c.Out), nil
	}
	return defined(roundDouble(c.Float(0), digits, cut)), nil
}

// roundInteger rounds to tens, hundreds and so on.
func (c *Call) roundInteger(v Value, digits int64, cut bool) (Value, error) {
	if digits >= 0 {
		return v, nil
	}
	if digits < -19 {
		return sqltypes.MakeTrusted(v.Type(), []byte("0")), nil
	}
	d, err := decimal.NewFromMySQL(v.Raw())
	if err != nil {
		return Null, nil
	}
	if cut {
		d = cutDecimal(d, int32(digits))
	} else {
		d = d.Round(int32(digits))
	}
	text := d.StringFixed(0)
	if sqltypes.IsSigned(v.Type()) {
		_, err = strconv.ParseInt(text, 10, 64)
	} else {
		_, err = strconv.ParseUint(text, 10, 64)
	}
	if err != nil {
		return Null, c.outOfRange(map[bool]string{true: "BIGINT", false: "BIGINT UNSIGNED"}[sqltypes.IsSigned(v.Type())])
	}
	return sqltypes.MakeTrusted(v.Type(), []byte(text)), nil
}

// roundDecimal rounds halves away from zero.
func roundDecimal(v Value, digits int64, cut bool) Value {
	d, err := decimal.NewFromMySQL(v.Raw())
	if err != nil {
		return Null
	}
	scale := -d.Exponent()
	if digits >= int64(scale) {
		return sqltypes.MakeTrusted(sqltypes.Decimal, d.FormatMySQL(max(scale, 0)))
	}
	digits = max(digits, -maxPrecision-1)
	if cut {
		d = cutDecimal(d, int32(digits))
	} else {
		d = d.Round(int32(digits))
	}
	if d.IsZero() {
		d = decimal.Zero
	}
	return sqltypes.MakeTrusted(sqltypes.Decimal, d.FormatMySQL(int32(max(digits, 0))))
}

// cutDecimal cuts digits off; below 0 they are those before the point.
func cutDecimal(d decimal.Decimal, digits int32) decimal.Decimal {
	if digits >= 0 {
		return d.Truncate(digits)
	}
	unit := decimal.New(1, -digits)
	quotient, _ := d.QuoRem(unit, 0)
	return quotient.Mul(unit)
}

// roundDouble rounds to the nearest, halves to even.
func roundDouble(f float64, digits int64, cut bool) float64 {
	change := math.RoundToEven
	if cut {
		change = math.Trunc
	}
	const most = 400 // no double has so many digits
	digits = max(-most, min(digits, most))
	unit := math.Pow10(int(max(digits, -digits)))
	if digits >= 0 {
		if scaled := f * unit; !math.IsInf(scaled, 0) && !math.IsNaN(scaled) {
			return change(scaled) / unit
		}
		return f
	}
	if math.IsInf(unit, 0) {
		return 0
	}
	return change(f/unit) * unit
}
