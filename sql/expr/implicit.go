package expr

import (
	"math"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Implicit conversions of text to numbers. The engine converts without a word; MySQL warns of what is cut off (1292). So
// a text where a number is needed becomes a slot, computed by number.

// number is a text as a double.
var number = &Function{Name: "\x00NUMBER", Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) { return Double(c.Float(0)), nil }}

// AsNumber is an expression whose value is converted to a double.
func AsNumber(e sqlparser.Expr) sqlparser.Expr {
	return &sqlparser.FuncExpr{Name: sqlparser.NewIdentifierCI(number.Name), Exprs: []sqlparser.Expr{e}}
}

// exactly is a value with all the decimals that it was computed with.
var exactly = &Function{Name: "\x00EXACTLY", Min: 1, Max: 1, Nulls: true, Type: same.Type, Eval: same.Eval}

// Exactly is an expression whose value, if it has a quotient, keeps the decimals that MySQL computes with, more than its type has.
func Exactly(e sqlparser.Expr) sqlparser.Expr {
	if !divides(e) {
		return e
	}
	return &sqlparser.FuncExpr{Name: sqlparser.NewIdentifierCI(exactly.Name), Exprs: []sqlparser.Expr{e}}
}

func init() { register(number, exactly) }

// digitsNumber is a date or time as the number of its digits.
var digitsNumber = &Function{Name: "\x00DIGITS", Min: 1, Max: 1, Type: func(args []Type, _ *Context) Type {
	t := numberType(args[0])
	t.SetNullability(true)
	return t
}, Eval: func(c *Call) (Value, error) { return scaled(c.numeric(0), c.Out), nil }}

// comparedNumber is a text that is compared with numbers.
var comparedNumber = &Function{Name: "\x00COMPARED", Min: 1, Max: 1, Type: doubleType, Eval: number.Eval}

// negative is the negative of a BIGINT that differs from row to row. That of a constant may be a decimal.
var negative = &Function{Name: "-", Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) {
	const most = 1 << 63
	n, beyond := int64(0), false
	if v := c.Args[0]; sqltypes.IsUnsigned(v.Type()) {
		u, _ := v.ToUint64()
		n, beyond = int64(u), u > most
	} else {
		n, _ = v.ToInt64()
		beyond = n == math.MinInt64
	}
	if beyond {
		return Null, newError(1690, "22003", "BIGINT value is out of range in '-%s'", c.Str(0))
	}
	return Int(-n), nil
}}

// exactNumber is a constant text beside a BIGINT, not all of which are doubles: a whole number is compared as one.
var exactNumber = &Function{Name: "\x00EXACT", Min: 1, Max: 1, Type: func([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, true, 65, 30, nil)
}, Eval: func(c *Call) (Value, error) {
	const beyond = 1e20 // more than every BIGINT
	text := c.Str(0)
	if digits := strings.TrimPrefix(text, "-"); digits != "" && strings.Trim(digits, "0123456789") == "" {
		if n, over := parseDecimal(text); !over && n.Abs().Cmp(decimal.New(1, 20)) < 0 {
			return sqltypes.MakeTrusted(sqltypes.Decimal, n.FormatMySQL(0)), nil
		}
	}
	f := max(-beyond, min(c.Float(0), beyond))
	return sqltypes.MakeTrusted(sqltypes.Decimal, strconv.AppendFloat(nil, f, 'f', -1, 64)), nil
}}

// bitNumber is a BIT as a number.
var bitNumber = &Function{Name: "\x00BIT", Min: 1, Max: 1, Type: func(args []Type, _ *Context) Type {
	return evalengine.NewTypeEx(sqltypes.Uint64, collations.CollationBinaryID, args[0].Nullable(), 0, 0, nil)
}, Eval: func(c *Call) (Value, error) {
	n := uint64(0)
	for _, b := range c.Args[0].Raw() {
		n = n<<8 | uint64(b)
	}
	return sqltypes.NewUint64(n), nil
}}

// bits is a text as the 64 bits of a whole number, to which it is rounded; count is one that a shift is by.
var (
	bits  = &Function{Name: "\x00BITS", Min: 1, Max: 1, Type: unsignedType, Eval: func(c *Call) (Value, error) { return Uint(c.roundedBits(0)), nil }}
	count = &Function{Name: "\x00COUNT", Min: 1, Max: 1, Type: unsignedType, Eval: func(c *Call) (Value, error) { return Uint(c.Bits(0)), nil }}
)

// numeric replaces the texts of an expression that needs numbers; nil: there are none.
func (b *compiler) numeric(e sqlparser.Expr) (sqlparser.Expr, error) {
	out, changed := e, false
	for _, step := range []func(sqlparser.Expr) (sqlparser.Expr, error){b.typed, b.numbers, b.moments} {
		next, err := step(out)
		if err != nil {
			return nil, err
		}
		if next != nil {
			out, changed = next, true
		}
	}
	return orNil(out, changed), nil
}

// numbers replaces the texts of an expression that needs numbers, but for constants beside a column; nil: there are none.
func (b *compiler) numbers(e sqlparser.Expr) (sqlparser.Expr, error) {
	switch e := e.(type) {
	case *sqlparser.BinaryExpr:
		return b.binaryNumbers(e)
	case *sqlparser.ComparisonExpr:
		if list, ok := e.Right.(sqlparser.ValTuple); ok && b.isNumber(e.Left) {
			out, changed, err := b.asNumbers(list...)
			return orNil(&sqlparser.ComparisonExpr{Operator: e.Operator, Left: e.Left, Right: sqlparser.ValTuple(out)}, changed), err
		} else if ok && b.isText(e.Left) {
			return b.amongMixed(e, list)
		}
		if _, plain := comparisons[e.Operator]; plain {
			if l, r := b.isClock(e.Left) && b.isNumber(e.Right), b.isClock(e.Right) && b.isNumber(e.Left); l || r {
				return b.sides(e.Left, e.Right, digitsNumber, l, r, func(l, r sqlparser.Expr) sqlparser.Expr {
					return &sqlparser.ComparisonExpr{Operator: e.Operator, Left: l, Right: r}
				})
			}
			l, r := b.isText(e.Left), b.isText(e.Right)
			return b.sides(e.Left, e.Right, comparedNumber, l && b.isCount(e.Right), r && b.isCount(e.Left), func(l, r sqlparser.Expr) sqlparser.Expr {
				return &sqlparser.ComparisonExpr{Operator: e.Operator, Left: l, Right: r}
			})
		}
	case *sqlparser.BetweenExpr:
		if !b.isNumber(e.Left) && (!b.isText(e.Left) || !b.isNumber(e.From) && !b.isNumber(e.To)) {
			return nil, nil
		}
		out, changed, err := b.asNumbers(e.Left, e.From, e.To)
		if !changed || err != nil {
			return nil, err
		}
		return &sqlparser.BetweenExpr{IsBetween: e.IsBetween, Left: out[0], From: out[1], To: out[2]}, nil
	case *sqlparser.UnaryExpr:
		return b.unaryNumber(e)
	case *sqlparser.NotExpr:
		if b.isText(e.Expr) {
			inner, err := b.as(number, e.Expr)
			return &sqlparser.NotExpr{Expr: inner}, err
		}
	case *sqlparser.IsExpr:
		if e.Right != sqlparser.IsNullOp && e.Right != sqlparser.IsNotNullOp && b.isText(e.Left) {
			inner, err := b.as(number, e.Left)
			return &sqlparser.IsExpr{Left: inner, Right: e.Right}, err
		}
	case *sqlparser.XorExpr:
		return b.sides(e.Left, e.Right, number, b.isText(e.Left), b.isText(e.Right), func(l, r sqlparser.Expr) sqlparser.Expr { return &sqlparser.XorExpr{Left: l, Right: r} })
	}
	return nil, nil
}

// binaryNumbers replaces the operands of arithmetic.
func (b *compiler) binaryNumbers(e *sqlparser.BinaryExpr) (sqlparser.Expr, error) {
	to, ok := operands[e.Operator]
	if !ok {
		return nil, nil
	}
	second, left, right := to, b.isLoose(e.Left), b.isLoose(e.Right)
	if to == bits && sqltypes.IsBinary(b.kind(e.Left)) && (sqltypes.IsBinary(b.kind(e.Right)) || isShift(e.Operator)) {
		left, right = false, right && isShift(e.Operator) // the bits of the bytes
	}
	if isShift(e.Operator) {
		second = count
	}
	l, r, bits, err := e.Left, e.Right, to == number && e.Operator != sqlparser.DivOp && (isBits(e.Left) || isBits(e.Right)), error(nil)
	if bits {
		if l, r, err = b.bitNumbers(l, r); err != nil {
			return nil, err
		}
	}
	if e.Operator == sqlparser.MinusOp && b.p.context.mode("NO_UNSIGNED_SUBTRACTION") && b.unsignedAmong(l, r) {
		at, _, err := b.step(e, node{function: signedDifference, args: []sqlparser.Expr{l, r}})
		return slot(at), err
	}
	with := func(l, r sqlparser.Expr) sqlparser.Expr {
		return &sqlparser.BinaryExpr{Operator: e.Operator, Left: l, Right: r}
	}
	out, err := b.sidesTo(l, r, to, second, left, right, with)
	if bits && out == nil && err == nil {
		out = with(l, r)
	}
	return out, err
}

// unaryNumber replaces the operand of a sign, ! and ~.
func (b *compiler) unaryNumber(e *sqlparser.UnaryExpr) (sqlparser.Expr, error) {
	to := map[sqlparser.UnaryExprOperator]*Function{sqlparser.UMinusOp: number, sqlparser.BangOp: number, sqlparser.TildaOp: bits}[e.Operator]
	if to != nil && (b.isText(e.Expr) || e.Operator != sqlparser.BangOp && b.isLoose(e.Expr)) && (to != bits || !sqltypes.IsBinary(b.kind(e.Expr))) {
		inner, err := b.as(to, e.Expr)
		return &sqlparser.UnaryExpr{Operator: e.Operator, Expr: inner}, err
	}
	if k := b.kind(e.Expr); e.Operator == sqlparser.UMinusOp && (k == sqltypes.Int64 || k == sqltypes.Uint64) && b.varies(e.Expr) {
		return b.as(negative, e.Expr)
	}
	if e.Operator == sqlparser.UMinusOp && isBits(e.Expr) {
		inner, err := b.as(bitNumber, e.Expr)
		return &sqlparser.UnaryExpr{Operator: e.Operator, Expr: inner}, err
	}
	if e.Operator == sqlparser.UMinusOp && sqltypes.IsDateOrTime(b.kind(e.Expr)) && b.kind(e.Expr) != sqltypes.Year {
		inner, err := b.as(digitsNumber, e.Expr)
		return &sqlparser.UnaryExpr{Operator: e.Operator, Expr: inner}, err
	}
	return nil, nil
}

// signedDifference is the difference of whole numbers under NO_UNSIGNED_SUBTRACTION.
var signedDifference = &Function{Name: "-", Min: 2, Max: 2, Type: integerType, Eval: func(c *Call) (Value, error) {
	d := c.Decimal(0).Sub(c.Decimal(1))
	if n, ok := d.Int64(); ok {
		return Int(n), nil
	}
	return Null, newError(1690, "22003", "BIGINT value is out of range in '(%s - %s)'", c.Str(0), c.Str(1))
}}

// unsignedAmong reports whether all expressions are whole numbers, and one has no sign.
func (b *compiler) unsignedAmong(list ...sqlparser.Expr) (is bool) {
	for _, e := range list {
		k := b.kind(e)
		if !sqltypes.IsIntegral(k) || k == sqltypes.Year {
			return false
		}
		is = is || sqltypes.IsUnsigned(k)
	}
	return is
}

// bitNumbers are the operands of an operator, of which literals such as 0x61 are unsigned numbers.
func (b *compiler) bitNumbers(l, r sqlparser.Expr) (_, _ sqlparser.Expr, err error) {
	if isBits(l) {
		if l, err = b.as(bitNumber, l); err != nil {
			return nil, nil, err
		}
	}
	if isBits(r) {
		r, err = b.as(bitNumber, r)
	}
	return l, r, err
}

// operands are what operators convert texts to.
var operands = map[sqlparser.BinaryExprOperator]*Function{
	sqlparser.PlusOp: number, sqlparser.MinusOp: number, sqlparser.MultOp: number, sqlparser.DivOp: number,
	sqlparser.BitAndOp: bits, sqlparser.BitOrOp: bits, sqlparser.BitXorOp: bits, sqlparser.ShiftLeftOp: bits, sqlparser.ShiftRightOp: bits,
}

// condition is an expression that is asked for its truth: a text is a number.
func (b *compiler) condition(e sqlparser.Expr) (sqlparser.Expr, error) {
	switch {
	case b.isText(e) || isBits(e):
		return b.as(number, e)
	case b.kind(e) == sqltypes.TypeJSON:
		return b.as(truth, e)
	}
	return e, nil
}

// comparisons are those of two values.
var comparisons = map[sqlparser.ComparisonExprOperator]struct{}{
	sqlparser.EqualOp: {}, sqlparser.NotEqualOp: {}, sqlparser.NullSafeEqualOp: {}, sqlparser.LessThanOp: {},
	sqlparser.LessEqualOp: {}, sqlparser.GreaterThanOp: {}, sqlparser.GreaterEqualOp: {},
}

// sides replaces one or both sides; nil: neither.
func (b *compiler) sides(l, r sqlparser.Expr, to *Function, left, right bool, with func(l, r sqlparser.Expr) sqlparser.Expr) (sqlparser.Expr, error) {
	return b.sidesTo(l, r, to, to, left, right, with)
}

// sidesTo is sides by a function for each.
func (b *compiler) sidesTo(l, r sqlparser.Expr, to, second *Function, left, right bool, with func(l, r sqlparser.Expr) sqlparser.Expr) (_ sqlparser.Expr, err error) {
	if !left && !right {
		return nil, nil
	}
	if left {
		if l, err = b.as(to, l); err != nil {
			return nil, err
		}
	}
	if right {
		if r, err = b.as(second, r); err != nil {
			return nil, err
		}
	}
	return with(l, r), nil
}

// asNumbers replaces the texts of a list.
func (b *compiler) asNumbers(list ...sqlparser.Expr) (out []sqlparser.Expr, changed bool, err error) {
	for _, e := range list {
		if b.isText(e) {
			if e, err = b.as(comparedNumber, e); err != nil {
				return nil, false, err
			}
			changed = true
		}
		out = append(out, e)
	}
	return out, changed, nil
}

// amongMixed is IN of a text and a list with numbers, each of which is compared in its own way: the text is compared as a
// number with the numbers.
func (b *compiler) amongMixed(e *sqlparser.ComparisonExpr, list sqlparser.ValTuple) (sqlparser.Expr, error) {
	var numbers, others sqlparser.ValTuple
	for _, v := range list {
		if b.isNumber(v) {
			numbers = append(numbers, v)
		} else {
			others = append(others, v)
		}
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	left, err := b.as(comparedNumber, e.Left)
	if err != nil {
		return nil, err
	}
	among, err := b.among(left, numbers)
	if err != nil {
		return nil, err
	}
	if len(others) > 0 {
		texts, err := b.among(e.Left, others)
		if err != nil {
			return nil, err
		}
		among = &sqlparser.OrExpr{Left: texts, Right: among}
	}
	if e.Operator == sqlparser.NotInOp {
		return &sqlparser.NotExpr{Expr: among}, nil
	}
	return among, nil
}

// among is IN as a slot.
func (b *compiler) among(value sqlparser.Expr, list sqlparser.ValTuple) (sqlparser.Expr, error) {
	in := &sqlparser.ComparisonExpr{Operator: sqlparser.InOp, Left: value, Right: list}
	at, _, err := b.step(in, node{function: same, args: []sqlparser.Expr{in}})
	return slot(at), err
}

// as is a slot with an expression that a function converts.
func (b *compiler) as(f *Function, e sqlparser.Expr) (sqlparser.Expr, error) {
	if k := b.kind(e); k == sqltypes.Enum || k == sqltypes.Set {
		f = memberNumber
	}
	at, _, err := b.step(e, node{function: f, args: []sqlparser.Expr{e}})
	if err != nil {
		return nil, err
	}
	return slot(at), nil
}

func (b *compiler) isText(e sqlparser.Expr) bool {
	k := b.kind(e)
	return sqltypes.IsText(k) || sqltypes.IsBinary(k) || k == sqltypes.Enum || k == sqltypes.Set
}

// isLoose reports whether an expression is converted, with a warning, where a number is needed.
func (b *compiler) isLoose(e sqlparser.Expr) bool {
	return b.isText(e) || b.kind(e) == sqltypes.TypeJSON
}

// isClock reports whether an expression is a date or time, which is the number of its digits beside a number that differs from
// row to row.
func (b *compiler) isClock(e sqlparser.Expr) bool {
	k := b.kind(e)
	return sqltypes.IsDateOrTime(k) && k != sqltypes.Year
}

// varies reports whether an expression refers to a column, or a slot whose value differs from row to row.
func (b *compiler) varies(e sqlparser.Expr) (does bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok && !b.constant(c) {
			does = true
		}
		return !does, nil
	}, e)
	return does
}

// isCount reports whether an expression is a number or year.
func (b *compiler) isCount(e sqlparser.Expr) bool { return b.isNumber(e) || b.kind(e) == sqltypes.Year }

func isShift(o sqlparser.BinaryExprOperator) bool {
	return o == sqlparser.ShiftLeftOp || o == sqlparser.ShiftRightOp
}

func (b *compiler) isNumber(e sqlparser.Expr) bool {
	t := b.kind(e)
	return (sqltypes.IsIntegral(t) || sqltypes.IsFloat(t) || sqltypes.IsDecimal(t)) && t != sqltypes.Year
}

// kind is the type of an expression in which calls of ours are slots; Null if the engine does not compute it.
func (b *compiler) kind(e sqlparser.Expr) sqltypes.Type {
	switch e := e.(type) {
	case *sqlparser.Literal:
		switch e.Type {
		case sqlparser.StrVal:
			return sqltypes.VarChar
		case sqlparser.IntVal:
			return sqltypes.Int64
		case sqlparser.DecimalVal:
			return sqltypes.Decimal
		case sqlparser.FloatVal:
			return sqltypes.Float64
		case sqlparser.DateVal:
			return sqltypes.Date
		case sqlparser.TimeVal:
			return sqltypes.Time
		case sqlparser.TimestampVal:
			return sqltypes.Datetime
		}
		return sqltypes.Null
	case *sqlparser.Argument:
		return e.Type
	case *sqlparser.ColName:
		at, err := b.find(e)
		if err != nil {
			return sqltypes.Null
		}
		t := b.typeAt(at)
		return t.Type()
	case sqlparser.BoolVal, *sqlparser.ComparisonExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr, *sqlparser.NotExpr, *sqlparser.IsExpr, *sqlparser.BetweenExpr:
		return sqltypes.Int64
	case *sqlparser.NullVal, sqlparser.ValTuple, *sqlparser.Subquery:
		return sqltypes.Null
	}
	tree, err := evalengine.Translate(e, b.config(b.p.context.Collation))
	if err != nil {
		return sqltypes.Null
	}
	t, err := newEngine(b.p.context).TypeOf(tree)
	if err != nil {
		return sqltypes.Null
	}
	return t.Type()
}
