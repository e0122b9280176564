package expr

import (
	"fmt"
	"math"
	"strings"

	"vitess.io/vitess/go/mysql/datetime"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Sums and differences of dates and times.

func init() {
	register(
		&Function{Name: "ADDTIME", Moment: true, Min: 2, Max: 2, Typed: sumType, Ask: func(c *Call, need func(i int) error) (Value, error) { return c.addTime(need, 1) }},
		&Function{Name: "SUBTIME", Moment: true, Min: 2, Max: 2, Typed: sumType, Ask: func(c *Call, need func(i int) error) (Value, error) { return c.addTime(need, -1) }},
		&Function{Name: "TIMESTAMP", Min: 1, Max: 2, Typed: timestampType, Ask: timestamp},
		&Function{Name: "TIMEDIFF", Min: 2, Max: 2, Typed: func(args []Known, c *Context) Type {
			return temporalType(sqltypes.Time, mostDigits(c, Known.timeDigits, args...))
		}, Ask: timeDiff},
		&Function{Name: "DATEDIFF", Min: 2, Max: 2, Convert: toDate, Type: integerType, Eval: func(c *Call) (Value, error) {
			a, okA := c.date(0, realRules)
			b, okB := c.date(1, realRules)
			if !okA || !okB {
				return Null, nil
			}
			return Int(int64(a.dayNumber() - b.dayNumber())), nil
		}},
		&Function{Name: "PERIOD_ADD", Min: 2, Max: 2, Convert: toIntegers, Type: integerType, Eval: periodAdd},
		&Function{Name: "PERIOD_DIFF", Min: 2, Max: 2, Convert: toIntegers, Type: integerType, Eval: periodDiff},
	)
	for t, u := range intervalUnits {
		timestampDiffs[t] = &Function{Name: "TIMESTAMPDIFF", Min: 2, Max: 2, Type: integerType, Ask: func(c *Call, need func(i int) error) (Value, error) { return c.timestampDiff(u, need) }}
	}
	registerNode(func(e *sqlparser.TimestampDiffExpr) (node, bool) {
		f := timestampDiffs[e.Unit]
		return node{function: f, args: []sqlparser.Expr{e.Expr1, e.Expr2}}, f != nil
	})
}

var timestampDiffs = map[datetime.IntervalType]*Function{}

// sumType is the type of ADDTIME and SUBTIME.
func sumType(args []Known, c *Context) Type {
	first := args[0].Type
	digits := max(digitsOf(first), args[1].durationDigits(c))
	if sqltypes.IsNull(args[1].Type.Type()) {
		digits = 6
	}
	switch k := first.Type(); {
	case k == sqltypes.Time:
		return temporalType(sqltypes.Time, digits)
	case sqltypes.IsDateOrTime(k):
		return temporalType(sqltypes.Datetime, digits)
	case sqltypes.IsText(k) || sqltypes.IsBinary(k):
		digits = 6
	}
	return timeText(digits, c)
}

// timeText is the type of a date or time returned as text: its scale are the digits of a fraction.
func timeText(digits int, c *Context) Type {
	return evalengine.NewTypeEx(sqltypes.VarChar, c.Collation, true, 0, int32(digits), nil)
}

func timestampType(args []Known, c *Context) Type {
	digits := args[0].dateDigits(c)
	for _, a := range args[1:] {
		if sqltypes.IsNull(a.Type.Type()) {
			return temporalType(sqltypes.Datetime, 6)
		}
		digits = max(digits, a.durationDigits(c))
	}
	return temporalType(sqltypes.Datetime, digits)
}

// addTime adds a time to a time, or to a date with time.
func (c *Call) addTime(need func(i int) error, sign int64) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Null, err
	}
	var a parsed
	var ok bool
	if c.Out.Type() == sqltypes.Datetime {
		if a, ok = c.date(0, zeroParts); ok {
			a.kind = aDateTime
		}
	} else {
		a, ok = c.clock(0)
	}
	if !ok {
		return Null, nil
	}
	if err := need(1); err != nil || c.IsNull(1) {
		return Null, err
	}
	b, ok := c.duration(1)
	if !ok {
		return Null, nil
	}
	return c.sum(a, b, sign), nil
}

func (c *Call) sum(a, b parsed, sign int64) Value {
	digits := max(a.digits, b.digits)
	if a.kind == aTime {
		t, cut := timeOf(a.clock() + sign*b.clock())
		if cut {
			c.Warn(1292, fmt.Sprintf("Truncated incorrect time value: '%s'", t.text(0)))
		}
		if c.isText() {
			digits = c.textFraction(&t)
		}
		return c.temporalValue(t, digits)
	}
	if a.zeroDate() { // other parts of 0 count from the month before
		return Null
	}
	a.kind = aDateTime
	t, ok := dateTimeOf(a.micros() + sign*b.clock())
	if !ok {
		return c.overflow("datetime")
	}
	if c.isText() {
		digits = c.textFraction(&t)
	}
	return c.temporalValue(t, digits)
}

// timestamp is TIMESTAMP: a date with time, or the sum of one and a time.
func timestamp(c *Call, need func(i int) error) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Null, err
	}
	if len(c.Args) == 1 {
		if p, ok := c.date(0, c.storedRules()); ok {
			return c.temporalValue(p.temporal, p.digits), nil
		}
		return Null, nil
	}
	a, ok := c.date(0, zeroParts)
	if !ok {
		return Null, nil
	}
	if err := need(1); err != nil || c.IsNull(1) {
		return Null, err
	}
	b, ok := c.duration(1)
	if !ok {
		return Null, nil
	}
	a.kind = aDateTime
	return c.sum(a, b, 1), nil
}

// timeDiff is TIMEDIFF: both arguments are times, or both have dates.
func timeDiff(c *Call, need func(i int) error) (Value, error) {
	get := c.clock
	if c.hasDate(0) || c.hasDate(1) {
		if c.Types[0].Type() == sqltypes.Time || c.Types[1].Type() == sqltypes.Time {
			return Null, nil
		}
		get = func(i int) (parsed, bool) { return c.date(i, c.storedRules()|zeroParts) }
	}
	var both [2]parsed
	for i := range both {
		if err := need(i); err != nil || c.IsNull(i) {
			return Null, err
		}
		var ok bool
		if both[i], ok = get(i); !ok {
			return Null, nil
		}
	}
	a, b := both[0], both[1]
	if a.kind != b.kind {
		return Null, nil
	}
	t, cut := timeOf(a.micros() - b.micros())
	if cut {
		c.Warn(1292, fmt.Sprintf("Truncated incorrect time value: '%s'", t.text(0)))
	}
	return c.temporalValue(t, max(a.digits, b.digits)), nil
}

// hasDate reports whether the i-th argument is of a type with a date.
func (c *Call) hasDate(i int) bool {
	switch c.Types[i].Type() {
	case sqltypes.Date, sqltypes.Datetime, sqltypes.Timestamp:
		return true
	}
	return false
}

// timestampDiff is TIMESTAMPDIFF: the whole units from the first argument to the second.
func (c *Call) timestampDiff(u *intervalUnit, need func(i int) error) (Value, error) {
	var both [2]parsed
	for i := range both {
		if err := need(i); err != nil || c.IsNull(i) {
			return Null, err
		}
		var ok bool
		if both[i], ok = c.date(i, realRules); !ok {
			return Null, nil
		}
		both[i].kind = aDateTime
	}
	a, b := both[0], both[1]
	if !u.months {
		return Int((b.micros() - a.micros()) / u.fields[0]), nil
	}
	sign := int64(1)
	if a.micros() > b.micros() {
		a, b, sign = b, a, -1
	}
	months := (b.year-a.year)*12 + b.month - a.month
	if b.day < a.day || b.day == a.day && b.clock() < a.clock() {
		months--
	}
	return Int(sign * int64(months) / u.fields[0]), nil
}

// periodAdd is PERIOD_ADD. It computes with 32 bits, as MySQL.
func periodAdd(c *Call) (Value, error) {
	months, err := c.period(0)
	if err != nil {
		return Null, err
	}
	months += uint32(c.Integer(1))
	if months == 0 {
		return Int(0), nil
	}
	year := months / 12
	if year < 100 {
		year = uint32(fullYear(int(year)))
	}
	return Int(int64(year)*100 + int64(months%12) + 1), nil
}

func periodDiff(c *Call) (Value, error) {
	a, err := c.period(0)
	if err != nil {
		return Null, err
	}
	b, err := c.period(1)
	if err != nil {
		return Null, err
	}
	return Int(int64(int32(a - b))), nil
}

// period is the i-th argument, YYMM or YYYYMM, in months.
func (c *Call) period(i int) (uint32, error) {
	n := c.Integer(i)
	if n <= 0 || n > math.MaxUint32 || n%100 == 0 || n%100 > 12 {
		return 0, newError(1210, "HY000", "Incorrect arguments to %s", strings.ToLower(c.Function.Name))
	}
	year := uint32(n / 100)
	if year < 100 {
		year = uint32(fullYear(int(year)))
	}
	return year*12 + uint32(n%100) - 1, nil
}
