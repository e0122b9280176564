package expr

import (
	"strconv"
	"time"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// temporal is a date, a time, or a date with a time. A part of a date may be 0; a day may be after the end of its month.
type temporal struct {
	year, month, day     int
	hour, minute, second int // hour is up to maxHour in a time
	micro                int
	negative             bool // a time before 0
	kind                 temporalKind
}

type temporalKind uint8

const (
	aDateTime temporalKind = iota
	aDate
	aTime
)

const (
	maxHour = 838
	// maxTime is the longest time, in microseconds; MySQL's has no fraction.
	maxTime = ((maxHour*60+59)*60 + 59) * microsPerSecond

	microsPerSecond = 1_000_000
	secondsPerDay   = 24 * 60 * 60
	microsPerDay    = secondsPerDay * microsPerSecond

	// epochDay is the number of 1970-01-01 in MySQL's count of days, TO_DAYS.
	epochDay = 719528
	// firstDay and lastDay are the numbers of days that FROM_DAYS has a date for, 0001-01-01 and 9999-12-31.
	firstDay, lastDay = 366, 3652424
)

// leap reports whether a year has 366 days. MySQL's year 0 has 365.
func leap(year int) bool {
	return year != 0 && year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

// daysIn is the number of days of a month, 1 to 12.
func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if leap(year) {
			return 29
		}
		return 28
	}
	return 31
}

// dayNumber is the number of a date in MySQL's count of days, 1 for 0000-01-01. Days after the end of a month, and
// parts that are 0, count from the month before.
func dayNumber(year, month, day int) int {
	if year == 0 && month == 0 {
		return 0
	}
	n := int(time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC).Unix()/secondsPerDay) + epochDay
	if year == 0 && month < 3 {
		n++ // time's year 0 has a 29th of February
	}
	return n + day - 1
}

// dateOfDay is the date of a number of a day; false: there is none.
func dateOfDay(n int) (year, month, day int, ok bool) {
	if n < firstDay || n > lastDay {
		return 0, 0, 0, false
	}
	t := time.Unix(int64(n-epochDay)*secondsPerDay, 0).UTC()
	return t.Year(), int(t.Month()), t.Day(), true
}

// weekday is a day's day of the week: 0 is Monday.
func weekday(n int) int { return (n + 5) % 7 }

func (t *temporal) dayNumber() int { return dayNumber(t.year, t.month, t.day) }

// yearDay is the day of the year, from 1.
func (t *temporal) yearDay() int { return t.dayNumber() - dayNumber(t.year, 1, 1) + 1 }

func (t *temporal) zeroDate() bool { return t.year == 0 && t.month == 0 && t.day == 0 }

// clock is the time of the day, or the time, in microseconds.
func (t *temporal) clock() int64 {
	n := int64((t.hour*60+t.minute)*60+t.second)*microsPerSecond + int64(t.micro)
	if t.negative {
		return -n
	}
	return n
}

// micros are the microseconds since day 0; of a time, its length.
func (t *temporal) micros() int64 {
	if t.kind == aTime {
		return t.clock()
	}
	return int64(t.dayNumber())*microsPerDay + t.clock()
}

// setClock sets the time of the day, or the time, of microseconds.
func (t *temporal) setClock(n int64) {
	t.negative = n < 0
	if t.negative {
		n = -n
	}
	t.micro, n = int(n%microsPerSecond), n/microsPerSecond
	t.second, n = int(n%60), n/60
	t.minute, t.hour = int(n%60), int(n/60)
}

// dateTimeOf is the date with time of microseconds since day 0; false: it is outside the years 0 to 9999.
func dateTimeOf(micros int64) (t temporal, ok bool) {
	if micros < 0 {
		return t, false
	}
	if t.year, t.month, t.day, ok = dateOfDay(int(micros / microsPerDay)); !ok {
		return t, false
	}
	t.setClock(micros % microsPerDay)
	return t, true
}

// timeOf is the time of microseconds; cut: it was over the longest.
func timeOf(micros int64) (t temporal, cut bool) {
	t.kind = aTime
	if micros > maxTime || micros < -maxTime {
		cut = true
		micros = max(-maxTime, min(maxTime, micros))
	}
	t.setClock(micros)
	return t, cut
}

// ofGo is a point in time as a date with time of its zone.
func ofGo(t time.Time) temporal {
	return temporal{
		year: t.Year(), month: int(t.Month()), day: t.Day(),
		hour: t.Hour(), minute: t.Minute(), second: t.Second(), micro: t.Nanosecond() / 1000,
	}
}

// inZone is the point in time of a date with time. In the hour that a zone skips it is the end of the gap.
func (t *temporal) inZone(zone *time.Location) time.Time {
	at := time.Date(t.year, time.Month(t.month), t.day, t.hour, t.minute, t.second, t.micro*1000, zone)
	if at.Hour() == t.hour && at.Minute() == t.minute {
		// MySQL takes the earlier of two.
		if before := at.Add(-time.Hour); before.Hour() == t.hour && before.Minute() == t.minute {
			return before
		}
		return at
	}
	// The zone skips this time: Go's is of the offset before or after the gap.
	start, end := at.ZoneBounds()
	if !start.IsZero() && at.Sub(start) <= 2*time.Hour || end.IsZero() {
		return start
	}
	return end
}

// round rounds the fraction of a second to digits. A date with time may become one of the year 10000: false.
func (t *temporal) round(digits int) bool {
	unit := pow10(6 - digits)
	rest := t.micro % unit
	t.micro -= rest
	if rest*2 < unit || unit == 1 {
		return true
	}
	return t.addMicros(int64(unit))
}

// truncate cuts the fraction of a second off after digits.
func (t *temporal) truncate(digits int) { t.micro -= t.micro % pow10(6-digits) }

// addMicros moves a value away from 0.
func (t *temporal) addMicros(n int64) bool {
	if t.kind == aTime {
		total := t.clock()
		if t.negative {
			n = -n
		}
		*t, _ = timeOf(total + n)
		return true
	}
	if t.month == 0 || t.day == 0 { // only the time can be counted on
		keep := *t
		keep.setClock(t.clock() + n)
		if keep.hour >= 24 {
			return false
		}
		*t = keep
		return true
	}
	moved, ok := dateTimeOf(t.micros() + n)
	if ok {
		moved.kind = t.kind
		*t = moved
	}
	return ok
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}

// appendPadded appends a number with at least so many digits.
func appendPadded(b []byte, n, digits int) []byte {
	if n < 0 {
		b = append(b, '-')
		n = -n
	}
	for p := pow10(digits - 1); p > n && p > 1; p /= 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// text is MySQL's form of a value, with so many digits of the fraction.
func (t *temporal) text(digits int) []byte {
	b := make([]byte, 0, 26)
	if t.kind != aTime {
		b = appendPadded(b, t.year, 4)
		b = appendPadded(append(b, '-'), t.month, 2)
		b = appendPadded(append(b, '-'), t.day, 2)
		if t.kind == aDate {
			return b
		}
		b = append(b, ' ')
	} else if t.negative {
		b = append(b, '-')
	}
	b = appendPadded(b, t.hour, 2)
	b = appendPadded(append(b, ':'), t.minute, 2)
	b = appendPadded(append(b, ':'), t.second, 2)
	if digits > 0 {
		b = appendPadded(append(b, '.'), t.micro/pow10(6-digits), digits)
	}
	return b
}

// The types of results; digits of the fraction are Size and Scale.

func dateType([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.Date, collations.CollationBinaryID, true, 0, 0, nil)
}

func temporalType(t sqltypes.Type, digits int) Type {
	return evalengine.NewTypeEx(t, collations.CollationBinaryID, true, int32(digits), int32(digits), nil)
}

// digitsOf are the digits of the fraction of a second that an argument of a type has; 6 for text and doubles.
func digitsOf(t Type) int {
	switch n := t.Type(); {
	case n == sqltypes.Datetime || n == sqltypes.Timestamp || n == sqltypes.Time:
		return int(max(0, min(6, t.Size())))
	case sqltypes.IsDecimal(n):
		return int(max(0, min(6, t.Scale())))
	case sqltypes.IsIntegral(n) || n == sqltypes.Date || sqltypes.IsNull(n):
		return 0
	case sqltypes.IsFloat(n):
		return int(min(6, Decimals(t)))
	}
	return 6
}

// temporalValue is a result of the call's type: a date, date with time, time, or text of one.
func (c *Call) temporalValue(t temporal, digits int) Value {
	switch c.Out.Type() {
	case sqltypes.Date:
		t.kind = aDate
	case sqltypes.Datetime, sqltypes.Timestamp:
		t.kind = aDateTime
	case sqltypes.Time:
		t.kind = aTime
	}
	return c.Bytes(t.text(digits))
}

// isTemporal reports whether a value is a date, a time, or both.
func isTemporal(v Value) bool {
	switch v.Type() {
	case sqltypes.Date, sqltypes.Datetime, sqltypes.Timestamp, sqltypes.Time:
		return true
	}
	return false
}

// temporalNumber is a date or time as a number: 2024-02-29 is 20240229.
func temporalNumber(v Value) Value {
	b := make([]byte, 0, 32)
	fraction := false
	for i, ch := range v.Raw() {
		switch {
		case isDigit(ch), ch == '-' && i == 0:
			b = append(b, ch)
		case ch == '.':
			b = append(b, ch)
			fraction = true
		}
	}
	if fraction {
		return sqltypes.MakeTrusted(sqltypes.Decimal, b)
	}
	n, _ := strconv.ParseInt(string(b), 10, 64)
	return Int(n)
}

// temporalInteger is a date or time as a whole number, rounded to a second.
func temporalInteger(v Value) int64 {
	var p parsed
	if v.Type() == sqltypes.Time {
		p, _ = parseTime(v.ToString())
	} else {
		p, _ = parseDateTime(v.ToString(), zeroParts|invalidDays)
		if v.Type() == sqltypes.Date {
			return int64((p.year*100+p.month)*100 + p.day)
		}
	}
	p.round(0)
	n := int64(p.hour*100+p.minute)*100 + int64(p.second)
	if p.kind != aTime {
		n += int64((p.year*100+p.month)*100+p.day) * 1_000_000
	}
	if p.negative {
		return -n
	}
	return n
}
