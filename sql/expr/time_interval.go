package expr

import (
	"fmt"
	"math"
	"strings"

	"vitess.io/vitess/go/mysql/datetime"
	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Intervals: DATE_ADD, DATE_SUB, ADDDATE, SUBDATE, TIMESTAMPADD and date + INTERVAL.

// intervalUnit is a unit of intervals.
type intervalUnit struct {
	name string
	// fields are what one of each field is worth, the largest first: months, or microseconds.
	fields []int64
	months bool
	// clock: there are fields smaller than a day; days: there are days or larger ones.
	clock, days bool
	// fraction: the last field is the digits of a fraction of a second.
	fraction bool
}

const (
	microsPerMinute = 60 * microsPerSecond
	microsPerHour   = 60 * microsPerMinute
)

var intervalUnits = map[datetime.IntervalType]*intervalUnit{
	datetime.IntervalYear:              {name: "YEAR", fields: []int64{12}, months: true, days: true},
	datetime.IntervalQuarter:           {name: "QUARTER", fields: []int64{3}, months: true, days: true},
	datetime.IntervalMonth:             {name: "MONTH", fields: []int64{1}, months: true, days: true},
	datetime.IntervalYearMonth:         {name: "YEAR_MONTH", fields: []int64{12, 1}, months: true, days: true},
	datetime.IntervalWeek:              {name: "WEEK", fields: []int64{7 * microsPerDay}, days: true},
	datetime.IntervalDay:               {name: "DAY", fields: []int64{microsPerDay}, days: true},
	datetime.IntervalHour:              {name: "HOUR", fields: []int64{microsPerHour}, clock: true},
	datetime.IntervalMinute:            {name: "MINUTE", fields: []int64{microsPerMinute}, clock: true},
	datetime.IntervalSecond:            {name: "SECOND", fields: []int64{microsPerSecond}, clock: true},
	datetime.IntervalMicrosecond:       {name: "MICROSECOND", fields: []int64{1}, clock: true},
	datetime.IntervalDayHour:           {name: "DAY_HOUR", fields: []int64{microsPerDay, microsPerHour}, clock: true, days: true},
	datetime.IntervalDayMinute:         {name: "DAY_MINUTE", fields: []int64{microsPerDay, microsPerHour, microsPerMinute}, clock: true, days: true},
	datetime.IntervalDaySecond:         {name: "DAY_SECOND", fields: []int64{microsPerDay, microsPerHour, microsPerMinute, microsPerSecond}, clock: true, days: true},
	datetime.IntervalDayMicrosecond:    {name: "DAY_MICROSECOND", fields: []int64{microsPerDay, microsPerHour, microsPerMinute, microsPerSecond, 1}, clock: true, days: true, fraction: true},
	datetime.IntervalHourMinute:        {name: "HOUR_MINUTE", fields: []int64{microsPerHour, microsPerMinute}, clock: true},
	datetime.IntervalHourSecond:        {name: "HOUR_SECOND", fields: []int64{microsPerHour, microsPerMinute, microsPerSecond}, clock: true},
	datetime.IntervalHourMicrosecond:   {name: "HOUR_MICROSECOND", fields: []int64{microsPerHour, microsPerMinute, microsPerSecond, 1}, clock: true, fraction: true},
	datetime.IntervalMinuteSecond:      {name: "MINUTE_SECOND", fields: []int64{microsPerMinute, microsPerSecond}, clock: true},
	datetime.IntervalMinuteMicrosecond: {name: "MINUTE_MICROSECOND", fields: []int64{microsPerMinute, microsPerSecond, 1}, clock: true, fraction: true},
	datetime.IntervalSecondMicrosecond: {name: "SECOND_MICROSECOND", fields: []int64{microsPerSecond, 1}, clock: true, fraction: true},
}

// addDate are the functions that add and subtract an interval, by unit.
var addDate = map[datetime.IntervalType][2]*Function{}

func init() {
	for t, u := range intervalUnits {
		addDate[t] = [2]*Function{dateAdd("DATE_ADD", u, false), dateAdd("DATE_SUB", u, true)}
	}
	registerNode(func(e *sqlparser.IntervalDateExpr) (node, bool) {
		i := 0
		if e.IsSubtraction() {
			i = 1
		}
		both, ok := addDate[e.NormalizedUnit()]
		return node{function: both[i], args: []sqlparser.Expr{e.Date, e.Interval}}, ok
	})
}

// dateAdd is DATE_ADD, or DATE_SUB, of a unit: a date, a date with time or a time as the first argument is, else a text.
func dateAdd(name string, u *intervalUnit, subtract bool) *Function {
	typ := func(args []Known, c *Context) Type {
		digits := max(args[0].dateDigits(c), u.digits(args[1].Type))
		switch t := args[0].Type.Type(); t {
		case sqltypes.Date:
			if !u.clock {
				return dateType(nil, c)
			}
			return temporalType(sqltypes.Datetime, digits)
		case sqltypes.Datetime, sqltypes.Timestamp:
			return temporalType(sqltypes.Datetime, digits)
		case sqltypes.Time:
			if u.clock {
				return temporalType(sqltypes.Time, digits)
			}
			return temporalType(sqltypes.Datetime, digits)
		}
		return timeText(digits, c)
	}
	return &Function{Name: name, Moment: true, Min: 2, Max: 2, Typed: typ, Ask: func(c *Call, need func(i int) error) (Value, error) { return c.dateAdd(u, need, subtract) }}
}

// digits are the digits of the fraction of a second that an interval of a type has.
func (u *intervalUnit) digits(t Type) int {
	switch {
	case u.fraction || u.name == "MICROSECOND":
		return 6
	case u.name == "SECOND":
		return digitsOf(t)
	}
	return 0
}

func (c *Call) dateAdd(u *intervalUnit, need func(i int) error, subtract bool) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Null, err
	}
	get := func(i int) (parsed, bool) { return c.date(i, realRules) }
	if c.Out.Type() == sqltypes.Time {
		get = c.time
	}
	p, ok := get(0)
	if !ok {
		if isTemporal(c.Args[0]) {
			c.Warn(1292, fmt.Sprintf("Incorrect datetime value: '%s'", c.Str(0)))
		}
		return Null, nil
	}
	if err := need(1); err != nil || c.IsNull(1) {
		return Null, err
	}
	n, fit, ok := c.interval(1, u, subtract)
	if !ok {
		return Null, nil
	}
	if c.Out.Type() == sqltypes.Time {
		return c.timeAdd(u, p, n, fit), nil
	}
	return c.dateMoved(u, p, n, fit), nil
}

// dateMoved is a date and an interval.
func (c *Call) dateMoved(u *intervalUnit, p parsed, n int64, fit bool) Value {
	if !fit || !u.add(&p.temporal, n) {
		return c.overflow("datetime")
	}
	if u.clock {
		p.kind = aDateTime
	}
	digits := max(p.digits, u.digits(c.Types[1]))
	if c.isText() {
		digits = c.textFraction(&p.temporal)
	}
	return c.temporalValue(p.temporal, digits)
}

// textFraction are the digits of the fraction of a value returned as text: those of the type, or none.
func (c *Call) textFraction(t *temporal) int {
	if t.micro == 0 {
		return 0
	}
	return int(c.Out.Scale())
}

// isText reports whether the call's result is a text.
func (c *Call) isText() bool { return sqltypes.IsText(c.Out.Type()) }

// timeAdd is a time and an interval.
func (c *Call) timeAdd(u *intervalUnit, p parsed, n int64, fit bool) Value {
	if !fit || n > 2*maxTime || n < -2*maxTime {
		return c.overflow("time")
	}
	t, cut := timeOf(p.clock() + n)
	if cut {
		return c.overflow("time")
	}
	return c.temporalValue(t, max(p.digits, u.digits(c.Types[1])))
}

// overflow is NULL, with a warning.
func (c *Call) overflow(kind string) Value {
	c.Warn(1441, fmt.Sprintf("Datetime function: %s field overflow", kind))
	return Null
}

// add adds months or microseconds to a date; false: the result is outside the years 0 to 9999.
func (u *intervalUnit) add(t *temporal, n int64) bool {
	if !u.months {
		if n > 2*lastDay*microsPerDay || n < -2*lastDay*microsPerDay {
			return false
		}
		moved, ok := dateTimeOf(t.micros() + n)
		moved.kind = t.kind
		*t = moved
		return ok
	}
	if n > 12*10000 || n < -12*10000 {
		return false
	}
	months := t.year*12 + t.month - 1 + int(n)
	if months < 0 || months >= 12*10000 {
		return false
	}
	t.year, t.month = months/12, months%12+1
	t.day = min(t.day, daysIn(t.year, t.month))
	return true
}

// interval is the i-th argument as months or microseconds of a unit. Not fit: they have more than 64 bits; not ok: it has
// too many fields, or too long ones.
func (c *Call) interval(i int, u *intervalUnit, negate bool) (n int64, fit, ok bool) {
	if len(u.fields) > 1 {
		n, fit, ok = u.composite(c.Str(i))
	} else {
		n, fit, ok = c.single(i, u)
	}
	if negate {
		n = -n
	}
	return n, fit, ok
}

// single is an interval of one field: a whole number, or seconds with a fraction. Months, years and microseconds over 63 bits
// are their complement.
func (c *Call) single(i int, u *intervalUnit) (n int64, fit, ok bool) {
	v := c.numeric(i)
	if t := v.Type(); sqltypes.IsUnsigned(t) {
		n, err := v.ToUint64()
		if err == nil && n > math.MaxInt64 && (u.months && u.fields[0] != 3 || u.fields[0] == 1) {
			part, fit := times(int64(n), u.fields[0])
			return part, fit, true
		}
		if err != nil || n > math.MaxInt64 {
			return 0, false, true
		}
	}
	if u.name != "SECOND" || sqltypes.IsIntegral(v.Type()) {
		n, fit = times(c.Integer(i), u.fields[0])
		return n, fit, true
	}
	d := c.exact(i)
	if d.CmpAbs(decimal.New(1, 18)) >= 0 {
		c.Warn(1292, fmt.Sprintf("Truncated incorrect seconds value: '%s'", shorten(c.Str(i))))
		return 0, false, false
	}
	n, fit = d.Mul(decimal.NewFromInt(microsPerSecond)).Truncate(0).Int64()
	return n, fit, true
}

// exact is the i-th argument as an exact number; a text is read up to what is no number.
func (c *Call) exact(i int) decimal.Decimal {
	if t := c.numeric(i).Type(); sqltypes.IsIntegral(t) || sqltypes.IsDecimal(t) {
		return c.Decimal(i)
	}
	f := c.Float(i)
	if math.IsNaN(f) || math.Abs(f) > 1e19 {
		f = math.Copysign(1e19, f)
	}
	return decimal.NewFromFloat(f)
}

// times multiplies; false: the product has more than 64 bits.
func times(a, b int64) (int64, bool) {
	if a > math.MaxInt64/b || a < -(math.MaxInt64/b) {
		return 0, false
	}
	return a * b, true
}

// composite reads an interval of several fields, such as '1 2:3:4'. Any text stands between the fields; if there are
// fewer than the unit has, they are the last ones.
func (u *intervalUnit) composite(s string) (n int64, fit, ok bool) {
	if len(s) > longestTemporal {
		return 0, true, false
	}
	r := reader{s: s}
	r.spaces()
	negative := r.peek() == '-'
	var values []int64
	for {
		for r.more() && !isDigit(r.peek()) {
			r.at++
		}
		if !r.more() {
			break
		}
		if len(values) == len(u.fields) {
			return 0, true, false
		}
		value, ok := r.field(u.fraction, len(values) == len(u.fields)-1)
		if !ok {
			return 0, true, false
		}
		values = append(values, value)
	}
	for i, value := range values {
		part, ok := times(value, u.fields[len(u.fields)-len(values)+i])
		if !ok || part > math.MaxInt64-n {
			return 0, false, true
		}
		n += part
	}
	if negative {
		n = -n
	}
	return n, true, true
}

// field reads digits. If the unit has a fraction, the last ones are digits of it.
func (r *reader) field(fraction, last bool) (n int64, ok bool) {
	start, value := r.at, uint64(0)
	for r.more() && isDigit(r.peek()) {
		if value > math.MaxInt64/10 {
			return 0, false
		}
		value = value*10 + uint64(r.peek()-'0')
		r.at++
	}
	if !fraction || !last && strings.ContainsFunc(r.s[r.at:], func(next rune) bool { return next >= '0' && next <= '9' }) {
		return int64(min(value, math.MaxInt64)), true
	}
	digits := r.at - start
	for ; digits > 6; digits-- {
		value /= 10
	}
	return int64(value) * int64(pow10(6-digits)), true
}
