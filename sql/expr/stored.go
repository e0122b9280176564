package expr

import (
	"strings"
	"time"

	"vitess.io/vitess/go/sqltypes"
)

// Dates and times as columns store them.

// StoredFault says how a value differs from what a column of dates or times stores for it.
type StoredFault uint8

// The faults. Beside StoredCut and StoredNoted, the value is the one that is stored where the fault is not an error.
const (
	StoredExact   StoredFault = iota
	StoredNoted               // a date or a time of day was left out
	StoredCut                 // something behind the value was left out
	StoredBad                 // it is no date or time
	StoredZero                // it is the zero date, which sql_mode refuses
	StoredOverEnd             // it is beyond the range of the type
)

// StoredTime is a date, a time, or both, as a column stores it.
type StoredTime struct {
	Zero  bool          // 0000-00-00 00:00:00
	At    time.Time     // of a date, in UTC
	Span  time.Duration // of a TIME
	Fault StoredFault
}

// The range of TIMESTAMP, in seconds since 1970.
const firstTimestamp, lastTimestamp = 1, 1<<31 - 1

// ToStored is what a column of type to (DATE, DATETIME, TIMESTAMP or TIME), with so many digits of a second's fraction, stores
// for a value.
func ToStored(c *Context, v Value, to sqltypes.Type, digits int) StoredTime {
	if to == sqltypes.Time {
		return storedSpan(c, v, digits)
	}
	rules := c.storedRules() &^ (zeroParts | invalidDays) // no column holds such a date
	p, fault := readDate(c, v, rules)
	if fault == StoredBad || fault == StoredZero {
		return StoredTime{Zero: true, Fault: fault}
	}
	if !p.atOffset(c.zone()) {
		return StoredTime{Zero: true, Fault: StoredBad}
	}
	if p.zeroDate() {
		return StoredTime{Zero: true, Fault: fault}
	}
	at := digits
	if to == sqltypes.Date {
		at = 0
	}
	if c.mode("TIME_TRUNCATE_FRACTIONAL") {
		p.truncate(at)
	} else if !p.round(at) {
		return StoredTime{Zero: true, Fault: StoredOverEnd}
	}
	if to == sqltypes.Date {
		if p.clock() != 0 && fault == StoredExact {
			fault = StoredNoted
		}
		p.setClock(0)
	}
	out := StoredTime{Fault: fault, At: time.Date(p.year, time.Month(p.month), p.day, p.hour, p.minute, p.second, p.micro*1000, time.UTC)}
	if to == sqltypes.Timestamp {
		if n := p.inZone(c.zone()).Unix(); n < firstTimestamp || n > lastTimestamp {
			return StoredTime{Zero: true, Fault: StoredOverEnd}
		}
	}
	return out
}

// firstWithClock is the least number of a date that has a time of day behind it.
const firstWithClock = 101_000_000

// readDate reads a date with time.
func readDate(c *Context, v Value, rules dateRules) (p parsed, fault StoredFault) {
	ok := false
	switch t := v.Type(); {
	case t == sqltypes.Time:
		call := Call{Context: c, Args: []Value{v}}
		p, ok = call.today(v)
	case isTemporal(v):
		p, ok = parseDateTime(v.ToString(), rules)
	case sqltypes.IsNumber(t):
		n, micro, _, negative, whole := split(v.ToString())
		if whole && !negative {
			p, ok = dateTimeOfNumber(n, micro, rules)
		}
		if ok && micro != 0 && (n != 0 || sqltypes.IsDecimal(t)) && n < firstWithClock {
			p.micro = 0
			return p, StoredNoted
		}
	default:
		p, ok = parseDateTime(v.ToString(), rules)
	}
	switch {
	case !ok && p.zeroDate() && rules&noZeroDate != 0 && (p.zero || isZeroNumber(v)):
		return p, StoredZero
	case !ok:
		return p, StoredBad
	case p.cut:
		return p, StoredCut
	}
	return p, StoredExact
}

func isZeroNumber(v Value) bool { return sqltypes.IsNumber(v.Type()) && v.ToString() == "0" }

// leastDateTimeNumber is the least number that a TIME reads as a date with time.
const leastDateTimeNumber = 10_000_000_000

// storedSpan is what a TIME stores.
func storedSpan(c *Context, v Value, digits int) StoredTime {
	p, fault := readSpan(v)
	if fault == StoredBad {
		return StoredTime{Fault: fault}
	}
	p.kind = aTime
	if c.mode("TIME_TRUNCATE_FRACTIONAL") {
		p.truncate(digits)
	} else {
		p.round(digits)
	}
	return StoredTime{Span: time.Duration(p.clock()) * time.Microsecond, Fault: fault}
}

func readSpan(v Value) (p parsed, fault StoredFault) {
	ok := false
	switch t := v.Type(); {
	case t == sqltypes.Date:
		return p, StoredNoted
	case sqltypes.IsNumber(t):
		n, micro, _, _, whole := split(v.ToString())
		negative := strings.HasPrefix(v.ToString(), "-")
		if n <= largestTimeNumber || n >= leastDateTimeNumber { // a shorter number is no date with time
			p, ok = timeOfNumber(n, micro, negative)
		}
		if !whole || !ok && n > largestTimeNumber {
			p.temporal, _ = timeOf(maxTime)
			p.negative = negative
			return p, StoredOverEnd
		}
	default:
		p, ok = parseTime(v.ToString())
	}
	switch {
	case !ok:
		return p, StoredBad
	case p.cut && p.kind == aTime && (p.clock() == maxTime || p.clock() == -maxTime):
		return p, StoredOverEnd
	case p.cut:
		return p, StoredCut
	case p.kind != aTime:
		return p, StoredNoted
	}
	return p, StoredExact
}
