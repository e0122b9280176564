package expr

import (
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Operators that evalengine computes otherwise than MySQL: bits of large decimals.

func init() {
	registerNode(func(e *sqlparser.BinaryExpr) (node, bool) {
		f := bitFunctions[e.Operator]
		return node{function: f, args: []sqlparser.Expr{e.Left, e.Right}}, f != nil && (isDecimal(e.Left) || isDecimal(e.Right))
	})
	registerNode(func(e *sqlparser.UnaryExpr) (node, bool) {
		return node{function: bitNot, args: []sqlparser.Expr{e.Expr}}, e.Operator == sqlparser.TildaOp && isDecimal(e.Expr)
	})
	registerNode(func(e *sqlparser.IsExpr) (node, bool) {
		return node{function: neverNull, args: []sqlparser.Expr{e.Left}}, e.Right == sqlparser.IsNullOp && isNeverNull(e.Left)
	})
	registerNode(func(e *sqlparser.FuncExpr) (node, bool) {
		return node{function: neverNull, args: e.Exprs}, e.Name.EqualString("isnull") && len(e.Exprs) == 1 && isNeverNull(e.Exprs[0])
	})
	register(&Function{Name: "BIT_COUNT", Min: 1, Max: 1, Type: integerType, Eval: bitCount})
}

// neverNull is IS NULL of an expression that cannot be NULL, which is not computed.
var neverNull = &Function{Name: "IS NULL", Min: 1, Max: 1, Type: integerType, Nulls: true, Unread: true, Eval: func(*Call) (Value, error) { return Bool(false), nil }}

// isNeverNull reports whether an expression cannot be NULL by its form: a literal, or comparisons, conditions and casts to
// numbers and text of such.
func isNeverNull(e sqlparser.Expr) bool {
	switch e := e.(type) {
	case *sqlparser.Literal, sqlparser.BoolVal:
		return true
	case *sqlparser.ComparisonExpr:
		if list, ok := e.Right.(sqlparser.ValTuple); ok {
			return isNeverNull(e.Left) && !slices.ContainsFunc(list, func(one sqlparser.Expr) bool { return !isNeverNull(one) })
		}
		return isNeverNull(e.Left) && isNeverNull(e.Right)
	case *sqlparser.AndExpr:
		return isNeverNull(e.Left) && isNeverNull(e.Right)
	case *sqlparser.OrExpr:
		return isNeverNull(e.Left) && isNeverNull(e.Right)
	case *sqlparser.XorExpr:
		return isNeverNull(e.Left) && isNeverNull(e.Right)
	case *sqlparser.NotExpr:
		return isNeverNull(e.Expr)
	case *sqlparser.CastExpr:
		return isNeverNull(e.Expr) && keepsValue(e.Type)
	case *sqlparser.ConvertExpr:
		return isNeverNull(e.Expr) && keepsValue(e.Type)
	case *sqlparser.FuncExpr:
		return len(e.Exprs) == 1 && truthFunctions[e.Name.Lowered()] && isNeverNull(e.Exprs[0])
	}
	return false
}

// keepsValue reports whether a cast has a value for each that is not NULL.
func keepsValue(to *sqlparser.ConvertType) bool {
	switch castFunction(to) {
	case castSigned, castUnsigned, castDouble:
		return true
	}
	return strings.EqualFold(to.Type, "DECIMAL")
}

// isDecimal reports whether an expression is a decimal literal: its bits are those of an unsigned number, other decimals
// are signed.
func isDecimal(e sqlparser.Expr) bool {
	l, ok := e.(*sqlparser.Literal)
	if ok && l.Type == sqlparser.IntVal {
		_, err := strconv.ParseUint(l.Val, 10, 64)
		return err != nil
	}
	return ok && l.Type == sqlparser.DecimalVal
}

var bitFunctions = map[sqlparser.BinaryExprOperator]*Function{
	sqlparser.BitAndOp:     bitFunction("&", func(a, b uint64) uint64 { return a & b }),
	sqlparser.BitOrOp:      bitFunction("|", func(a, b uint64) uint64 { return a | b }),
	sqlparser.BitXorOp:     bitFunction("^", func(a, b uint64) uint64 { return a ^ b }),
	sqlparser.ShiftLeftOp:  bitFunction("<<", func(a, b uint64) uint64 { return a << b }),
	sqlparser.ShiftRightOp: bitFunction(">>", func(a, b uint64) uint64 { return a >> b }),
}

func bitFunction(name string, f func(a, b uint64) uint64) *Function {
	return &Function{Name: name, Min: 2, Max: 2, Type: unsignedType, Eval: func(c *Call) (Value, error) { return Uint(f(c.roundedBits(0), c.roundedBits(1))), nil }}
}

var bitNot = &Function{Name: "~", Min: 1, Max: 1, Type: unsignedType, Eval: func(c *Call) (Value, error) { return Uint(^c.roundedBits(0)), nil }}

// bitCount is BIT_COUNT: of the bits of a number, or of all bytes of a binary string.
func bitCount(c *Call) (Value, error) {
	n := int64(0)
	if c.isBinary(0) && !c.Number[0] {
		for _, b := range c.Raw(0) {
			n += int64(ones(uint64(b)))
		}
		return Int(n), nil
	}
	return Int(int64(ones(c.roundedBits(0)))), nil
}

func ones(n uint64) (count int) {
	for ; n != 0; n &= n - 1 {
		count++
	}
	return count
}

// byZero is the divisor of /: the argument as it is. It warns of a division by 0, unless argument 1, the
// dividend where it is simple, is NULL.
var byZero = &Function{Name: "/", Min: 1, Max: 2, Type: func(args []Type, _ *Context) Type { return args[0] }, Nulls: true, Eval: func(c *Call) (Value, error) {
	v := c.Args[0]
	if v.IsNull() || len(c.Args) == 2 && c.IsNull(1) || !c.mode("ERROR_FOR_DIVISION_BY_ZERO") {
		return v, nil
	}
	if c.Float(0) == 0 {
		if _, err := c.dividedByZero(); err != nil {
			return Null, err
		}
	}
	return v, nil
}}

// divisor is what replaces the divisor of a division; false: it cannot be 0, or the node is no division.
func divisor(e sqlparser.Expr) (n node, ok bool) {
	d, ok := e.(*sqlparser.BinaryExpr)
	if !ok || d.Operator != sqlparser.DivOp {
		return n, false
	}
	left, right := d.Left, d.Right
	switch right := right.(type) {
	case *sqlparser.NullVal:
		return n, false
	case *sqlparser.Literal:
		if right.Type != sqlparser.StrVal && !onlyZeros(right.Val) {
			return n, false
		}
	}
	n = node{function: byZero, args: []sqlparser.Expr{right}}
	switch left.(type) {
	case *sqlparser.ColName, *sqlparser.Literal, *sqlparser.NullVal:
		n.args = append(n.args, left)
	}
	return n, true
}

func onlyZeros(s string) bool {
	for _, b := range []byte(s) {
		if b >= '1' && b <= '9' {
			return false
		}
		if b == 'e' || b == 'E' {
			return true
		}
	}
	return true
}

// division is a division whose divisor is checked; nil if it is none, or cannot divide by 0.
func (b *compiler) division(e sqlparser.Expr, literal *bool) (sqlparser.Expr, error) {
	n, ok := divisor(e)
	if !ok || b.checkedDivisor(n.args[0]) {
		return nil, nil
	}
	if isBits(n.args[0]) { // behind the check it would be bytes
		by, err := b.as(bitNumber, n.args[0])
		if err != nil {
			return nil, err
		}
		n.args[0] = by
	}
	at, err := b.slot(e, n, literal)
	if err != nil {
		return nil, err
	}
	d := e.(*sqlparser.BinaryExpr)
	return &sqlparser.BinaryExpr{Operator: d.Operator, Left: d.Left, Right: at}, nil
}

// checkedDivisor reports whether a divisor has been checked, as part of an expression that is rewritten again.
func (b *compiler) checkedDivisor(e sqlparser.Expr) bool {
	c, ok := e.(*sqlparser.ColName)
	if !ok || c.Qualifier.Name.String() != slotName {
		return false
	}
	at, err := b.find(c)
	return err == nil && b.p.steps[at-len(b.columns.Types)].call.Function == byZero
}
