package expr

import (
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Casts to dates and times. A fraction is rounded to the digits of the type, or cut under TIME_TRUNCATE_FRACTIONAL.

var castDate = &Function{Name: "CAST_AS_DATE", Min: 1, Max: 1, Type: dateType, Eval: func(c *Call) (Value, error) {
	if p, ok := c.date(0, c.storedRules()); ok {
		return c.temporalValue(p.temporal, 0), nil
	}
	return Null, nil
}}

// castTime is the cast to DATETIME or TIME with digits.
func castTime(to *sqlparser.ConvertType) *Function {
	digits, typ := 0, sqltypes.Datetime
	if to.Length != nil {
		digits = *to.Length
	}
	if digits < 0 || digits > 6 {
		return refused(1426, "42000", "Too-big precision %d specified for 'CAST'. Maximum is 6.", digits)
	}
	read := func(c *Call) (parsed, bool) { return c.date(0, c.storedRules()) }
	if strings.EqualFold(to.Type, "TIME") {
		typ = sqltypes.Time
		read = func(c *Call) (parsed, bool) { return c.time(0) }
	}
	return &Function{
		Name: "CAST_AS_" + strings.ToUpper(to.Type), Min: 1, Max: 1,
		Type: func([]Type, *Context) Type { return temporalType(typ, digits) },
		Eval: func(c *Call) (Value, error) {
			p, ok := read(c)
			if !ok {
				return Null, nil
			}
			if typ == sqltypes.Datetime {
				p.kind = aDateTime
			}
			switch {
			case c.mode("TIME_TRUNCATE_FRACTIONAL"):
				p.truncate(digits)
			case !p.round(digits):
				return c.overflow("datetime"), nil
			}
			return c.temporalValue(p.temporal, digits), nil
		},
	}
}
