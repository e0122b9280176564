package expr

import (
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Types of expressions of the engine, where they are not MySQL's.

// mended is the type of an expression of the engine where that is not MySQL's: a decimal literal has the digits that it
// has, and a choice between dates and others is a text.
func (b *compiler) mended(e sqlparser.Expr, t Type) Type {
	switch e := e.(type) {
	case *sqlparser.Argument:
		if sqltypes.IsDecimal(t.Type()) {
			return evalengine.NewTypeEx(t.Type(), t.Collation(), t.Nullable(), e.Size, e.Scale, nil)
		}
	case *sqlparser.Literal:
		if sqltypes.IsDecimal(t.Type()) {
			whole, fraction, _ := strings.Cut(e.Val, ".")
			return evalengine.NewTypeEx(t.Type(), t.Collation(), t.Nullable(), int32(len(whole)+len(fraction)), int32(len(fraction)), nil)
		}
	case *sqlparser.UnaryExpr:
		if e.Operator == sqlparser.UMinusOp && sqltypes.IsIntegral(t.Type()) && beyondSigned(e.Expr) {
			return evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, t.Nullable(), 20, 0, nil)
		}
	case *sqlparser.FuncExpr:
		if k := extremes[e.Name.Lowered()]; k != nil {
			return b.extremeNumber(e.Exprs, t)
		}
		if e.Name.EqualString("if") && len(e.Exprs) == 3 {
			return b.mended(&sqlparser.CaseExpr{Whens: []*sqlparser.When{{Val: e.Exprs[1]}}, Else: e.Exprs[2]}, t)
		}
	case *sqlparser.CaseExpr:
		if b.branches(e, func(k sqltypes.Type) bool { return k == sqltypes.Null }) {
			return NullType()
		}
		if b.someBranch(e, func(k sqltypes.Type) bool { return k == sqltypes.Year }) && b.branches(e, func(k sqltypes.Type) bool { return k == sqltypes.Null || k == sqltypes.Year }) {
			return evalengine.NewTypeEx(sqltypes.Year, collations.CollationBinaryID, t.Nullable(), 4, 0, nil)
		}
		if b.someBranch(e, func(k sqltypes.Type) bool { return k == sqltypes.Float32 }) && b.branches(e, exactInFloat) {
			return floatType(nil, nil)
		}
		if sqltypes.IsText(t.Type()) && b.someBranch(e, func(k sqltypes.Type) bool { return sqltypes.IsBinary(k) }) {
			return binaryType(nil, nil)
		}
		if (sqltypes.IsBinary(t.Type()) || sqltypes.IsText(t.Type()) && t.Collation() == collations.CollationBinaryID) && b.branches(e, func(k sqltypes.Type) bool {
			return sqltypes.IsDateOrTime(k) || sqltypes.IsNumber(k) || sqltypes.IsText(k) || k == sqltypes.Null
		}) {
			return evalengine.NewTypeEx(sqltypes.VarChar, b.p.context.Collation, t.Nullable(), t.Size(), 0, nil)
		}
	}
	return t
}

// exactInFloat reports whether values of a type beside a FLOAT are FLOATs: those of other numbers are DOUBLEs.
func exactInFloat(k sqltypes.Type) bool {
	switch k {
	case sqltypes.Null, sqltypes.Float32, sqltypes.Int8, sqltypes.Int16, sqltypes.Int24, sqltypes.Uint8, sqltypes.Uint16, sqltypes.Uint24, sqltypes.Year:
		return true
	}
	return false
}

// beyondSigned reports whether a literal, or its negative, is a number that a BIGINT does not have the negative of.
func beyondSigned(e sqlparser.Expr) bool {
	switch e := e.(type) {
	case *sqlparser.Literal:
		n, err := strconv.ParseUint(e.Val, 10, 64)
		return e.Type == sqlparser.IntVal && err == nil && n > 1<<63
	case *sqlparser.UnaryExpr:
		l, ok := e.Expr.(*sqlparser.Literal)
		return ok && e.Operator == sqlparser.UMinusOp && l.Type == sqlparser.IntVal && l.Val == "9223372036854775808"
	}
	return false
}

// extremeNumber is the type of GREATEST or LEAST of numbers, of which NULL is none: a double has the decimals of the
// argument with the most.
func (b *compiler) extremeNumber(args []sqlparser.Expr, t Type) Type {
	kind, decimals := sqltypes.Null, int32(0)
	for _, a := range args {
		switch k := b.kind(a); {
		case sqltypes.IsNull(k) && !isBits(a):
			continue
		case !sqltypes.IsNumber(k):
			return t
		case sqltypes.IsFloat(k) || kind == sqltypes.Null || sqltypes.IsDecimal(k) && !sqltypes.IsFloat(kind):
			kind = k
		}
		decimals = max(decimals, b.decimalsOf(a))
	}
	switch {
	case sqltypes.IsFloat(kind):
		return doubleOf(decimals)
	case sqltypes.IsNull(t.Type()) && sqltypes.IsIntegral(kind):
		return integerType(nil, nil)
	}
	return t
}

// branches reports whether all values of a CASE are of such types.
func (b *compiler) branches(e *sqlparser.CaseExpr, are func(sqltypes.Type) bool) bool {
	for _, w := range e.Whens {
		if isBits(w.Val) || !are(b.kind(w.Val)) {
			return false
		}
	}
	return e.Else == nil || !isBits(e.Else) && are(b.kind(e.Else))
}

// someBranch reports whether one value of a CASE is of such a type.
func (b *compiler) someBranch(e *sqlparser.CaseExpr, is func(sqltypes.Type) bool) bool {
	return slices.ContainsFunc(chosen(e), func(v *sqlparser.Expr) bool { return is(b.kind(*v)) || isBits(*v) && is(sqltypes.VarBinary) })
}

// divisionDecimals are what a division adds to the decimals of its operands: div_precision_increment.
const divisionDecimals = 4

// decimalsOf are the decimals that a client is sent of an expression in which calls of ours are slots.
func (b *compiler) decimalsOf(e sqlparser.Expr) int32 {
	switch e := e.(type) {
	case *sqlparser.BinaryExpr:
		l, r := b.decimalsOf(e.Left), b.decimalsOf(e.Right)
		switch {
		case l >= anyScale || r >= anyScale:
			return anyScale
		case e.Operator == sqlparser.PlusOp || e.Operator == sqlparser.MinusOp || e.Operator == sqlparser.MultOp:
			return max(l, r)
		case e.Operator == sqlparser.DivOp:
			return min(max(l, r)+divisionDecimals, anyScale)
		}
		return anyScale
	case *sqlparser.UnaryExpr:
		return b.decimalsOf(e.Expr)
	case *sqlparser.ColName:
		at, err := b.find(e)
		if err != nil {
			return anyScale
		}
		return Decimals(b.typeAt(at))
	case *sqlparser.CaseExpr:
		n := int32(0)
		for _, w := range e.Whens {
			n = max(n, b.decimalsOf(w.Val))
		}
		if e.Else != nil {
			n = max(n, b.decimalsOf(e.Else))
		}
		return n
	case *sqlparser.FuncExpr:
		if e.Name.EqualString("if") && len(e.Exprs) == 3 {
			return max(b.decimalsOf(e.Exprs[1]), b.decimalsOf(e.Exprs[2]))
		}
	case *sqlparser.NullVal, sqlparser.BoolVal:
		return 0
	case *sqlparser.Literal:
		switch e.Type {
		case sqlparser.IntVal, sqlparser.HexVal, sqlparser.HexNum, sqlparser.BitNum, sqlparser.DateVal:
			return 0
		case sqlparser.DecimalVal:
			_, fraction, _ := strings.Cut(e.Val, ".")
			return int32(len(fraction))
		case sqlparser.TimeVal, sqlparser.TimestampVal:
			_, fraction, _ := strings.Cut(e.Val, ".")
			return int32(min(len(fraction), 6))
		}
	case *sqlparser.Argument:
		switch {
		case sqltypes.IsIntegral(e.Type):
			return 0
		case sqltypes.IsDecimal(e.Type):
			return e.Scale
		}
	}
	return anyScale
}
