package expr

import (
	"bytes"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Comparisons by collations that pad. The engine compares spaces at the end of a text by every collation; to all of MySQL's
// but those of Unicode 9 and the binary one they do not count. So they are cut off before the engine compares.

// Pads reports whether spaces at the end of a text do not count to a collation.
func Pads(id collations.ID) bool {
	if id == collations.CollationBinaryID || id == collations.Unknown {
		return false
	}
	return !strings.Contains(environment.CollationEnv().LookupName(id), "_0900_")
}

// unpadded is a text without the spaces at its end.
var unpadded = &Function{Name: "\x00UNPADDED", Min: 1, Max: 1, Type: sameType, Eval: func(c *Call) (Value, error) {
	v := c.Args[0]
	if b := v.Raw(); len(b) > 0 && b[len(b)-1] == ' ' && sqltypes.IsText(v.Type()) {
		return sqltypes.MakeTrusted(v.Type(), bytes.TrimRight(b, " ")), nil
	}
	return v, nil
}}

// padded replaces the texts of a comparison by a collation that pads; nil: it is no such comparison.
func (b *compiler) padded(e sqlparser.Expr) (sqlparser.Expr, error) {
	switch e := e.(type) {
	case *sqlparser.ComparisonExpr:
		if list, ok := e.Right.(sqlparser.ValTuple); ok {
			out, err := b.unpadded(" IN ", append([]sqlparser.Expr{e.Left}, list...)...)
			if out == nil || err != nil {
				return nil, err
			}
			return &sqlparser.ComparisonExpr{Operator: e.Operator, Left: out[0], Right: sqlparser.ValTuple(out[1:])}, nil
		}
		if _, plain := comparisons[e.Operator]; !plain {
			return nil, nil
		}
		out, err := b.unpadded(e.Operator.ToString(), e.Left, e.Right)
		if out == nil || err != nil {
			return nil, err
		}
		return &sqlparser.ComparisonExpr{Operator: e.Operator, Left: out[0], Right: out[1]}, nil
	case *sqlparser.BetweenExpr:
		out, err := b.unpadded("between", e.Left, e.From, e.To)
		if out == nil || err != nil {
			return nil, err
		}
		return &sqlparser.BetweenExpr{IsBetween: e.IsBetween, Left: out[0], From: out[1], To: out[2]}, nil
	}
	return nil, nil
}

// unpadded are the operands of a comparison without spaces at their ends; nil: spaces count, or there can be none.
func (b *compiler) unpadded(operation string, list ...sqlparser.Expr) (out []sqlparser.Expr, err error) {
	texts := 0
	if b.besideBytes(list) {
		return b.allBytes(list)
	}
	for _, e := range list {
		if _, ok := e.(sqlparser.ValTuple); ok {
			return nil, nil
		}
		switch k := b.kind(unrolled(e)); {
		case sqltypes.IsText(k):
			texts++
		case k != sqltypes.Null && k != sqltypes.Enum && k != sqltypes.Set:
			return nil, nil // numbers, times and bytes are compared otherwise
		}
	}
	if texts == 0 {
		return nil, nil
	}
	if err := b.mixed(operation, list...); err != nil {
		return nil, err
	}
	if !Pads(b.comparedBy(list)) {
		return nil, nil
	}
	changed := false
	for _, e := range list {
		one, err := b.unpad(e)
		if err != nil {
			return nil, err
		}
		changed = changed || one != e
		out = append(out, one)
	}
	if !changed {
		return nil, nil
	}
	return out, nil
}

// besideBytes reports whether of three or more operands some are texts and some binary strings, and the others NULL: all are
// compared as binary strings. The engine compares each pair by itself.
func (b *compiler) besideBytes(list []sqlparser.Expr) bool {
	texts, bytes := 0, 0
	for _, e := range list {
		switch k := b.kind(unrolled(e)); {
		case sqltypes.IsText(k):
			texts++
		case sqltypes.IsBinary(k) && !isBits(e):
			bytes++
		case k != sqltypes.Null:
			return false
		}
	}
	return len(list) > 2 && texts > 0 && bytes > 0
}

// allBytes are the operands as binary strings.
func (b *compiler) allBytes(list []sqlparser.Expr) (out []sqlparser.Expr, err error) {
	for _, e := range list {
		if sqltypes.IsText(b.kind(unrolled(e))) {
			if e, err = b.as(bitBytes, unrolled(e)); err != nil {
				return nil, err
			}
		}
		out = append(out, e)
	}
	return out, nil
}

// unrolled is a text without its COLLATE.
func unrolled(e sqlparser.Expr) sqlparser.Expr {
	if c, ok := e.(*sqlparser.CollateExpr); ok {
		return c.Expr
	}
	return e
}

// comparedBy is the collation of a comparison: that of a COLLATE, else that of a column, a binary one before others, else the
// connection's.
func (b *compiler) comparedBy(list []sqlparser.Expr) collations.ID {
	of, found := b.p.context.Collation, false
	for _, e := range list {
		switch e := e.(type) {
		case *sqlparser.CollateExpr:
			return environment.CollationEnv().LookupByName(e.Collation)
		case *sqlparser.ColName:
			at, err := b.find(e)
			if err != nil {
				continue
			}
			if b.coercible(at) {
				continue
			}
			if t := b.typeAt(at); hasNames(t) && !(found && isBinaryCollation(of)) {
				of, found = t.Collation(), true
			}
		}
	}
	return of
}

// hasNames reports whether values of a type are texts of its collation.
func hasNames(t Type) bool {
	return sqltypes.IsText(t.Type()) || t.Type() == sqltypes.Enum || t.Type() == sqltypes.Set
}

func (b *compiler) unpad(e sqlparser.Expr) (sqlparser.Expr, error) {
	switch n := e.(type) {
	case *sqlparser.Literal:
		if n.Type != sqlparser.StrVal || !strings.HasSuffix(n.Val, " ") {
			return e, nil
		}
		return sqlparser.NewStrLiteral(strings.TrimRight(n.Val, " ")), nil
	case *sqlparser.ColName:
		if at, err := b.find(n); err == nil && at >= len(b.columns.Types) && b.p.steps[at-len(b.columns.Types)].call.Function == unpadded {
			return e, nil // the expression was compiled before
		}
	case *sqlparser.CollateExpr:
		inner, err := b.unpad(n.Expr)
		if inner == n.Expr || err != nil {
			return e, err
		}
		return &sqlparser.CollateExpr{Expr: inner, Collation: n.Collation}, nil
	}
	if !sqltypes.IsText(b.kind(e)) {
		return e, nil
	}
	at, _, err := b.step(e, node{function: unpadded, args: []sqlparser.Expr{e}})
	return slot(at), err
}

// memberNumber is an ENUM or SET as a number: the index from 1, or the bits.
var memberNumber = &Function{Name: "\x00ORDINAL", Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) {
	return Double(float64(numberOf(c.Args[0], c.Types[0]))), nil
}}

func numberOf(v Value, t Type) (n uint64) {
	if t.Values() == nil {
		return 0
	}
	members := bytes.Split(v.Raw(), []byte(","))
	for i, quoted := range *t.Values() {
		name, err := sqltypes.DecodeStringSQL(quoted)
		if err != nil {
			name = quoted
		}
		switch {
		case t.Type() == sqltypes.Enum && name == v.ToString():
			return uint64(i + 1)
		case t.Type() == sqltypes.Set:
			for _, m := range members {
				if len(m) > 0 && string(m) == name {
					n |= 1 << i
				}
			}
		}
	}
	return n
}
