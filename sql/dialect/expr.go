package dialect

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/vt/sqlparser"
)

func itoa(n int) string { return strconv.Itoa(n) }

// value writes an expression as a value: a condition becomes a number.
func (e *emitter) value(x sqlparser.Expr) frag { return asValue(e.any(x)) }

// condition writes an expression as a condition: a number is compared with 0.
func (e *emitter) condition(x sqlparser.Expr) frag { return asCondition(e.any(x)) }

func asCondition(f frag) frag {
	switch f.kind {
	case boolean:
		return f
	case untyped:
		if f.text == "NULL" {
			return atom("CAST(NULL AS boolean)", boolean)
		}
		return term(cast(f, "numeric")+" <> 0", boolean)
	}
	if f.literal && f.kind == integer {
		if strings.Trim(f.value, "-0") == "" {
			return surely(atom("FALSE", boolean))
		}
		return surely(atom("TRUE", boolean))
	}
	f = asNumber(f, "the truth")
	return surely(term(f.operand()+" <> 0", boolean), f)
}

// any writes an expression. It is total: unknown nodes are refused. Some functions are written with
// an argument more than once, so the growth by nesting is bounded.
func (e *emitter) any(x sqlparser.Expr) frag {
	f := e.anything(x)
	e.spend(len(f.text) - e.most)
	return f
}

// growth is the number of bytes that a translation may have for each of its statement's, and more.
const (
	growth   = 16
	growthIn = 1 << 16
)

// spend refuses a statement whose translation grows beyond measure.
func (e *emitter) spend(excess int) {
	if excess > 0 {
		refuse("a statement with functions this deep in one another", "its translation would be too long", "Take it apart")
	}
}

func (e *emitter) anything(x sqlparser.Expr) frag {
	switch x := x.(type) {
	case *sqlparser.Literal:
		return e.constant(x)
	case *sqlparser.Argument:
		return e.placeholder(x)
	case *sqlparser.NullVal:
		return atom("NULL", untyped)
	case sqlparser.BoolVal:
		if x {
			return surely(atom("TRUE", boolean))
		}
		return surely(atom("FALSE", boolean))
	case *sqlparser.ColName:
		return e.nameOrAlias(x)
	case *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr, *sqlparser.NotExpr, *sqlparser.IsExpr:
		return e.logic(x)
	case *sqlparser.ComparisonExpr:
		return e.comparison(x)
	case *sqlparser.BetweenExpr:
		return e.between(x)
	case *sqlparser.ExistsExpr:
		return surely(atom("EXISTS ("+e.query(x.Subquery.Select, false)+")", boolean))
	case *sqlparser.Subquery:
		return e.scalar(x)
	case *sqlparser.BinaryExpr:
		return e.binary(x)
	case *sqlparser.UnaryExpr:
		return e.unary(x)
	case *sqlparser.IntroducerExpr:
		return e.introduced(x)
	case *sqlparser.CaseExpr:
		return e.caseOf(x)
	case *sqlparser.CollateExpr:
		return e.collate(x)
	case sqlparser.ValTuple:
		if len(x) == 1 {
			return e.any(x[0])
		}
		return atom(e.row(x), other)
	case *sqlparser.Variable:
		refuse("the variable "+textOf(x), "a variable is the session's, which the source does not have", "Give its value")
	}
	return e.function(x)
}

// function writes what looks like a function's call.
func (e *emitter) function(x sqlparser.Expr) frag {
	switch x := x.(type) {
	case *sqlparser.CastExpr:
		return e.convert(x.Expr, x.Type)
	case *sqlparser.ConvertExpr:
		if strings.EqualFold(x.Type.Type, "binary") && x.Type.Length == nil { // BINARY x
			return e.bytewise(x.Expr)
		}
		return e.convert(x.Expr, x.Type)
	case *sqlparser.ConvertUsingExpr:
		return e.convertUsing(x)
	case *sqlparser.TrimFuncExpr:
		if x.TrimFuncType == sqlparser.NormalTrimType {
			return e.trim(x)
		}
	case *sqlparser.GroupConcatExpr:
		return e.groupConcat(x)
	case *sqlparser.IntervalDateExpr:
		return e.shifted(x)
	case *sqlparser.TimestampDiffExpr:
		return e.timestampDiff(x)
	case *sqlparser.ExtractFuncExpr:
		return e.extract(x.IntervalType.ToString(), e.value(x.Expr))
	case *sqlparser.ValuesFuncExpr:
		return e.valuesFunc(x.Name)
	case *sqlparser.Default:
		refuse("DEFAULT(...) in an expression", "PostgreSQL takes DEFAULT only as a column's whole value", "Write the value")
	case *sqlparser.MatchExpr:
		refuse("MATCH ... AGAINST", "full-text search differs from ground up", "Use LIKE, or search in the source itself")
	}
	if c, ok := callOf(x); ok {
		return e.call(c)
	}
	refuse(fmt.Sprintf("the expression %s", brief(textOf(x))), "the writer does not know it", "")
	return frag{}
}

// constant writes a literal.
func (e *emitter) constant(v *sqlparser.Literal) frag {
	s := v.Val
	switch v.Type {
	case sqlparser.StrVal:
		return frag{typed: typed{kind: text}, text: quote(s), atom: true, sure: true, literal: true, value: s}
	case sqlparser.IntVal:
		return number(s, typed{kind: integer, wide: len(s) > 9})
	case sqlparser.DecimalVal, sqlparser.FloatVal:
		return floating(s)
	case sqlparser.HexNum:
		f := hexBytes(s[min(2, len(s)):])
		f.hybrid = true
		return f
	case sqlparser.HexVal:
		return hexBytes(s)
	case sqlparser.BitNum:
		n, ok := new(big.Int).SetString(strings.TrimPrefix(s, "0b"), 2)
		if !ok {
			n = new(big.Int)
		}
		return number(n.String(), typed{kind: integer, wide: true})
	case sqlparser.DateVal:
		return surely(atom("CAST("+quote(s)+" AS date)", date))
	case sqlparser.TimeVal:
		return surely(atom("CAST("+quote(s)+" AS time)", clock))
	case sqlparser.TimestampVal:
		return surely(atom("CAST("+quote(s)+" AS timestamp)", datetime))
	}
	refuse("a literal of this kind", "the writer does not know it", "")
	return frag{}
}

func number(s string, t typed) frag {
	return frag{typed: t, text: s, atom: !strings.HasPrefix(s, "-"), sure: true, literal: true, value: s}
}

// floating writes 1.5, which is a decimal in both, or 1e3, a decimal in PostgreSQL alone.
func floating(s string) frag {
	if strings.ContainsAny(s, "eE") {
		f := atom("CAST('"+s+"' AS double precision)", float)
		f.sure = true
		return f
	}
	return number(s, typed{kind: decimal, scale: digitsAfterPoint(s)})
}

// hexBytes writes X'..': bytes, of which the place may make text or a number.
func hexBytes(digits string) frag {
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		refuse("a hexadecimal literal", "its digits are not", "")
	}
	f := atom(`'\x`+hex.EncodeToString(b)+`'::bytea`, binary)
	f.sure, f.literal, f.value = true, true, string(b)
	return f
}

// beside gives a hexadecimal literal the type of the value that it is compared with or assigned to.
func beside(f frag, k kind) frag {
	if f.kind != binary || !f.literal {
		return f
	}
	switch {
	case k == text && utf8.ValidString(f.value) && !strings.Contains(f.value, "\x00"):
		return frag{typed: typed{kind: text}, text: quote(f.value), atom: true, sure: true, literal: true, value: f.value}
	case k.number() && !f.hybrid:
		refuse("X'...' as a number", "MySQL takes it for one and MariaDB for text", "Write 0x... for a number")
	case k.number():
		return number(new(big.Int).SetBytes([]byte(f.value)).String(), typed{kind: integer, wide: true})
	}
	return f
}

// logic writes AND, OR, XOR, NOT and IS.
func (e *emitter) logic(x sqlparser.Expr) frag {
	switch x := x.(type) {
	case *sqlparser.AndExpr:
		return e.chain(x, " AND ")
	case *sqlparser.OrExpr:
		return e.chain(x, " OR ")
	case *sqlparser.XorExpr:
		l, r := e.condition(x.Left), e.condition(x.Right)
		return surely(term(l.operand()+" <> "+r.operand(), boolean), l, r)
	case *sqlparser.NotExpr:
		f := e.condition(x.Expr)
		return surely(term("NOT "+f.operand(), boolean), f)
	case *sqlparser.IsExpr:
		return e.is(x)
	}
	return frag{}
}

// chain writes a chain of one operator flat, so that its text grows with its length alone.
func (e *emitter) chain(x sqlparser.Expr, sign string) frag {
	var operands []sqlparser.Expr
	for {
		if a, ok := x.(*sqlparser.AndExpr); ok && sign == " AND " {
			operands = append(operands, a.Right)
			x = a.Left
			continue
		}
		if o, ok := x.(*sqlparser.OrExpr); ok && sign == " OR " {
			operands = append(operands, o.Right)
			x = o.Left
			continue
		}
		break
	}
	operands = append(operands, x)
	sure := true
	parts := make([]string, len(operands))
	for i := range operands {
		f := e.condition(operands[len(operands)-1-i])
		parts[i] = f.operand()
		sure = sure && f.sure
	}
	out := term(strings.Join(parts, sign), boolean)
	out.sure = sure
	return out
}

func (e *emitter) is(x *sqlparser.IsExpr) frag {
	word := strings.ToUpper(x.Right.ToString())
	if x.Right == sqlparser.IsNullOp || x.Right == sqlparser.IsNotNullOp {
		f := e.any(x.Left)
		if f.kind == untyped && strings.HasPrefix(f.text, "$") {
			f = atom(cast(f, "text"), text)
		}
		return surely(term(f.operand()+" "+word, boolean))
	}
	return surely(term(e.condition(x.Left).operand()+" "+word, boolean))
}

// scalar writes a subquery as a value.
func (e *emitter) scalar(x *sqlparser.Subquery) frag {
	sql, columns, _ := e.queryColumns(x.Select, false)
	f := atom("("+sql+")", unknown)
	if len(columns) == 1 {
		f.typed = columns[0].typed
		f.quotient = columns[0].expr.quotient
	}
	return f
}

// nameOrAlias writes a name, which an expression over outputs may take for an alias.
func (e *emitter) nameOrAlias(c *sqlparser.ColName) frag {
	if f, ok := e.proposed(c); ok {
		return f
	}
	return e.column(c)
}

// withAliases writes a condition in which an alias of the query represents its expression:
// PostgreSQL has no aliases in HAVING, nor in an expression of ORDER BY and GROUP BY.
func (e *emitter) withAliases(x sqlparser.Expr) frag {
	return asCondition(e.substituting(x, aliasesBefore))
}

func (e *emitter) substituting(x sqlparser.Expr, how substitution) frag {
	s, before := e.scope, e.scope.substitute
	s.substitute = how
	defer func() { s.substitute = before }()
	return e.any(x)
}
