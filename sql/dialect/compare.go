package dialect

import (
	"encoding/hex"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// comparison writes a comparison, IN, LIKE, REGEXP or a JSON path.
func (e *emitter) comparison(x *sqlparser.ComparisonExpr) frag {
	if x.Modifier != sqlparser.Missing {
		refuse("ANY, SOME and ALL", "the writer does not know them", "Use IN, EXISTS, MIN or MAX")
	}
	switch x.Operator {
	case sqlparser.InOp, sqlparser.NotInOp:
		return e.in(x)
	case sqlparser.LikeOp, sqlparser.NotLikeOp:
		return e.like(x)
	case sqlparser.RegexpOp, sqlparser.NotRegexpOp:
		return e.regexp(x)
	}
	l, r := e.side(x.Left), e.side(x.Right)
	if (l.kind == document) != (r.kind == document) {
		return e.documents(l, r, x.Operator)
	}
	switch x.Operator {
	case sqlparser.NullSafeEqualOp, sqlparser.NotEqualOp, sqlparser.EqualOp:
		l, r = e.matched(l, r, "comparison")
	default:
		l, r = e.ordered(l, r)
	}
	switch x.Operator {
	case sqlparser.NullSafeEqualOp:
		return surely(term(l.operand()+" IS NOT DISTINCT FROM "+r.operand(), boolean))
	case sqlparser.NotEqualOp, sqlparser.EqualOp, sqlparser.LessThanOp, sqlparser.GreaterThanOp, sqlparser.LessEqualOp, sqlparser.GreaterEqualOp:
		return surely(term(l.operand()+" "+comparisonSign(x.Operator)+" "+r.operand(), boolean), l, r)
	}
	refuse("the operator "+x.Operator.ToString(), "the writer does not know it", "")
	return frag{}
}

// side is a side of a comparison: a value or a row of them.
func (e *emitter) side(x sqlparser.Expr) frag {
	if t, ok := x.(sqlparser.ValTuple); ok && len(t) > 1 {
		return atom(e.row(t), other)
	}
	return e.any(x)
}

// matched makes two sides comparable as MySQL would compare them, or refuses what PostgreSQL
// would not compare.
func (e *emitter) matched(l, r frag, what string) (frag, frag) {
	l, r = e.parameterBeside(l, r), e.parameterBeside(r, l)
	l, r = truth(finished(l), r), truth(finished(r), l)
	l, r = momentBeside(l, r), momentBeside(r, l)
	l, r = beside(l, r.kind), beside(r, l.kind)
	if l.kind == untyped && r.kind == untyped && strings.HasPrefix(l.text, "$") && strings.HasPrefix(r.text, "$") {
		return atom(cast(l, "text"), text), r
	}
	l, r = e.asUnlike(l, r, what), e.asUnlike(r, l, what)
	return l, r
}

// ordered is matched for a comparison that asks which is greater.
func (e *emitter) ordered(l, r frag) (frag, frag) {
	if l.kind == untyped && r.kind == untyped {
		refuse("the order of two placeholders", "whether they are compared as numbers or as text is not known", "Say it with CAST(? AS SIGNED) or CAST(? AS CHAR)")
	}
	return e.matched(l, r, "comparison")
}

// momentBeside gives what a date is compared with a time of day, since PostgreSQL would read a
// text or a value beside a date as a date, and forget its time.
func momentBeside(f, with frag) frag {
	if with.kind != date || !f.open() || f.text == "NULL" || f.literal && len(f.value) <= len("2006-01-02") {
		return f
	}
	return surely(atom(cast(f, "timestamp"), datetime), f)
}

// truth gives a side the form that a boolean at the other side asks for: beside a column that
// is a boolean, 0 and 1 become FALSE and TRUE.
func truth(f, with frag) frag {
	if with.kind != boolean || !f.literal || f.kind != integer {
		return f
	}
	switch f.value {
	case "0":
		return surely(atom("FALSE", boolean))
	case "1":
		return surely(atom("TRUE", boolean))
	}
	return f
}

// asUnlike makes a side comparable with one of another kind.
func (e *emitter) asUnlike(f, with frag, what string) frag {
	switch {
	case f.kind == boolean && with.kind != boolean && !with.open():
		return asValue(f)
	case f.kind.number() && with.kind == text && with.literal:
		return f
	case f.kind == text && f.literal && with.kind.number():
		if !isNumber(f.value) {
			return e.numberIn(f)
		}
		return number(f.value, typed{kind: decimal, scale: digitsAfterPoint(f.value)})
	case f.kind == text && !f.literal && (with.kind.number() || with.kind == document):
		refuse("the "+what+" of text with a number", "MySQL would take the digits at the text's start for a number, whatever follows", "Write the number in quotes, or convert one of them with CAST")
	case f.kind == text && !f.literal && with.kind.moment():
		refuse("the "+what+" of text with a date", "what text is a date differs", "Convert the text with CAST(... AS DATETIME)")
	}
	return f
}

// between writes BETWEEN.
func (e *emitter) between(x *sqlparser.BetweenExpr) frag {
	left := e.value(x.Left)
	l, from := e.ordered(left, e.any(x.From))
	_, to := e.ordered(left, e.any(x.To))
	for _, bound := range []frag{from, to} {
		if (left.kind == document) != (bound.kind == document) {
			refuse("BETWEEN of a JSON value and one that is none", "MySQL has none either", "Write two comparisons")
		}
	}
	word := "BETWEEN"
	if !x.IsBetween {
		word = "NOT BETWEEN"
	}
	return surely(term(l.operand()+" "+word+" "+from.operand()+" AND "+to.operand(), boolean), l, from, to)
}

// in writes IN over a list or a subquery.
func (e *emitter) in(x *sqlparser.ComparisonExpr) frag {
	word := strings.ToUpper(x.Operator.ToString())
	left := asValue(e.side(x.Left))
	switch r := x.Right.(type) {
	case *sqlparser.Subquery:
		sql, columns, _ := e.queryColumns(r.Select, false)
		if len(columns) == 1 {
			left, _ = e.matched(left, frag{typed: columns[0].typed, text: "x"}, "comparison")
		}
		return term(left.operand()+" "+word+" ("+sql+")", boolean)
	case sqlparser.ValTuple:
		sure := left.sure
		items := list(len(r), func(i int) string {
			f := e.side(r[i])
			if left.kind == document {
				left, f = asDocument(left), asDocument(e.parameterBeside(f, left))
			} else {
				left, f = e.matched(left, f, "comparison")
			}
			sure = sure && f.sure
			return f.text
		})
		out := term(left.operand()+" "+word+" ("+items+")", boolean)
		out.sure = sure
		return out
	}
	refuse("IN over "+brief(textOf(x.Right)), "it is neither a list nor a subquery", "")
	return frag{}
}

// like writes LIKE. Both sides escape with a backslash by default.
func (e *emitter) like(x *sqlparser.ComparisonExpr) frag {
	word := strings.ToUpper(x.Operator.ToString())
	if e.opt.LikeFoldsCase {
		word = strings.Replace(word, "LIKE", "ILIKE", 1)
	} else {
		e.remark("LIKE regards case, as the comparison of text does at this source")
	}
	l, r := e.textual(x.Left), e.textual(x.Right)
	out := surely(term(l.operand()+" "+word+" "+r.operand(), boolean), l, r)
	if x.Escape != nil {
		out.text += " ESCAPE " + e.value(x.Escape).operand()
	}
	return out
}

// textual writes an expression as text.
func (e *emitter) textual(x sqlparser.Expr) frag {
	f := beside(e.value(x), text)
	if f.kind == text || f.kind == untyped {
		return f
	}
	return surely(atom(asText(finished(f)), text), f)
}

// regexp writes REGEXP, which in MySQL does not regard case.
func (e *emitter) regexp(x *sqlparser.ComparisonExpr) frag {
	word := "~*"
	if x.Operator == sqlparser.NotRegexpOp {
		word = "!~*"
	}
	e.remark("regular expressions are PostgreSQL's: what is beyond POSIX's extended ones may differ")
	l, r := e.textual(x.Left), e.textual(x.Right)
	return surely(term(l.operand()+" "+word+" "+r.operand(), boolean), l, r)
}

// collate writes COLLATE. Only byte order means the same at both.
func (e *emitter) collate(x *sqlparser.CollateExpr) frag {
	if !strings.HasSuffix(x.Collation, "_bin") {
		refuse("COLLATE "+x.Collation, "the collations of MySQL are not PostgreSQL's", "Use a collation that ends in _bin, or compare LOWER(...) of both sides")
	}
	return e.bytewise(x.Expr)
}

// bytewise writes a text that is compared by its bytes.
func (e *emitter) bytewise(x sqlparser.Expr) frag {
	f := e.textual(x)
	return surely(frag{typed: typed{kind: text}, text: f.operand() + ` COLLATE "C"`}, f)
}

// unary writes a sign, NOT, or a text of the national character set.
func (e *emitter) unary(x *sqlparser.UnaryExpr) frag {
	switch x.Operator {
	case sqlparser.BangOp:
		f := e.condition(x.Expr)
		return surely(term("NOT "+f.operand(), boolean), f)
	case sqlparser.UMinusOp, sqlparser.UPlusOp:
		if v, ok := x.Expr.(*sqlparser.Literal); ok && v.Type == sqlparser.IntVal && x.Operator == sqlparser.UMinusOp {
			return e.constant(sqlparser.NewIntLiteral("-" + v.Val))
		}
		f := asNumber(e.any(x.Expr), "arithmetic")
		if x.Operator == sqlparser.UPlusOp {
			return f
		}
		out := f
		out.text, out.atom, out.literal = "-"+f.operand(), false, false
		return out
	case sqlparser.NStringOp:
		return e.any(x.Expr)
	}
	refuse("the operator "+x.Operator.ToString(), "MySQL's bits are 64 without a sign", "")
	return frag{}
}

// introduced writes a literal behind the name of its character set.
func (e *emitter) introduced(x *sqlparser.IntroducerExpr) frag {
	switch strings.ToLower(x.CharacterSet) {
	case "_utf8mb4", "_utf8", "_utf8mb3":
		return e.any(x.Expr)
	case "_binary":
		v, ok := x.Expr.(*sqlparser.Literal)
		switch {
		case ok && v.Type == sqlparser.StrVal:
			return hexBytes(hex.EncodeToString([]byte(v.Val)))
		case ok && (v.Type == sqlparser.HexVal || v.Type == sqlparser.HexNum):
			f := e.constant(v)
			f.hybrid = false
			return f
		}
		refuse("_binary", "it stands only before a text or a hexadecimal literal", "")
	}
	refuse("the introducer "+x.CharacterSet, "PostgreSQL's text has one character set", "Write the text in UTF-8")
	return frag{}
}
