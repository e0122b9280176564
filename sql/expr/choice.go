package expr

import (
	"slices"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Values of several types of which IF, CASE, COALESCE or NULLIF chooses one (the manual's 14.5). A BIT is its bytes among texts,
// and a number among others; a FLOAT that becomes a text has six digits, a DOUBLE(M,D) its decimals.

// bitBytes are the bytes of a BIT.
var bitBytes = &Function{Name: "\x00BYTES", Min: 1, Max: 1, Type: func(args []Type, _ *Context) Type {
	return evalengine.NewTypeEx(sqltypes.VarBinary, collations.CollationBinaryID, true, args[0].Size(), 0, nil)
}, Eval: func(c *Call) (Value, error) { return sqltypes.MakeTrusted(sqltypes.VarBinary, c.Args[0].Raw()), nil }}

// choice replaces the values that are chosen from where the engine's would be of another form.
func (b *compiler) choice(e sqlparser.Expr) (sqlparser.Expr, error) {
	values := chosen(e)
	texts := slices.ContainsFunc(values, func(v *sqlparser.Expr) bool {
		k := b.kind(*v)
		return !sqltypes.IsNumber(k) && !sqltypes.IsNull(k)
	})
	if !texts {
		return e, nil
	}
	for _, v := range values {
		var err error
		if column := b.bitColumn(*v); column != nil {
			*v, err = b.as(bitBytes, column)
		} else if k := b.kind(*v); k == sqltypes.Float32 || sqltypes.IsFloat(k) && b.decimalsOf(*v) < anyScale {
			*v, err = b.as(castChar(-1, false, false), *v)
		}
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// chosen are the values of which a conditional expression is one.
func chosen(e sqlparser.Expr) (out []*sqlparser.Expr) {
	switch e := e.(type) {
	case *sqlparser.CaseExpr:
		for _, w := range e.Whens {
			out = append(out, &w.Val)
		}
		if e.Else != nil {
			out = append(out, &e.Else)
		}
	case *sqlparser.FuncExpr:
		if e.Name.EqualString("if") && len(e.Exprs) == 3 {
			out = append(out, &e.Exprs[1], &e.Exprs[2])
		}
	}
	return out
}

// bitColumn is the column of type BIT that a slot has the number of; nil: it is none.
func (b *compiler) bitColumn(e sqlparser.Expr) sqlparser.Expr {
	at, ok := b.direct(e)
	if at -= len(b.columns.Types); !ok || at < 0 {
		return nil
	}
	if call := &b.p.steps[at].call; call.Function == bitNumber {
		return call.Tree
	}
	return nil
}
