package expr

import (
	"errors"
	"slices"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Values of several types of which IF, CASE, COALESCE or NULLIF chooses one (the manual's 14.5). A BIT is its bytes among texts,
// and a number among others; a FLOAT that becomes a text has six digits, a DOUBLE(M,D) its decimals, a ZEROFILL its zeros.

// bitBytes are the bytes of a BIT or a text.
var bitBytes = &Function{Name: "\x00BYTES", Min: 1, Max: 1, Type: func(args []Type, _ *Context) Type {
	return evalengine.NewTypeEx(sqltypes.VarBinary, collations.CollationBinaryID, true, args[0].Size(), 0, nil)
}, Eval: func(c *Call) (Value, error) { return sqltypes.MakeTrusted(sqltypes.VarBinary, c.Args[0].Raw()), nil }}

// choice replaces the values that are chosen from where the engine's would be of another form.
func (b *compiler) choice(e sqlparser.Expr) (sqlparser.Expr, error) {
	values := chosen(e)
	several, err := b.inOneCollation(values)
	if !several {
		_, one := b.collation(e)
		several = !one
	}
	if several && err == nil {
		err = b.conditionsApart(e)
	}
	if err != nil {
		return nil, err
	}
	texts := slices.ContainsFunc(values, func(v *sqlparser.Expr) bool {
		k := b.kind(*v)
		return isBits(*v) || !sqltypes.IsNumber(k) && !sqltypes.IsNull(k)
	})
	if !texts {
		return e, nil
	}
	for _, v := range values {
		if column := b.bitColumn(*v); column != nil {
			*v, err = b.as(bitBytes, column)
		} else if k := b.kind(*v); k == sqltypes.Float32 || sqltypes.IsFloat(k) && b.decimalsOf(*v) < anyScale || ofRow(*v) && sqltypes.IsIntegral(k) {
			*v, err = b.as(castChar(-1, false, false), *v)
		}
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// conditionsApart gives the conditions of a choice slots: they compare texts by other collations than it has.
func (b *compiler) conditionsApart(e sqlparser.Expr) (err error) {
	apart := func(cond *sqlparser.Expr) error {
		switch (*cond).(type) {
		case *sqlparser.ComparisonExpr, *sqlparser.BetweenExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr, *sqlparser.NotExpr:
		default:
			return nil
		}
		at, _, err := b.step(*cond, node{function: same, args: []sqlparser.Expr{*cond}})
		*cond = slot(at)
		return err
	}
	switch e := e.(type) {
	case *sqlparser.CaseExpr:
		for _, w := range e.Whens {
			if err := apart(&w.Cond); err != nil {
				return err
			}
		}
	case *sqlparser.FuncExpr:
		return apart(&e.Exprs[0])
	}
	return nil
}

// inOneCollation gives texts of several collations a binary one, that among them if there is one, and reports whether there
// are several.
func (b *compiler) inOneCollation(values []*sqlparser.Expr) (several bool, err error) {
	var of collations.ID
	each := func(f func(v *sqlparser.Expr, id collations.ID)) {
		for _, v := range values {
			if at, ok := b.direct(*v); ok {
				if id, ok := b.collationOf(&value{at: at, typ: b.typeAt(at)}); ok && id != collations.CollationBinaryID {
					f(v, id)
				}
			}
		}
	}
	each(func(_ *sqlparser.Expr, id collations.ID) {
		several = several || of != 0 && of != id
		if of == 0 || isBinaryCollation(id) {
			of = id
		}
	})
	if !several {
		return false, nil
	}
	if !isBinaryCollation(of) { // none comes before the others
		of = collations.CollationUtf8mb4BinID
	}
	var failed error
	each(func(v *sqlparser.Expr, id collations.ID) {
		if id != of {
			if !sqltypes.IsText(b.kind(*v)) { // a member of a list
				at, _, err := b.step(*v, node{function: castChar(-1, false, false), args: []sqlparser.Expr{*v}})
				*v, failed = slot(at), errors.Join(failed, err)
			}
			*v = &sqlparser.CollateExpr{Expr: *v, Collation: environment.CollationEnv().LookupName(of)}
		}
	})
	return true, failed
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
