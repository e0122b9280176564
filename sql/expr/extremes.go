package expr

import (
	"fmt"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// GREATEST and LEAST of dates or times beside other types, which are converted to those; and INTERVAL().

var extremes = map[string]*Function{
	"greatest": extreme("GREATEST", 1),
	"least":    extreme("LEAST", -1),
}

func extreme(name string, sign int) *Function {
	return &Function{Name: name, Min: 2, Max: -1, Typed: extremeType, Eval: func(c *Call) (Value, error) { return c.extreme(sign), nil }}
}

// extremeType is a time if there are no dates, a date if there are no times, else a date with time.
func extremeType(args []Known, c *Context) Type {
	dates, times, both := false, false, false
	for _, a := range args {
		switch t := a.Type.Type(); t {
		case sqltypes.Date:
			dates = true
		case sqltypes.Time:
			times = true
		case sqltypes.Datetime, sqltypes.Timestamp:
			both = true
		}
	}
	switch {
	case times && !dates && !both:
		return temporalType(sqltypes.Time, mostDigits(c, Known.timeDigits, args...))
	case dates && !times && !both:
		return dateType(nil, c)
	}
	return temporalType(sqltypes.Datetime, mostDigits(c, Known.dateDigits, args...))
}

func (c *Call) extreme(sign int) Value {
	read := func(i int) (parsed, bool) { return c.date(i, zeroParts|invalidDays) }
	if c.Out.Type() == sqltypes.Time {
		read = c.time
	}
	var most parsed
	sound := false // the most is of an argument that is a date
	for i := range c.Args {
		if c.IsNull(i) {
			return Null
		}
		p, ok := read(i)
		if !ok && c.Out.Type() == sqltypes.Time {
			return Null
		}
		if !ok {
			p.temporal = temporal{} // what is no date is before all
		}
		if i == 0 || sign*compareInt64(p.micros(), most.micros()) > 0 {
			most, sound = p, ok
		}
	}
	if c.Out.Type() != sqltypes.Time && !c.storedRules().accepts(&most.temporal) {
		if sound {
			c.Warn(1292, fmt.Sprintf("Incorrect datetime value: '%s'", most.text(0)))
		}
		return Null
	}
	return c.temporalValue(most.temporal, int(c.Out.Size()))
}

func compareInt64(a, b int64) int { return b2i(a > b) - b2i(a < b) }

var interval = &Function{Name: "INTERVAL", Min: 2, Max: -1, Type: integerType, Ask: evalInterval}

func init() {
	registerNode(func(e *sqlparser.IntervalFuncExpr) (node, bool) {
		return node{function: interval, args: append([]sqlparser.Expr{e.Expr}, e.Exprs...)}, true
	})
}

// evalInterval is INTERVAL(): how many of the other arguments are before the first that is larger than argument 0.
func evalInterval(c *Call, need func(i int) error) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Int(-1), err
	}
	exact := true
	for i, t := range c.Types {
		k := t.Type()
		exact = exact && (sqltypes.IsIntegral(k) || sqltypes.IsDecimal(k) || sqltypes.IsNull(k) || sqltypes.IsDateOrTime(k) || c.Number[i] || c.Moment[i])
	}
	var larger func(i int) bool
	if exact {
		n := c.Decimal(0)
		larger = func(i int) bool { return c.Decimal(i).Cmp(n) > 0 }
	} else {
		n := c.Float(0)
		larger = func(i int) bool { return c.Float(i) > n }
	}
	for i := 1; i < len(c.Args); i++ {
		if err := need(i); err != nil {
			return Null, err
		}
		if !c.IsNull(i) && larger(i) {
			return Int(int64(i - 1)), nil
		}
	}
	return Int(int64(len(c.Args) - 1)), nil
}
