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

// ROUND and TRUNCATE: integers stay integers, decimals decimals; all else is a double.

const (
	maxScale     = 30 // of a decimal
	maxPrecision = 65
)

func init() {
	registerNode(func(e *sqlparser.FuncExpr) (node, bool) {
		switch {
		case !e.Qualifier.IsEmpty():
		case e.Name.EqualString("round"):
			return node{function: rounding("ROUND", 1, e.Exprs, false), args: e.Exprs}, true
		case e.Name.EqualString("truncate"):
			return node{function: rounding("TRUNCATE", 2, e.Exprs, true), args: e.Exprs}, true
		}
		return node{}, false
	})
}

// rounding is ROUND or TRUNCATE to the given digits; a constant number of them is part of the type.
func rounding(name string, least int, args []sqlparser.Expr, cut bool) *Function {
	digits, constant := int32(0), len(args) < 2
	if len(args) == 2 {
		digits, constant = literalInt(args[1])
	}
	return &Function{
		Name: name, Min: least, Max: 2,
		Type: func(args []Type, c *Context) Type { return roundType(args[0], digits, constant, cut) },
		Eval: func(c *Call) (Value, error) { return c.round(cut) },
	}
}

// literalInt is a literal integer, cut to 32 bits.
func literalInt(e sqlparser.Expr) (int32, bool) {
	sign := int64(1)
	if u, ok := e.(*sqlparser.UnaryExpr); ok && u.Operator == sqlparser.UMinusOp {
		e, sign = u.Expr, -1
	}
	l, ok := e.(*sqlparser.Literal)
	if !ok || l.Type != sqlparser.IntVal {
		return 0, false
	}
	n, err := strconv.ParseInt(l.Val, 10, 32)
	if err != nil {
		n = math.MaxInt32
	}
	return int32(sign * n), true
}

func roundType(arg Type, digits int32, constant, cut bool) Type {
	t := arg.Type()
	switch {
	case sqltypes.IsSigned(t) || sqltypes.IsUnsigned(t):
		if sqltypes.IsUnsigned(t) {
			return unsignedType(nil, nil)
		}
		return integerType(nil, nil)
	case sqltypes.IsDecimal(t):
		size, scale := arg.Size(), arg.Scale()
		if constant && digits < scale {
			less := scale - max(digits, 0)
			size, scale = size-less, max(digits, 0)
			if !cut {
				size++
			}
		}
		return evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, true, min(max(size, 1), maxPrecision), scale, nil)
	}
	return doubleType(nil, nil)
}

func (c *Call) round(cut bool) (Value, error) {
	digits := int64(0)
	if len(c.Args) == 2 {
		digits = c.Integer(1)
	}
	v := c.Args[0]
	switch t := v.Type(); {
	case sqltypes.IsIntegral(t):
		return c.roundInteger(v, digits, cut)
	case sqltypes.IsDecimal(t):
		return roundDecimal(v, digits, cut), nil
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

// roundDecimal rounds halves away from zero. It adds no digits.
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
	unit := math.Pow10(int(min(max(digits, -digits), 400)))
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
