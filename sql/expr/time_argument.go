package expr

import (
	"fmt"
	"strings"

	"vitess.io/vitess/go/sqltypes"
)

// Arguments that are dates or times.

// partRules are those of functions that return a part of a date, which may be 0.
func (c *Context) partRules() dateRules { return zeroParts | c.daysRule() }

// storedRules are those of functions that return a date as it is: what sql_mode accepts.
func (c *Context) storedRules() dateRules {
	r := c.daysRule()
	if !c.mode("NO_ZERO_IN_DATE") {
		r |= zeroParts
	}
	if c.mode("NO_ZERO_DATE") {
		r |= noZeroDate
	}
	return r
}

// realRules are those of functions that compute with the days of the calendar.
const realRules = noZeroDate

func (c *Context) daysRule() dateRules {
	if c.mode("ALLOW_INVALID_DATES") {
		return invalidDays
	}
	return 0
}

// mode reports whether sql_mode has a mode.
func (c *Context) mode(name string) bool {
	for rest := c.SQLMode; rest != ""; {
		var one string
		if one, rest, _ = strings.Cut(rest, ","); one == name {
			return true
		}
	}
	return false
}

// date is the i-th argument as a date, or date with time; false: it is none, after a warning.
func (c *Call) date(i int, rules dateRules) (p parsed, ok bool) {
	v := c.moment(i)
	switch t := v.Type(); {
	case t == sqltypes.Time:
		p, ok = c.today(v)
	case t == sqltypes.Date, t == sqltypes.Datetime, t == sqltypes.Timestamp:
		// A value of a column may have a day that its month has not.
		p, ok = parseDateTime(v.ToString(), zeroParts|invalidDays)
		if ok = ok && (rules | invalidDays).accepts(&p.temporal); t != sqltypes.Date {
			p.kind = aDateTime
		}
	case sqltypes.IsNumber(t):
		n, micro, digits, negative, whole := split(v.ToString())
		if whole && !(negative && (n != 0 || micro != 0)) {
			p, ok = dateTimeOfNumber(n, micro, rules)
			ok = ok && (n != 0 || micro == 0 || rules&zeroParts != 0)
		}
		p.digits = max(digits, digitsOf(c.Types[i]))
	default:
		p, ok = parseDateTime(c.plain(i), rules)
		if ok = ok && p.atOffset(c.zone()); !ok {
			p.digits = 6
		}
		p.digits = c.textDigits(i, p.digits)
	}
	c.checked("datetime", v, &p, ok)
	return p, ok
}

// clock is the i-th argument as a time; one with a date keeps it, and its kind.
func (c *Call) clock(i int) (p parsed, ok bool) {
	v := c.moment(i)
	switch t := v.Type(); {
	case t == sqltypes.Time:
		p, ok = parseTime(v.ToString())
	case t == sqltypes.Date, t == sqltypes.Datetime, t == sqltypes.Timestamp:
		p, ok = parseDateTime(v.ToString(), zeroParts|invalidDays)
	case sqltypes.IsNumber(t):
		n, micro, digits, negative, whole := split(v.ToString())
		if whole {
			p, ok = timeOfNumber(n, micro, negative)
		} else {
			p.temporal, ok = temporal{kind: aTime, hour: maxHour, minute: 59, second: 59, negative: negative}, true
			p.cut, p.over = true, true
		}
		p.digits = max(digits, digitsOf(c.Types[i]))
	default:
		p, ok = parseTime(c.plain(i))
		p.digits = c.textDigits(i, p.digits)
	}
	c.checked("time", v, &p, ok)
	return p, ok
}

// maxDurationHours bounds a time that is added to another.
const maxDurationHours = 87649415

// duration is the i-th argument as a time that is added to another, which is not cut at the longest; what has a date is
// none.
func (c *Call) duration(i int) (p parsed, ok bool) {
	v := c.Args[i]
	text := v.ToString()
	switch t := v.Type(); {
	case t == sqltypes.Time:
		return parseTime(text)
	case isTemporal(v):
		ok = false
	case sqltypes.IsNumber(t):
		n, micro, digits, negative, whole := split(text)
		minute, second := n/100%100, n%100
		if ok = whole && minute < 60 && second < 60 && n/10000 <= maxDurationHours; ok {
			p.temporal = temporal{kind: aTime, hour: int(n / 10000), minute: int(minute), second: int(second), micro: micro, negative: negative}
		}
		p.digits = max(digits, digitsOf(c.Types[i]))
		p.cut = finer(text)
		ok = ok && !strings.Contains(text, "e") // a double with an exponent is none
	default:
		text = c.plain(i)
		if p, ok = parseDuration(text); strings.Contains(strings.TrimLeft(text, " -"), "-") {
			ok = false
		}
		ok = ok && p.kind == aTime && p.hour <= maxDurationHours
		p.digits = c.textDigits(i, p.digits)
	}
	if !ok || p.cut {
		c.Warn(1292, fmt.Sprintf("Truncated incorrect INTERVAL DAY TO SECOND value: '%s'", shorten(text)))
	}
	return p, ok
}

// finer reports whether a number has digits behind microseconds.
func finer(text string) bool {
	d, over := parseDecimal(text)
	return !over && d.Cmp(d.Truncate(6)) != 0
}

// time is the i-th argument as a time, or the time of the day of one with a date.
func (c *Call) time(i int) (p parsed, ok bool) {
	p, ok = c.clock(i)
	p.kind, p.year, p.month, p.day = aTime, 0, 0, 0
	return p, ok
}

// today is a time as a date with time of the statement's day.
func (c *Call) today(v Value) (p parsed, ok bool) {
	clock, ok := parseTime(v.ToString())
	if !ok {
		return p, false
	}
	now := ofGo(c.Now.In(c.zone()))
	p.temporal, ok = dateTimeOf(int64(now.dayNumber())*microsPerDay + clock.clock())
	p.digits = clock.digits
	return p, ok
}

// plain is a text argument; a JSON string without its quotes.
func (c *Call) plain(i int) string {
	s := c.Str(i)
	if c.Args[i].Type() == sqltypes.TypeJSON && len(s) >= 2 && s[0] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// textDigits are the digits of the fraction of a text: those that a constant has, and 6 where the rows differ.
func (c *Call) textDigits(i, has int) int {
	if i < len(c.Constant) && !c.Constant[i] {
		return 6
	}
	return has
}

// checked warns of a value that is no date or time, or has something behind it.
func (c *Call) checked(kind string, v Value, p *parsed, ok bool) {
	switch {
	case ok && p.cut || !ok && kind == "time":
		c.Warn(1292, fmt.Sprintf("Truncated incorrect %s value: '%s'", kind, shorten(v.ToString())))
	case !ok && isTemporal(v): // a date that a column holds is no fault
	case !ok:
		c.Warn(1292, fmt.Sprintf("Incorrect %s value: '%s'", kind, shorten(v.ToString())))
	}
}
