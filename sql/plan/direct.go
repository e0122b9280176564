package plan

import (
	"slices"
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/coltype"
	"isochron/txn"
)

// Direct is an update of one row by its key whose values are written without a tree. Statements it cannot execute are
// executed by the plan it was made from. It never changes, so sessions may share it.
type Direct struct {
	table   *catalog.Descriptor
	key     *catalog.IndexInfo
	prefix  []byte // of the key
	indexes []*catalog.IndexInfo
	alone   []int // see point
	sets    []set
	keys    []source // of each column of the primary key
	values  []source // of each of sets
}

// source is the origin of a value: a parameter, or the plan's own text.
type source struct {
	param    int // -1: none
	constant any
}

// DirectOf is such an update for a bound one; nil: it is not one, or its parameters are not v1, v2 and so on.
func DirectOf(c *bind.Change) *Direct {
	desc := c.Table
	if c.Kind != bind.Updates || c.Rows == nil || c.Ignore || len(c.Rows.Order) > 0 || c.Rows.Count != nil || desc.Keyless() || desc.Partitions(desc.Primary) != 1 {
		return nil
	}
	if len(desc.Record.Checks) > 0 || slices.ContainsFunc(desc.Record.Columns, func(c catalog.Column) bool { return c.OnUpdate != nil || c.Generated != nil }) {
		return nil
	}
	d := &Direct{table: desc, key: desc.Primary, prefix: desc.Prefix(desc.Primary, 0)}
	if !d.holds(c.Rows.Where) || !d.assigns(c.Sets) {
		return nil
	}
	return d
}

// holds takes in a filter that holds each column of the primary key to one number.
func (d *Direct) holds(where sqlparser.Expr) bool {
	d.keys = make([]source, len(d.key.Columns))
	held := make([]bool, len(d.keys))
	for _, part := range sqlparser.SplitAndExpression(nil, where) {
		eq, ok := part.(*sqlparser.ComparisonExpr)
		if !ok || eq.Operator != sqlparser.EqualOp {
			return false
		}
		column, ok := bind.Column(eq.Left)
		at := slices.Index(d.key.Columns, column)
		if !ok || at < 0 || held[at] || !isNumber(d.table, column) {
			return false
		}
		if d.keys[at], held[at] = sourceOf(eq.Right); !held[at] {
			return false
		}
	}
	return !slices.Contains(held, false)
}

// assigns takes in assignments of a value, or of a column with a number added to it or taken from it.
func (d *Direct) assigns(list []bind.Set) bool {
	desc, values := d.table, map[int]source{}
	p := &point{}
	for _, a := range list {
		_, again := values[a.Column]
		s, from, ok := assignmentOf(desc, a)
		if !ok || again {
			return false
		}
		p.sets = append(p.sets, s)
		values[a.Column] = from
	}
	if p = p.reach(desc); p == nil {
		return false
	}
	d.sets, d.indexes, d.alone = p.sets, p.indexes, p.alone
	for _, s := range d.sets {
		d.values = append(d.values, values[s.column])
	}
	return true
}

// assignmentOf reads one assignment.
func assignmentOf(d *catalog.Descriptor, a bind.Set) (s set, from source, ok bool) {
	s = set{column: a.Column, from: -1}
	if !isNumber(d, a.Column) && !isKind(d, a.Column, coltype.KindText) {
		return s, from, false
	}
	if from, ok = sourceOf(a.Expr); ok {
		return s, from, true
	}
	sum, ok := a.Expr.(*sqlparser.BinaryExpr)
	if !ok || sum.Operator != sqlparser.PlusOp && sum.Operator != sqlparser.MinusOp {
		return s, from, false
	}
	s.minus = sum.Operator == sqlparser.MinusOp
	if s.from, ok = bind.Column(sum.Left); !ok || !isNumber(d, s.from) || !isNumber(d, a.Column) {
		return s, from, false
	}
	from, ok = sourceOf(sum.Right)
	return s, from, ok
}

// sourceOf is the origin of a value that is a parameter, a whole number or a text.
func sourceOf(e sqlparser.Expr) (source, bool) {
	switch e := e.(type) {
	case *sqlparser.Argument:
		n := slices.Index(paramNames[:], e.Name)
		return source{param: n}, n >= 0
	case *sqlparser.Literal:
		if e.Type == sqlparser.StrVal {
			return source{-1, e.Val}, true
		}
		n, err := strconv.ParseInt(e.Val, 10, 64)
		return source{-1, n}, err == nil && e.Type == sqlparser.IntVal
	}
	return source{}, false
}

// directMax bounds the parameters of such an update.
const directMax = 16

// paramNames are the names of parameters.
var paramNames = func() (names [directMax]string) {
	for i := range names {
		names[i] = ParamName(i)
	}
	return names
}()

// wants reports whether so many values are enough.
func (d *Direct) wants(n int) bool {
	missing := func(s source) bool { return s.param >= n }
	return !slices.ContainsFunc(d.keys, missing) && !slices.ContainsFunc(d.values, missing)
}

// Fill makes an execution with these values of one that has ended, whose memory it
// uses again. It is false if they are for the plan.
func (d *Direct) Fill(values []any, u *PointUpdate) bool {
	if !d.wants(len(values)) {
		return false
	}
	desc, key := d.table, d.key
	var room [keyRoom]byte
	b := append(room[:0], d.prefix...)
	for i, s := range d.keys {
		v, ok := storedAsIs(desc.Type(key.Columns[i]), s.value(values))
		if !ok {
			return false
		}
		var err error
		if b, err = desc.AppendColumn(b, key, i, v); err != nil {
			return false
		}
	}
	if u.Table, u.indexes, u.alone, u.changes = d.table, d.indexes, d.alone, u.changes[:0]; string(u.Key) != string(b) { // on a hot row they are the same
		u.Key = txn.Key(b)
	}
	for i, s := range d.sets {
		c, ok := s.valued(desc.Type(s.column), d.values[i].value(values))
		if !ok {
			return false
		}
		u.changes = append(u.changes, c)
	}
	return true
}

// keyRoom is enough for a key of a few numbers, in bytes; longer ones take memory.
const keyRoom = 64

func (s source) value(values []any) any {
	if s.param < 0 {
		return s.constant
	}
	return values[s.param]
}
