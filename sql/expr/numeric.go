package expr

import (
	"fmt"
	"math"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Mathematical functions (the manual's 14.6.2) of doubles. evalengine computes ABS, CEILING, FLOOR and SIGN.

func init() {
	for name, f := range map[string]func(float64) float64{
		"ACOS": arcCosine, "ASIN": arcSine, "ATAN": math.Atan, "COS": cosine, "SIN": sine, "TAN": tangent, "SQRT": math.Sqrt,
		"RADIANS": func(x float64) float64 { return x * (math.Pi / 180) },
	} {
		register(&Function{Name: name, Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) { return defined(f(c.Float(0))), nil }})
	}
	for name, f := range map[string]func(float64) float64{
		"COT": func(x float64) float64 { return 1 / tangent(x) }, "EXP": exponential,
		"DEGREES": func(x float64) float64 { return x * degreesPerRadian },
	} {
		register(&Function{Name: name, Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) { return c.bounded(f(c.Float(0))) }})
	}
	for name, f := range map[string]func(float64) float64{"LN": ln, "LOG2": func(x float64) float64 { return ln(x) / ln2 }, "LOG10": log10} {
		register(&Function{Name: name, Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) {
			x := c.Float(0)
			if x <= 0 {
				return c.noLogarithm(), nil
			}
			return Double(f(x)), nil
		}})
	}
	atan2 := &Function{Name: "ATAN2", Min: 2, Max: 2, Type: doubleType, Ask: arcTangent}
	byName["ATAN"].Max, byName["ATAN"].Eval, byName["ATAN"].Ask = 2, nil, arcTangent
	power := &Function{Name: "POW", Min: 2, Max: 2, Convert: toDouble, Type: doubleType, Eval: func(c *Call) (Value, error) { return c.bounded(powerOf(c.Float(0), c.Float(1))) }}
	register(
		atan2, power, alias("POWER", power),
		&Function{Name: "LOG", Min: 1, Max: 2, Type: doubleType, Eval: logarithm},
		&Function{Name: "PI", Min: 0, Max: 0, Type: piType, Eval: func(*Call) (Value, error) { return Double(math.Pi), nil }},
	)
}

// degreesPerRadian is 180 divided by the double nearest to π.
var degreesPerRadian = func(pi float64) float64 { return 180 / pi }(math.Pi)

// ln2 is the double nearest to the logarithm of 2.
var ln2 float64 = math.Ln2

// piType is a double that a client is sent with six decimals.
func piType([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.Float64, collations.CollationBinaryID, false, 8, 6, nil)
}

// defined is NULL where a function has no value.
func defined(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Null
	}
	return Double(f)
}

// bounded is an error 1690 for a value over the limit of doubles.
func (c *Call) bounded(f float64) (Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Null, c.outOfRange("DOUBLE")
	}
	return Double(f), nil
}

// outOfRange is the error 1690, which shows the call.
func (c *Call) outOfRange(kind string) error {
	name := strings.ToLower(c.Function.Name)
	if name == "power" {
		name = "pow"
	}
	var args []string
	if f, ok := c.Tree.(*sqlparser.FuncExpr); ok {
		for _, a := range f.Exprs {
			args = append(args, sqlparser.String(a))
		}
	}
	return newError(1690, "22003", "%s value is out of range in '%s'", kind, shorten(fmt.Sprintf("%s(%s)", name, strings.Join(args, ","))))
}

// noLogarithm warns that an argument has no logarithm.
func (c *Call) noLogarithm() Value {
	c.Warn(3020, "Invalid argument for logarithm")
	return Null
}

func arcTangent(c *Call, need func(i int) error) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Null, err
	}
	y := c.Float(0)
	if len(c.Args) == 1 {
		return Double(arcTangent2(y, 1)), nil
	}
	if err := need(1); err != nil || c.IsNull(1) {
		return Null, err
	}
	return Double(arcTangent2(y, c.Float(1))), nil
}

// logarithm is LOG(x), and LOG(base, x).
func logarithm(c *Call) (Value, error) {
	x := c.Float(len(c.Args) - 1)
	if len(c.Args) == 1 {
		if x <= 0 {
			return c.noLogarithm(), nil
		}
		return Double(ln(x)), nil
	}
	base := c.Float(0)
	if x <= 0 || base <= 0 || base == 1 {
		return c.noLogarithm(), nil
	}
	return defined(ln(x) / ln(base)), nil
}
