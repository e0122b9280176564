package expr

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// CAST and CONVERT (the manual's 14.10); to dates and times in cast_time.go, to JSON in json_create.go.

func init() {
	registerNode(func(e *sqlparser.CastExpr) (node, bool) { return castNode(e.Expr, e.Type, e.Array) })
	registerNode(func(e *sqlparser.ConvertUsingExpr) (node, bool) {
		return node{function: usingUTF8, args: []sqlparser.Expr{e.Expr}}, strings.EqualFold(e.Type, "utf8mb4")
	})
	registerNode(func(e *sqlparser.ConvertExpr) (node, bool) { return castNode(e.Expr, e.Type, false) })
}

// usingUTF8 is CONVERT(x USING utf8mb4): NULL for bytes that are none.
var usingUTF8 = castChar(-1, true, false)

// castNode is the call of a cast; false: evalengine computes it, or nothing does.
func castNode(e sqlparser.Expr, to *sqlparser.ConvertType, array bool) (node, bool) {
	f := castFunction(to)
	return node{function: f, args: []sqlparser.Expr{e}}, f != nil && !array
}

var (
	castSigned   = &Function{Name: "CAST_AS_SIGNED", Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) { return Int(c.castSigned()), nil }}
	castUnsigned = &Function{Name: "CAST_AS_UNSIGNED", Min: 1, Max: 1, Type: unsignedType, Eval: func(c *Call) (Value, error) { return Uint(c.castUnsigned()), nil }}
	castDouble   = &Function{Name: "CAST_AS_DOUBLE", Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) { return Double(c.jsonFloat(0)), nil }}
	castFloat    = &Function{Name: "CAST_AS_FLOAT", Min: 1, Max: 1, Type: floatType, Eval: evalCastFloat}
	castYear     = &Function{Name: "CAST_AS_YEAR", Min: 1, Max: 1, Type: yearType, Eval: evalCastYear}
)

func castFunction(to *sqlparser.ConvertType) *Function {
	length := -1
	if to.Length != nil {
		length = *to.Length
	}
	switch strings.ToUpper(to.Type) {
	case "SIGNED", "SIGNED INTEGER":
		return castSigned
	case "UNSIGNED", "UNSIGNED INTEGER":
		return castUnsigned
	case "DOUBLE", "REAL":
		return castDouble
	case "FLOAT":
		switch {
		case length > 53:
			return refused(1426, "42000", "Too-big precision %d specified for 'CAST'. Maximum is 53.", length)
		case length > 24:
			return castDouble
		}
		return castFloat
	case "YEAR":
		return castYear
	case "DATE":
		return castDate
	case "DATETIME", "TIME":
		return castTime(to)
	case "JSON":
		return castJSON
	case "DECIMAL":
		return castDecimal(to)
	case "BINARY":
		return castBinary(length)
	case "CHAR", "NCHAR":
		switch name := strings.ToLower(to.Charset.Name); name {
		case "", "utf8mb4", "utf8", "utf8mb3":
			return castChar(length, name != "", to.Charset.Binary)
		}
	}
	return nil
}

// refused is a function that is an error wherever it is used.
func refused(code int, state, format string, args ...any) *Function {
	err := newError(code, state, format, args...)
	return &Function{Name: "CAST", Min: 1, Max: 1, Type: integerType, Nulls: true, Eval: func(*Call) (Value, error) { return Null, err }}
}

func floatType([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.Float32, collations.CollationBinaryID, true, 0, anyScale, nil)
}

func yearType([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.Year, collations.CollationBinaryID, true, 4, 0, nil)
}

// castSigned is the argument as a signed integer; an unsigned one over the limit is its complement.
func (c *Call) castSigned() int64 {
	v := c.castNumber()
	switch t := v.Type(); {
	case sqltypes.IsUnsigned(t):
		n, _ := v.ToUint64()
		return int64(n)
	case isText(t):
		n, negative, over := c.castText(v.ToString())
		if !negative && !over && n > math.MaxInt64 {
			c.Warn(1105, "Cast to signed converted positive out-of-range integer to its negative complement")
		}
		return int64(n)
	case sqltypes.IsDecimal(t):
		return int64(c.castDecimalBits(v, math.MaxInt64))
	}
	return c.Integer(0)
}

// castUnsigned is the argument as an unsigned integer; a negative one is its complement.
func (c *Call) castUnsigned() uint64 {
	v := c.castNumber()
	switch t := v.Type(); {
	case sqltypes.IsUnsigned(t):
		n, _ := v.ToUint64()
		return n
	case isText(t):
		n, negative, over := c.castText(v.ToString())
		if negative && !over {
			c.Warn(1105, "Cast to unsigned converted negative integer to its positive complement")
		}
		return n
	case sqltypes.IsDecimal(t):
		return c.castDecimalBits(v, math.MaxUint64)
	}
	return uint64(c.Integer(0))
}

// castNumber is the argument as a number or text; a JSON value is the scalar in it, a date or time the number of its digits,
// unless it is a text.
func (c *Call) castNumber() Value {
	if isText(c.Types[0].Type()) && !c.Number[0] {
		return c.Args[0]
	}
	v := c.numeric(0)
	if isTemporal(c.Args[0]) {
		return Int(temporalInteger(c.Args[0]))
	}
	if v.Type() == sqltypes.TypeJSON {
		return jsonScalar(v)
	}
	return v
}

// jsonScalar is the number or text of a JSON value.
func jsonScalar(v Value) Value {
	s := v.ToString()
	switch {
	case s == "true":
		return Int(1)
	case s == "false":
		return Int(0)
	case len(s) >= 2 && s[0] == '"':
		return sqltypes.NewVarChar(s[1 : len(s)-1])
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Int(n)
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return Double(f)
	}
	return sqltypes.NewVarChar(s)
}

// castText reads the integer that a text begins with; what is behind it is a warning. Numbers over 64 bits are cut.
func (c *Call) castText(s string) (n uint64, negative, over bool) {
	rest := strings.TrimLeft(s, " \t\n\v\f\r")
	rest, negative = strings.CutPrefix(rest, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		d := uint64(rest[digits] - '0')
		if over = over || n > (math.MaxUint64-d)/10; !over {
			n = n*10 + d
		}
		digits++
	}
	over = over || negative && n > 1<<63
	c.cut("INTEGER", s, over || digits == 0 || digits < len(strings.TrimRight(rest, " ")))
	switch {
	case over && negative:
		return 1 << 63, true, true
	case over:
		return math.MaxUint64, false, true
	case negative:
		return -n, n != 0, false
	}
	return n, false, false
}

// castDecimalBits rounds a decimal to 64 bits, at most max; what is over them is a warning.
func (c *Call) castDecimalBits(v Value, max uint64) uint64 {
	d, err := decimal.NewFromMySQL(v.Raw())
	if err != nil {
		return 0
	}
	d = d.Round(0)
	low, high := decimal.NewFromInt(math.MinInt64), decimal.NewFromUint(max)
	if d.Cmp(low) < 0 || d.Cmp(high) > 0 {
		c.Warn(1292, fmt.Sprintf("Truncated incorrect DECIMAL value: '%s'", shorten(v.ToString())))
	}
	switch {
	case d.Cmp(low) < 0:
		return 1 << 63
	case d.Cmp(high) > 0:
		return max
	case d.Sign() < 0:
		n, _ := d.Int64()
		return uint64(n)
	}
	n, _ := d.Uint64()
	return n
}

// jsonFloat is the i-th argument as a double; a JSON value is the scalar in it.
func (c *Call) jsonFloat(i int) float64 {
	if c.Args[i].Type() != sqltypes.TypeJSON {
		return c.Float(i)
	}
	inner := Call{Context: c.Context, Args: []Value{jsonScalar(c.Args[i])}}
	return inner.Float(0)
}

// evalCastFloat has the value of the nearest float of 32 bits, as a double.
func evalCastFloat(c *Call) (Value, error) {
	f := c.jsonFloat(0)
	if f > math.MaxFloat32 || f < -math.MaxFloat32 {
		return Null, newError(1690, "22003", "FLOAT value is out of range in '%s'", shorten(sqlparser.String(c.Tree)))
	}
	return sqltypes.MakeTrusted(sqltypes.Float32, strconv.AppendFloat(nil, float64(float32(f)), 'g', -1, 64)), nil
}

// castDecimal is the cast to DECIMAL(size, scale).
func castDecimal(to *sqlparser.ConvertType) *Function {
	size, scale := 10, 0
	if to.Length != nil && *to.Length > 0 {
		size = *to.Length
	}
	if to.Scale != nil {
		scale = *to.Scale
	}
	switch {
	case size > maxPrecision:
		return refused(1426, "42000", "Too-big precision %d specified for 'CAST'. Maximum is %d.", size, maxPrecision)
	case scale > maxScale:
		return refused(1425, "42000", "Too big scale %d specified for column 'CAST'. Maximum is %d.", scale, maxScale)
	case scale > size:
		return refused(1427, "42000", "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '').")
	}
	typ := evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, true, int32(size), int32(scale), nil)
	return &Function{
		Name: "CAST_AS_DECIMAL", Min: 1, Max: 1, Type: func([]Type, *Context) Type { return typ },
		Eval: func(c *Call) (Value, error) { return c.castDecimal(size, scale), nil },
	}
}

// castDecimal rounds to a scale; a number with too many digits becomes the largest, with a warning.
func (c *Call) castDecimal(size, scale int) Value {
	v := c.numeric(0)
	if v.Type() == sqltypes.TypeJSON {
		v = jsonScalar(v)
	}
	var d decimal.Decimal
	over := false
	switch t := v.Type(); {
	case isText(t):
		d, over = c.textDecimal(v.ToString())
	case sqltypes.IsFloat(t):
		f, _ := v.ToFloat64()
		d, over = parseDecimal(strconv.FormatFloat(f, 'e', -1, 64))
	default:
		d, _ = decimal.NewFromMySQL(v.Raw())
	}
	if !over {
		d = d.Round(int32(scale))
		over = d.CmpAbs(decimal.New(1, int32(size-scale))) >= 0
	}
	if over {
		c.Warn(1264, fmt.Sprintf("Out of range value for column '%s' at row 1", shorten(sqlparser.String(c.Tree))))
		negative := d.Sign() < 0
		if d = decimal.New(1, int32(size)).Sub(decimal.NewFromInt(1)).Mul(decimal.New(1, -int32(scale))); negative {
			d = d.Neg()
		}
	}
	if d.IsZero() {
		d = decimal.Zero
	}
	return sqltypes.MakeTrusted(sqltypes.Decimal, d.FormatMySQL(int32(scale)))
}

// textDecimal reads the number that a text begins with; what is behind it is a warning.
func (c *Call) textDecimal(s string) (d decimal.Decimal, over bool) {
	rest := strings.Trim(s, " \t\n\v\f\r")
	n := numberLength(rest)
	c.cut("DECIMAL", s, n == 0 || n < len(rest))
	return parseDecimal(rest[:n])
}

// numberLength is how many bytes at the beginning of a text are a number.
func numberLength(s string) int {
	digits := func(i int) int {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i
	}
	at := 0
	if s != "" && (s[0] == '-' || s[0] == '+') {
		at = 1
	}
	whole := digits(at)
	end := whole
	if end < len(s) && s[end] == '.' {
		end = digits(end + 1)
	}
	if end == at || end == at+1 && s[at] == '.' {
		return 0
	}
	if end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		from := end + 1
		if from < len(s) && (s[from] == '-' || s[from] == '+') {
			from++
		}
		if to := digits(from); to > from {
			end = to
		}
	}
	return end
}

// parseDecimal is a number such as -12.5e3. over: it has more digits before the point than a decimal can; its sign is
// kept. Digits that no decimal can have behind the point are left out.
func parseDecimal(s string) (d decimal.Decimal, over bool) {
	mantissa, power, hasPower := strings.Cut(strings.ToLower(s), "e")
	mantissa, negative := strings.CutPrefix(strings.TrimPrefix(mantissa, "+"), "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent := 0
	if hasPower {
		n, err := strconv.Atoi(power)
		if err != nil || n > 1<<20 || n < -1<<20 {
			n = 1 << 20
			if strings.HasPrefix(power, "-") {
				n = -n
			}
		}
		exponent = n
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	if digits == "" || len(digits)+exponent < -2*maxPrecision {
		return decimal.Zero, false
	}
	sign := map[bool]string{true: "-"}[negative]
	if len(digits)+exponent > maxPrecision {
		d, _ = decimal.NewFromMySQL([]byte(sign + "1"))
		return d, true
	}
	if keep := 2 * maxPrecision; len(digits) > keep {
		exponent += len(digits) - keep
		digits = digits[:keep]
	}
	d, err := decimal.NewFromMySQL([]byte(sign + digits))
	if err != nil {
		return decimal.Zero, false
	}
	return d.Mul(decimal.New(1, int32(exponent))), false
}

// castBinary is the cast to BINARY(length), filled with zeros; -1 is BINARY.
func castBinary(length int) *Function {
	return &Function{Name: "CAST_AS_BINARY", Min: 1, Max: 1, Type: binaryType, Eval: func(c *Call) (Value, error) {
		b := c.Native(0)
		switch {
		case length < 0 || len(b) == length:
			return c.Bytes(b), nil
		case len(b) > length:
			c.Warn(1292, fmt.Sprintf("Truncated incorrect BINARY(%d) value: '%s'", length, shorten(string(b))))
			return c.Bytes(b[:length]), nil
		case c.TooLong(length):
			return Null, nil
		}
		out := make([]byte, length)
		copy(out, b)
		return c.Bytes(out), nil
	}}
}

// castChar is the cast to CHAR(length); -1 is CHAR. named: with a character set, whose own collation it has.
func castChar(length int, named, binary bool) *Function {
	typ := func(_ []Type, c *Context) Type {
		names, collation := environment.CollationEnv(), c.Collation
		if named {
			collation = names.DefaultCollationForCharset("utf8mb4")
		}
		if binary {
			collation = names.BinaryCollationForCharset(names.LookupCharsetName(collation))
		}
		return evalengine.NewTypeEx(sqltypes.VarChar, collation, true, int32(max(length, 0)), 0, nil)
	}
	return &Function{Name: "CAST_AS_CHAR", Min: 1, Max: 1, Type: typ, Eval: func(c *Call) (Value, error) {
		s := c.Raw(0)
		if c.isBinary(0) && !utf8.Valid(s) {
			c.Warn(1300, fmt.Sprintf("Invalid utf8mb4 character string: '%X'", shorten(string(s))))
			return Null, nil
		}
		if end := (measure{}).offset(s, length); length >= 0 && end < len(s) {
			c.Warn(1292, fmt.Sprintf("Truncated incorrect CHAR(%d) value: '%s'", length, shorten(string(s))))
			s = s[:end]
		}
		return c.Bytes(s), nil
	}}
}

// evalCastYear is CAST AS YEAR: two digits are of 1970 to 2069, a year is between 1901 and 2155.
func evalCastYear(c *Call) (Value, error) {
	v := c.Args[0]
	n := int64(0)
	switch {
	case v.Type() == sqltypes.Time:
		n = int64(c.Now.In(c.zone()).Year())
	case isTemporal(v):
		n, _ = strconv.ParseInt(v.ToString()[:4], 10, 64)
	default:
		n = c.Integer(0)
		zero := n == 0 && (!isText(v.Type()) || len(strings.TrimSpace(v.ToString())) == 4)
		if n >= 0 && n <= 99 && !zero {
			if n += 1900; n < 1970 {
				n += 100
			}
		}
	}
	if n != 0 && (n < 1901 || n > 2155) {
		c.Warn(1292, fmt.Sprintf("Truncated incorrect YEAR value: '%s'", shorten(v.ToString())))
		return Null, nil
	}
	return sqltypes.MakeTrusted(sqltypes.Year, fmt.Appendf(nil, "%04d", n)), nil
}
