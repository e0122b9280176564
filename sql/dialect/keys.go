package dialect

import (
	"math/big"
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Value is a value in a statement. A caller that routes by it must bring it to its key's type
// first: 5 and '5' are one key of an integer column, and a text is several texts here if the
// source's collation ignores case.
type Value struct {
	Arg    int    // the place, from 0, of the client's value; -1: a literal
	Text   string // of a literal
	Number bool   // a literal without quotes
	Null   bool
}

// Bound is an end of a range.
type Bound struct {
	Value
	Open bool // the bound itself is outside
}

// Range is the range between two bounds; nil is no bound.
type Range struct{ Low, High *Bound }

// Keys are the values of a column that a statement can touch: all, or those listed and those in
// the ranges. It may list more than the statement touches, never less.
type Keys struct {
	All    bool
	Values []Value
	Ranges []Range
}

// None reports whether no row can satisfy the statement.
func (k Keys) None() bool { return !k.All && len(k.Values) == 0 && len(k.Ranges) == 0 }

var allKeys = Keys{All: true}

// Keys returns the values of a column of a table that a statement can touch, wherever the table is
// in it. The rows of an INSERT are returned by RowKeys. The schema may be nil; without it a column
// without its table's name is known only in a query of one table.
func (s *Statement) Keys(table Name, column string, schema Schema) Keys {
	out := Keys{}
	for _, b := range s.uses().blocks {
		for i, t := range b.tables {
			if t.name == table {
				out = union(out, b.keys(i, column, schema))
			}
		}
	}
	return out
}

// Sets reports whether a statement gives a column of a table another value, which would move a row
// that is placed by it.
func (s *Statement) Sets(table Name, column string) bool {
	var exprs sqlparser.UpdateExprs
	switch x := s.stmt.(type) {
	case *sqlparser.Update:
		exprs = x.Exprs
	case *sqlparser.Insert:
		exprs = sqlparser.UpdateExprs(x.OnDup)
	}
	if !slices.Contains(s.Writes, table) {
		return false
	}
	for _, a := range exprs {
		if strings.EqualFold(a.Name.Name.String(), column) {
			return true
		}
	}
	return false
}

// member is a column of a table of a block.
type member struct {
	table  int
	column string
}

// keys are what a block asks of a column of its table i.
func (b *block) keys(i int, column string, schema Schema) Keys {
	if len(b.tables) > joinMax || len(b.using) > columnsMax {
		return allKeys
	}
	class := b.class(member{i, fold(column)}, schema)
	ours := func(c *sqlparser.ColName) bool {
		m, ok := b.resolve(c, schema)
		return ok && class[m]
	}
	out := allKeys
	if b.where != nil {
		k := constrained(b.where, ours, b.tables[i].optional)
		out = intersect(out, k)
	}
	for _, on := range b.on {
		out = intersect(out, constrained(on, ours, false))
	}
	for _, on := range b.tables[i].on {
		out = intersect(out, constrained(on, ours, false))
	}
	return out
}

// resolve returns the table of a column's name.
func (b *block) resolve(c *sqlparser.ColName, schema Schema) (member, bool) {
	name := fold(c.Name.String())
	if !c.Qualifier.IsEmpty() {
		for i, t := range b.tables {
			if strings.EqualFold(t.alias, c.Qualifier.Name.String()) {
				return member{i, name}, true
			}
		}
		return member{}, false
	}
	if len(b.tables) == 1 {
		return member{0, name}, b.tables[0].name.Table != ""
	}
	found := -1
	for i, t := range b.tables {
		if t.name.Table == "" || schema == nil {
			return member{}, false
		}
		known, ok := schema.Table(t.name.Database, t.name.Table)
		if !ok {
			return member{}, false
		}
		for _, k := range known.Columns {
			if strings.EqualFold(k.Name, name) {
				if found >= 0 {
					return member{}, false
				}
				found = i
			}
		}
	}
	return member{found, name}, found >= 0
}

// class are the columns that a block requires to equal one: what holds of one holds of all. Those
// at the optional side of an outer join are left out, but for the column itself.
func (b *block) class(of member, schema Schema) map[member]bool {
	class := map[member]bool{of: true}
	if b.tables[of.table].optional {
		return class
	}
	var pairs [][2]member
	for _, x := range append(slices.Clone(b.on), b.where) {
		conjuncts(x, func(x sqlparser.Expr) {
			c, ok := x.(*sqlparser.ComparisonExpr)
			if !ok || c.Operator != sqlparser.EqualOp {
				return
			}
			l, lok := c.Left.(*sqlparser.ColName)
			r, rok := c.Right.(*sqlparser.ColName)
			if !lok || !rok {
				return
			}
			p, pok := b.resolve(l, schema)
			q, qok := b.resolve(r, schema)
			if pok && qok {
				pairs = append(pairs, [2]member{p, q})
			}
		})
	}
	for _, u := range b.using {
		for i := range b.tables {
			for j := range i {
				pairs = append(pairs, [2]member{{i, fold(u)}, {j, fold(u)}})
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range pairs {
			if class[p[0]] != class[p[1]] && !b.tables[p[0].table].optional && !b.tables[p[1].table].optional {
				class[p[0]], class[p[1]], grown = true, true, true
			}
		}
	}
	return class
}

// conjuncts gives each of the conditions that must all hold.
func conjuncts(x sqlparser.Expr, f func(sqlparser.Expr)) {
	switch a := x.(type) {
	case nil:
	case *sqlparser.AndExpr:
		conjuncts(a.Left, f)
		conjuncts(a.Right, f)
	default:
		f(x)
	}
}

// constrained reads what a condition asks of the columns that are ours. Of an optional table a row
// without a partner satisfies IS NULL, so that implies nothing there.
func constrained(x sqlparser.Expr, ours func(*sqlparser.ColName) bool, optional bool) Keys {
	switch x := x.(type) {
	case *sqlparser.AndExpr:
		return intersect(constrained(x.Left, ours, optional), constrained(x.Right, ours, optional))
	case *sqlparser.OrExpr:
		return union(constrained(x.Left, ours, optional), constrained(x.Right, ours, optional))
	case *sqlparser.IsExpr:
		if c, ok := x.Left.(*sqlparser.ColName); ok && x.Right == sqlparser.IsNullOp && !optional && ours(c) {
			return Keys{Values: []Value{{Arg: -1, Null: true}}}
		}
	case *sqlparser.BetweenExpr:
		c, ok := x.Left.(*sqlparser.ColName)
		if ok && x.IsBetween && ours(c) {
			low, lok := valueOf(x.From)
			high, hok := valueOf(x.To)
			if lok && hok {
				return Keys{Ranges: []Range{{&Bound{low, false}, &Bound{high, false}}}}
			}
		}
	case *sqlparser.ComparisonExpr:
		return compared(x, ours, optional)
	}
	return allKeys
}

// mirrored are the operators that have one for exchanged sides.
var mirrored = map[sqlparser.ComparisonExprOperator]sqlparser.ComparisonExprOperator{
	sqlparser.LessThanOp: sqlparser.GreaterThanOp, sqlparser.GreaterThanOp: sqlparser.LessThanOp, sqlparser.LessEqualOp: sqlparser.GreaterEqualOp,
	sqlparser.GreaterEqualOp: sqlparser.LessEqualOp, sqlparser.EqualOp: sqlparser.EqualOp, sqlparser.NullSafeEqualOp: sqlparser.NullSafeEqualOp,
}

func compared(x *sqlparser.ComparisonExpr, ours func(*sqlparser.ColName) bool, optional bool) Keys {
	left, right, op := x.Left, x.Right, x.Operator
	if other, ok := mirrored[op]; ok {
		if c, is := right.(*sqlparser.ColName); is && ours(c) {
			left, right, op = right, left, other
		}
	}
	c, ok := left.(*sqlparser.ColName)
	if !ok || x.Modifier != sqlparser.Missing || !ours(c) {
		return allKeys
	}
	if list, ok := right.(sqlparser.ValTuple); ok && op == sqlparser.InOp {
		out := Keys{}
		for _, item := range list {
			v, ok := valueOf(item)
			if !ok {
				return allKeys
			}
			if !v.Null {
				out.Values = append(out.Values, v)
			}
		}
		return out
	}
	v, ok := valueOf(right)
	if !ok {
		return allKeys
	}
	switch op {
	case sqlparser.EqualOp:
		if v.Null {
			return Keys{}
		}
		return Keys{Values: []Value{v}}
	case sqlparser.NullSafeEqualOp:
		if optional && (v.Null || v.Arg >= 0) {
			return allKeys
		}
		return Keys{Values: []Value{v}}
	case sqlparser.LessThanOp, sqlparser.LessEqualOp:
		return Keys{Ranges: []Range{{High: &Bound{v, op == sqlparser.LessThanOp}}}}
	case sqlparser.GreaterThanOp, sqlparser.GreaterEqualOp:
		return Keys{Ranges: []Range{{Low: &Bound{v, op == sqlparser.GreaterThanOp}}}}
	}
	return allKeys
}

// valueOf reads a constant.
func valueOf(x sqlparser.Expr) (Value, bool) {
	switch x := x.(type) {
	case *sqlparser.NullVal:
		return Value{Arg: -1, Null: true}, true
	case sqlparser.BoolVal:
		return Value{Arg: -1, Text: map[bool]string{false: "0", true: "1"}[bool(x)], Number: true}, true
	case *sqlparser.Literal:
		switch x.Type {
		case sqlparser.StrVal:
			return Value{Arg: -1, Text: x.Val}, true
		case sqlparser.IntVal, sqlparser.DecimalVal, sqlparser.FloatVal:
			return Value{Arg: -1, Text: x.Val, Number: true}, true
		}
	case *sqlparser.UnaryExpr:
		v, ok := valueOf(x.Expr)
		if ok && v.Number && x.Operator == sqlparser.UMinusOp && !strings.HasPrefix(v.Text, "-") {
			v.Text = "-" + v.Text
			return v, true
		}
	case *sqlparser.Argument:
		n := placeOf(x)
		return Value{Arg: n}, n >= 0
	}
	return Value{}, false
}

// union returns the keys that satisfy either.
func union(a, b Keys) Keys {
	if a.All || b.All {
		return allKeys
	}
	out := Keys{Ranges: append(slices.Clone(a.Ranges), b.Ranges...)}
	seen := map[Value]bool{}
	for _, v := range append(slices.Clone(a.Values), b.Values...) {
		if !seen[v] {
			seen[v] = true
			out.Values = append(out.Values, v)
		}
	}
	return out
}

// intersect returns the keys that satisfy both, or somewhat more.
func intersect(a, b Keys) Keys {
	switch {
	case a.All:
		return b
	case b.All:
		return a
	case a.None() || b.None():
		return Keys{}
	case len(a.Ranges) == 0 && len(b.Ranges) == 0:
		return common(a.Values, b.Values)
	case len(a.Ranges) == 0:
		return a
	case len(b.Ranges) == 0:
		return b
	case len(a.Ranges) == 1 && len(b.Ranges) == 1 && len(a.Values)+len(b.Values) == 0:
		return Keys{Ranges: []Range{{nearer(a.Ranges[0].Low, b.Ranges[0].Low, 1), nearer(a.Ranges[0].High, b.Ranges[0].High, -1)}}}
	}
	return a
}

// common are the values of both lists, if all are integers without quotes, so that equal ones
// look alike; otherwise the shorter list.
func common(a, b []Value) Keys {
	plain := func(v Value) bool {
		_, ok := new(big.Int).SetString(v.Text, 10)
		return v.Arg < 0 && v.Number && ok && (v.Text == "0" || strings.TrimPrefix(v.Text, "-")[0] != '0')
	}
	if !slices.ContainsFunc(a, func(v Value) bool { return !plain(v) }) && !slices.ContainsFunc(b, func(v Value) bool { return !plain(v) }) {
		out, in := Keys{}, map[Value]bool{}
		for _, v := range b {
			in[v] = true
		}
		for _, v := range a {
			if in[v] {
				out.Values = append(out.Values, v)
			}
		}
		return out
	}
	if len(b) < len(a) {
		return Keys{Values: b}
	}
	return Keys{Values: a}
}

// nearer is the tighter of two bounds, if both are integers, else the first that there is.
func nearer(a, b *Bound, sign int) *Bound {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	x, ok := new(big.Int).SetString(a.Text, 10)
	y, ok2 := new(big.Int).SetString(b.Text, 10)
	if !ok || !ok2 || !a.Number || !b.Number {
		return a
	}
	if c := y.Cmp(x) * sign; c > 0 || c == 0 && b.Open {
		return b
	}
	return a
}
