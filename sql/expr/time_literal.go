package expr

import (
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Literals of dates and times that have a part of 0, no such day, the offset of a time zone, or a fraction; others are the engine's.

var (
	dateLiteral      = temporalLiteral("DATE", sqltypes.Date, 0)
	timestampLiteral = func() (list [7]*Function) {
		for digits := range list {
			list[digits] = temporalLiteral("DATETIME", sqltypes.Datetime, digits)
		}
		return list
	}()
)

func init() {
	registerNode(func(e *sqlparser.Literal) (node, bool) {
		if e.Type == sqlparser.TimeVal && strings.Contains(e.Val, ".") {
			p, ok := parseTime(e.Val)
			return node{function: timeLiteral[p.digits], option: e.Val}, ok && !p.cut && p.kind == aTime
		}
		if e.Type != sqlparser.DateVal && e.Type != sqlparser.TimestampVal {
			return node{}, false
		}
		p, ok := parseDateTime(e.Val, zeroParts|invalidDays)
		if !ok || p.month > 0 && p.day > 0 && p.day <= daysIn(p.year, p.month) && p.offset == nil && p.digits == 0 {
			return node{}, false
		}
		n := node{function: dateLiteral, option: e.Val}
		if e.Type == sqlparser.TimestampVal {
			n.function = timestampLiteral[p.digits]
		}
		return n, true
	})
}

// timeLiteral are literals of times with digits of a fraction.
var timeLiteral = func() (list [7]*Function) {
	for digits := range list {
		list[digits] = &Function{Name: "TIME", Type: func([]Type, *Context) Type { return temporalType(sqltypes.Time, digits) }, Eval: func(c *Call) (Value, error) {
			p, _ := parseTime(c.Option)
			return c.temporalValue(p.temporal, digits), nil
		}}
	}
	return list
}()

// temporalLiteral is a literal whose value depends on sql_mode, or on the session's zone.
func temporalLiteral(name string, typ sqltypes.Type, digits int) *Function {
	return &Function{Name: name, Type: func([]Type, *Context) Type { return temporalType(typ, digits) }, Eval: func(c *Call) (Value, error) {
		p, ok := parseDateTime(c.Option, c.storedRules())
		if !ok || p.cut || !p.atOffset(c.zone()) {
			return Null, newError(1525, "HY000", "Incorrect %s value: '%s'", name, shorten(c.Option))
		}
		return c.temporalValue(p.temporal, digits), nil
	}}
}
