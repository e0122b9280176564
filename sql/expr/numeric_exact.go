package expr

import (
	"math"
	"strconv"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// ABS, CEILING, FLOOR, SIGN and the remainder: exact of exact numbers, else doubles.

var remainder = &Function{Name: "%", Numbers: true, Convert: toDouble, Min: 2, Max: 2, Type: remainderType, Eval: evalRemainder}

func init() {
	ceiling := &Function{Name: "CEILING", Numbers: true, Min: 1, Max: 1, Type: wholeType, Eval: func(c *Call) (Value, error) { return c.toWhole(decimal.Decimal.Ceil, math.Ceil), nil }}
	register(
		&Function{Name: "ABS", Numbers: true, Min: 1, Max: 1, Type: absType, Eval: absolute},
		&Function{Name: "SIGN", Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) {
			if c.exactNumber(0) {
				return Int(int64(c.Decimal(0).Sign())), nil
			}
			f := c.Float(0)
			return Int(int64(b2i(f > 0) - b2i(f < 0))), nil
		}},
		&Function{Name: "FLOOR", Numbers: true, Min: 1, Max: 1, Type: wholeType, Eval: func(c *Call) (Value, error) { return c.toWhole(decimal.Decimal.Floor, math.Floor), nil }},
		ceiling, alias("CEIL", ceiling), alias("MOD", remainder),
	)
	registerNode(func(e *sqlparser.BinaryExpr) (node, bool) {
		return node{function: intDivision, args: []sqlparser.Expr{e.Left, e.Right}}, e.Operator == sqlparser.IntDivOp
	})
	registerNode(func(e *sqlparser.BinaryExpr) (node, bool) {
		return node{function: remainder, args: []sqlparser.Expr{e.Left, e.Right}}, e.Operator == sqlparser.ModOp
	})
}

// intDivision is DIV: the whole part of a quotient of decimals. The divisor is computed if the dividend is not NULL.
var intDivision = &Function{Name: "DIV", Numbers: true, Min: 2, Max: 2, Type: func(args []Type, _ *Context) Type {
	for _, a := range args {
		if t := numberType(a); sqltypes.IsUnsigned(t.Type()) {
			return unsignedType(nil, nil)
		}
	}
	return integerType(nil, nil)
}, Ask: func(c *Call, need func(i int) error) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Null, err
	}
	a, over := c.castable(0)
	if err := need(1); err != nil || c.IsNull(1) {
		return Null, err
	}
	b, beyond := c.castable(1)
	if b.IsZero() {
		return c.dividedByZero()
	}
	kind, text := "BIGINT", ""
	switch {
	case beyond:
		text = "0"
	case !over:
		q, _ := a.QuoRem(b, 0)
		text = q.StringFixed(0)
	}
	if text == "-0" {
		text = "0"
	}
	var err error
	if sqltypes.IsUnsigned(c.Out.Type()) {
		kind = "BIGINT UNSIGNED"
		_, err = strconv.ParseUint(text, 10, 64)
	} else {
		_, err = strconv.ParseInt(text, 10, 64)
	}
	if err != nil {
		return Null, newError(1690, "22003", "%s value is out of range in '(%s DIV %s)'", kind, shorten(c.Str(0)), shorten(c.Str(1)))
	}
	return sqltypes.MakeTrusted(c.Out.Type(), []byte(text)), nil
}}

// castable is the i-th argument as a decimal; over: none has so many digits.
func (c *Call) castable(i int) (d decimal.Decimal, over bool) {
	v := c.numeric(i)
	if v.Type() == sqltypes.TypeJSON {
		v = c.jsonNumber("DECIMAL", v)
	}
	switch t := v.Type(); {
	case isText(t):
		return c.textDecimal(v.ToString())
	case sqltypes.IsFloat(t):
		return parseDecimal(v.ToString())
	}
	d, _ = decimal.NewFromMySQL(v.Raw())
	return d, false
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// exactNumber reports whether the i-th argument is a number without a rounding error.
func (c *Call) exactNumber(i int) bool {
	t := c.numeric(i).Type()
	return sqltypes.IsIntegral(t) || sqltypes.IsDecimal(t)
}

// doubleOf is a double that a client is sent with a number of decimals; anyScale: with those that it has.
func doubleOf(decimals int32) Type {
	return evalengine.NewTypeEx(sqltypes.Float64, collations.CollationBinaryID, true, 0, decimals, nil)
}

// Decimals are those that a client is sent of a value of a type; anyScale: as many as the value has.
func Decimals(t Type) int32 {
	switch k := t.Type(); {
	case sqltypes.IsDecimal(k) || k == sqltypes.Datetime || k == sqltypes.Timestamp || k == sqltypes.Time:
		return t.Scale()
	case sqltypes.IsIntegral(k) || sqltypes.IsNull(k) || k == sqltypes.Date || k == sqltypes.Bit:
		return 0
	case sqltypes.IsFloat(k):
		return t.Scale()
	}
	return anyScale
}

// numberType is the type of an argument as a number: dates and times are exact, texts doubles.
func numberType(t Type) Type {
	switch k := t.Type(); {
	case k == sqltypes.Bit || k == sqltypes.HexNum || k == sqltypes.HexVal || k == sqltypes.BitNum:
		return unsignedType(nil, nil)
	case sqltypes.IsIntegral(k) || sqltypes.IsDecimal(k):
		return t
	case k == sqltypes.Date || (k == sqltypes.Datetime || k == sqltypes.Timestamp || k == sqltypes.Time) && t.Size() == 0:
		return integerType(nil, nil)
	case k == sqltypes.Datetime || k == sqltypes.Timestamp || k == sqltypes.Time:
		return evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, true, 14+t.Size(), t.Size(), nil)
	}
	return doubleOf(Decimals(t))
}

// absType is the type of ABS.
func absType(args []Type, _ *Context) Type {
	t := numberType(args[0])
	t.SetNullability(true)
	if sqltypes.IsSigned(t.Type()) {
		return integerType(nil, nil)
	}
	return t
}

func absolute(c *Call) (Value, error) {
	if !c.exactNumber(0) || sqltypes.IsFloat(c.Out.Type()) {
		return Double(math.Abs(c.Float(0))), nil
	}
	v := c.numeric(0)
	if sqltypes.IsUnsigned(v.Type()) {
		return v, nil
	}
	if sqltypes.IsSigned(v.Type()) {
		n, err := v.ToInt64()
		if err != nil || n == math.MinInt64 {
			return Null, c.outOfRange("BIGINT")
		}
		return Int(max(n, -n)), nil
	}
	d := c.Decimal(0)
	return sqltypes.MakeTrusted(sqltypes.Decimal, d.Abs().FormatMySQL(max(-d.Exponent(), c.Out.Scale()))), nil
}

// wholeType is the type of CEILING and FLOOR: a decimal that may have more than 64 bits stays one.
func wholeType(args []Type, _ *Context) Type {
	t := numberType(args[0])
	switch k := t.Type(); {
	case sqltypes.IsUnsigned(k):
		return unsignedType(nil, nil)
	case sqltypes.IsIntegral(k), sqltypes.IsDecimal(k) && t.Size() > 0 && t.Size()-t.Scale() < 18:
		return integerType(nil, nil)
	case sqltypes.IsDecimal(k):
		return evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, true, t.Size()-t.Scale()+1, 0, nil)
	}
	return doubleOf(0)
}

// toWhole is the argument as a whole number.
func (c *Call) toWhole(exact func(decimal.Decimal) decimal.Decimal, double func(float64) float64) Value {
	if !c.exactNumber(0) || sqltypes.IsFloat(c.Out.Type()) {
		return Double(double(c.Float(0)))
	}
	v := c.numeric(0)
	if sqltypes.IsIntegral(v.Type()) {
		return v
	}
	text := exact(c.Decimal(0)).FormatMySQL(0)
	if string(text) == "-0" {
		text = []byte("0")
	}
	return sqltypes.MakeTrusted(c.Out.Type(), text)
}

// remainderType is the type of %: unsigned if the dividend is.
func remainderType(args []Type, _ *Context) Type {
	a, b := numberType(args[0]), numberType(args[1])
	switch {
	case sqltypes.IsFloat(a.Type()) || sqltypes.IsFloat(b.Type()):
		return doubleOf(max(Decimals(a), Decimals(b)))
	case sqltypes.IsDecimal(a.Type()) || sqltypes.IsDecimal(b.Type()):
		scale := max(a.Scale(), b.Scale())
		return evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, true, min(maxPrecision, max(a.Size(), b.Size(), scale+1)), scale, nil)
	case sqltypes.IsUnsigned(a.Type()):
		return unsignedType(nil, nil)
	}
	return integerType(nil, nil)
}

// evalRemainder is the remainder of a division: it has the sign of the dividend.
func evalRemainder(c *Call) (Value, error) {
	if !c.exactNumber(0) || !c.exactNumber(1) || sqltypes.IsFloat(c.Out.Type()) {
		a, b := c.Float(0), c.Float(1)
		if b == 0 {
			return c.dividedByZero()
		}
		return defined(math.Mod(a, b)), nil
	}
	a, b := c.Decimal(0), c.Decimal(1)
	if b.IsZero() {
		return c.dividedByZero()
	}
	scale := max(-a.Exponent(), -b.Exponent(), 0)
	_, r := a.QuoRem(b, 0)
	if k := c.Out.Type(); sqltypes.IsIntegral(k) {
		return sqltypes.MakeTrusted(k, r.FormatMySQL(0)), nil
	}
	text := r.FormatMySQL(max(scale, c.Out.Scale()))
	if r.IsZero() && a.Sign() < 0 {
		text = append([]byte{'-'}, text...)
	}
	return sqltypes.MakeTrusted(sqltypes.Decimal, text), nil
}

// dividedByZero is NULL, with a warning, or an error where values are stored.
func (c *Call) dividedByZero() (Value, error) {
	if !c.mode("ERROR_FOR_DIVISION_BY_ZERO") {
		return Null, nil
	}
	if c.Strict {
		return Null, newError(1365, "22012", "Division by 0")
	}
	c.Warn(1365, "Division by 0")
	return Null, nil
}
