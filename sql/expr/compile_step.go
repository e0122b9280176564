package expr

import (
	"slices"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Steps: a call of ours with its arguments.

// slot adds the step of a call and returns the column that stands for its slot.
func (b *compiler) slot(e sqlparser.Expr, n node, literal *bool) (sqlparser.Expr, error) {
	at, constant, err := b.step(e, n)
	if err != nil {
		return nil, err
	}
	*literal = *literal && constant
	return slot(at), nil
}

// constant reports whether a column is the slot of a call with one value for all rows.
func (b *compiler) constant(c *sqlparser.ColName) bool {
	if c.Qualifier.Name.String() != slotName {
		return false
	}
	at, err := b.find(c)
	return err == nil && b.p.steps[at-len(b.columns.Types)].once
}

// step adds the step of a call and returns its position in the row.
func (b *compiler) step(e sqlparser.Expr, n node) (at int, constant bool, err error) {
	if check := n.function.Check; check != nil {
		if err := check(b.p.context); err != nil {
			return 0, false, err
		}
	}
	if first := b.first; first.expr != nil && len(n.args) == 1 && n.args[0] == first.expr {
		guard, lazily := b.guard, b.lazily
		b.guard, b.lazily = first.guard, false
		defer func() { b.guard, b.lazily = guard, lazily }()
	}
	s := step{call: Call{Context: b.p.context, Function: n.function, Tree: e, Option: n.option}, once: !n.function.Volatile, first: len(b.p.steps), owner: noOwner, fixed: len(b.columns.Types) > 0 && !b.lazily && converts(n)}
	around := b.guard
	if n.function.Unread {
		b.guard = newGuard(around, sqlparser.BoolVal(false), isTrue)
	}
	defer func() { b.guard = around }()
	var known []Known
	for _, a := range n.args {
		v, err := b.compiled(a, true)
		if err != nil {
			return 0, false, err
		}
		if n.function.Typed != nil {
			known = append(known, b.known(a, v))
		}
		s.args, s.ends = append(s.args, v), append(s.ends, len(b.p.steps))
		if n.function.Numbers && isBits(a) {
			v.typ = unsignedType(nil, nil)
			v.typ.SetNullability(false)
			if known != nil {
				known[len(known)-1].number(v.typ)
			}
		}
		s.call.Types = append(s.call.Types, v.typ)
		s.call.Constant = append(s.call.Constant, v.literal)
		s.call.Number = append(s.call.Number, isBits(a) || v.typ.Type() == sqltypes.Bit)
		s.call.Moment = append(s.call.Moment, b.p.moment(v))
		s.call.Boolean = append(s.call.Boolean, isBoolean(a))
		s.once = s.once && v.literal
	}
	b.guard = around
	s.guard = noGuard
	if !s.fixed {
		if s.guard, err = b.needed(); err != nil {
			return 0, false, err
		}
	}
	if s.late = b.late(n.args); s.late {
		s.once = false // what it refers to may be computed for a later row only
	}
	s.late = s.late || s.guard >= 0
	s.offset = b.args
	b.args += len(s.args)
	if n.function.Typed != nil {
		s.call.Out = n.function.Typed(known, b.p.context)
	} else {
		s.call.Out = n.function.Type(s.call.Types, b.p.context)
	}
	nullable := func(t Type) bool { return t.Nullable() }
	if s.guard >= 0 || !n.function.Nulls && slices.ContainsFunc(s.call.Types, nullable) {
		s.call.Out.SetNullability(true) // so is a slot that is not computed
	}
	s.column = b.collated(&s, n.args)
	if err := b.mixing(&s); err != nil {
		return 0, false, err
	}
	s.at = len(b.p.steps)
	b.p.own(&s)
	b.p.steps = append(b.p.steps, s)
	b.p.slots = append(b.p.slots, s.call.Out)
	return len(b.columns.Types) + len(b.p.steps) - 1, s.once, nil
}

// moment reports whether a value is a text that a function of dates and times returned.
func (p *Program) moment(v value) bool {
	at := v.at - len(p.columns)
	return at >= 0 && sqltypes.IsText(v.typ.Type()) && p.steps[at].call.Function.Moment
}

// late reports whether expressions refer to a slot that is computed in a branch only.
func (b *compiler) late(list []sqlparser.Expr) (late bool) {
	for _, e := range list {
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			if c, ok := n.(*sqlparser.ColName); ok && c.Qualifier.Name.String() == slotName {
				at, err := b.find(c)
				late = late || err != nil || b.p.steps[at-len(b.columns.Types)].late
			}
			return !late, nil
		}, e)
	}
	return late
}

// parameter is a decimal parameter, with its digits.
var parameter = &Function{Name: "\x00PARAMETER", Min: 1, Max: 1, Type: func(args []Type, _ *Context) Type { return args[0] }, Nulls: true, Eval: same.Eval}

// converts reports whether a call converts a literal that is compared: MySQL does so, with its warning, whether or not the
// comparison comes to be evaluated.
func converts(n node) bool {
	if n.function != moment && n.function != instant && n.function != span && n.function != century && n.function != comparedNumber && n.function != exactNumber {
		return false
	}
	switch n.args[0].(type) {
	case *sqlparser.Literal, *sqlparser.Argument, *sqlparser.UnaryExpr:
		return true
	}
	return false
}

// isBits reports whether an expression is a hexadecimal or bit literal.
func isBits(e sqlparser.Expr) bool {
	l, ok := e.(*sqlparser.Literal)
	return ok && (l.Type == sqlparser.HexNum || l.Type == sqlparser.HexVal || l.Type == sqlparser.BitNum)
}

// isBoolean reports whether an expression is a truth value.
func isBoolean(e sqlparser.Expr) bool {
	switch e := e.(type) {
	case sqlparser.BoolVal, *sqlparser.ComparisonExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr, *sqlparser.NotExpr,
		*sqlparser.IsExpr, *sqlparser.BetweenExpr, *sqlparser.ExistsExpr:
		return true
	case *sqlparser.UnaryExpr:
		return e.Operator == sqlparser.BangOp
	case *sqlparser.JSONContainsExpr, *sqlparser.JSONContainsPathExpr, *sqlparser.JSONOverlapsExpr, *sqlparser.MemberOfExpr, *sqlparser.RegexpLikeExpr:
		return true
	case *sqlparser.JSONAttributesExpr:
		return e.Type == sqlparser.ValidAttributeType
	case *sqlparser.FuncExpr:
		return truthFunctions[e.Name.Lowered()]
	}
	return false
}

// truthFunctions are functions whose value is a truth value.
var truthFunctions = map[string]bool{"isnull": true, "is_ipv4": true, "is_ipv6": true, "is_ipv4_compat": true, "is_ipv4_mapped": true, "is_uuid": true}
