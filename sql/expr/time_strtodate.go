package expr

import (
	"fmt"
	"math"
	"strings"

	"vitess.io/vitess/go/sqltypes"
)

// STR_TO_DATE.

func init() {
	register(&Function{Name: "STR_TO_DATE", Min: 2, Max: 2, Typed: strToDateType, Eval: func(c *Call) (Value, error) { return c.strToDate(), nil }})
}

// strToDateType is the type by what the format has; without a constant format it is a date with time.
func strToDateType(args []Known, _ *Context) Type {
	if f := args[1].Value; f != nil && !f.IsNull() {
		return formatType(f.ToString())
	}
	return temporalType(sqltypes.Datetime, 6)
}

// formatType is the type of a value read by a constant format.
func formatType(format string) Type {
	day, clock, micro := false, false, false
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		switch s := format[i]; {
		case s == 'f':
			clock, micro = true, true
		case strings.IndexByte("HISThiklprs", s) >= 0:
			clock = true
		case strings.IndexByte("MVUXYWabcjmvuxyw", s) >= 0, s == 'd', s == 'D', s == 'e':
			day = true
		}
	}
	switch {
	case clock && !day && micro:
		return temporalType(sqltypes.Time, 6)
	case clock && !day:
		return temporalType(sqltypes.Time, 0)
	case clock && micro:
		return temporalType(sqltypes.Datetime, 6)
	case clock:
		return temporalType(sqltypes.Datetime, 0)
	}
	return dateType(nil, nil)
}

func (c *Call) strToDate() Value {
	s := formatReader{reader: reader{s: c.Str(0)}}
	ok := s.format(c.Str(1), 0) && s.finish(c.storedRules(), c.Out.Type() == sqltypes.Time)
	if !ok {
		kind := "datetime"
		if c.Out.Type() == sqltypes.Time {
			kind = "time"
		}
		c.Warn(1411, fmt.Sprintf("Incorrect %s value: '%s' for function str_to_date", kind, shorten(c.Str(0))))
		return Null
	}
	if s.spaces(); s.more() {
		c.Warn(1292, fmt.Sprintf("Truncated incorrect datetime value: '%s'", shorten(c.Str(0))))
	}
	return c.temporalValue(s.temporal, int(c.Out.Size()))
}

// formatReader reads a text by a format.
type formatReader struct {
	reader
	temporal
	yearDay, week, weekYear, weekDay int
	sundayWeek, strictWeek           bool // %U or %V; %V or %v, which need %X or %x
	sundayYear                       bool // %X
	half                             string
	twelve                           bool
}

// format reads what a format asks for; false: the text is otherwise. nested are the formats that this one is part of.
func (r *formatReader) format(format string, nested int) bool {
	r.weekDay = max(r.weekDay, 0)
	for i := 0; i < len(format) && r.more(); i++ {
		r.spaces()
		if !r.more() {
			break
		}
		if format[i] == '%' && i+1 < len(format) {
			i++
			if !r.specifier(format[i], nested) {
				return false
			}
			continue
		}
		if isSpace(format[i]) {
			continue
		}
		if r.peek() != format[i] {
			return false
		}
		r.at++
	}
	return true
}

// specifier reads what a character behind % stands for.
func (r *formatReader) specifier(s byte, nested int) bool {
	switch s {
	case 'Y':
		start := r.at
		ok := r.into(&r.year, 4)
		if r.at-start <= 2 {
			r.year = fullYear(r.year)
		}
		return ok
	case 'y':
		ok := r.into(&r.year, 2)
		r.year = fullYear(r.year)
		return ok
	case 'm', 'c':
		return r.into(&r.month, 2)
	case 'M':
		return r.name(monthNames[:], 0, &r.month)
	case 'b':
		return r.name(monthNames[:], 3, &r.month)
	case 'd', 'e':
		return r.into(&r.day, 2)
	case 'D':
		ok := r.into(&r.day, 2)
		r.at = min(r.at+2, len(r.s)) // st, nd, rd, th
		return ok
	case 'j':
		return r.into(&r.yearDay, 3) && r.yearDay > 0
	case 'h', 'I', 'l', 'k', 'H', 'i', 's', 'S', 'f', 'p', 'r', 'T':
		return r.clockSpecifier(s, nested)
	case 'a', 'W', 'w', 'U', 'u', 'V', 'v', 'X', 'x':
		return r.weekSpecifier(s)
	case '.', '@', '#':
		for r.more() && (s == '.' && isPunct(r.peek()) || s == '@' && isLetter(r.peek()) || s == '#' && isDigit(r.peek())) {
			r.at++
		}
		return true
	}
	if r.peek() != s {
		return false
	}
	r.at++
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (r *formatReader) clockSpecifier(s byte, nested int) bool {
	switch s {
	case 'h', 'I', 'l':
		r.twelve = true
		return r.into(&r.hour, 2)
	case 'k', 'H':
		return r.into(&r.hour, 2)
	case 'i':
		return r.into(&r.minute, 2)
	case 's', 'S':
		return r.into(&r.second, 2)
	case 'f':
		start := r.at
		n, _ := r.number(6)
		r.micro = n * pow10(6-min(6, r.at-start))
		return r.at > start
	case 'p':
		if len(r.s)-r.at < 2 {
			return false
		}
		r.half = strings.ToUpper(r.s[r.at : r.at+2])
		r.at += 2
		return r.half == "AM" || r.half == "PM"
	case 'r':
		return nested == 0 && r.format("%I:%i:%S %p", 1)
	}
	return nested == 0 && r.format("%H:%i:%S", 1)
}

func (r *formatReader) weekSpecifier(s byte) bool {
	switch s {
	case 'a':
		return r.name(dayNames[:], 3, &r.weekDay)
	case 'W':
		return r.name(dayNames[:], 0, &r.weekDay)
	case 'w':
		if !r.into(&r.weekDay, 1) || r.weekDay > 6 {
			return false
		}
		if r.weekDay == 0 {
			r.weekDay = 7
		}
		return true
	case 'X', 'x':
		r.sundayYear = s == 'X'
		return r.into(&r.weekYear, 4)
	}
	r.sundayWeek, r.strictWeek = s == 'U' || s == 'V', s == 'V' || s == 'v'
	ok := r.into(&r.week, 2)
	if r.strictWeek && r.week == 0 || r.week > 53 {
		return false
	}
	r.week++ // 0: none
	return ok
}

// into reads a number of at most so many digits.
func (r *formatReader) into(n *int, digits int) bool {
	got := 0
	*n, got = r.number(digits)
	return got > 0
}

// name reads one of a list of names, of which only so many letters are given if that is not 0, or the start of one; n is
// its place from 1.
func (r *formatReader) name(names []string, letters int, n *int) bool {
	end := r.at
	for end < len(r.s) && isLetter(r.s[end]) {
		end++
	}
	word, found := r.s[r.at:end], 0
	for i, name := range names {
		if letters > 0 {
			name = name[:letters]
		}
		if len(word) == 0 || len(word) > len(name) || !strings.EqualFold(name[:len(word)], word) {
			continue
		}
		if found++; found == 1 || len(word) == len(name) {
			*n = i + 1
		}
		if len(word) == len(name) {
			found = 1
			break
		}
	}
	r.at = end
	return found == 1
}

// finish makes a date with time of what was read; false: it is none.
func (r *formatReader) finish(rules dateRules, onlyTime bool) bool {
	if r.half != "" || r.twelve {
		if r.half != "" && !r.twelve || r.hour > 12 || r.hour < 1 && r.half != "" {
			return false
		}
		if r.twelve && r.hour == 12 {
			r.hour = 0
		}
		if r.half == "PM" {
			r.hour += 12
		}
	}
	if r.yearDay > 0 {
		y, m, d, ok := dateOfDay(dayNumber(r.year, 1, 1) + r.yearDay - 1)
		if !ok {
			return false
		}
		r.year, r.month, r.day = y, m, d
	}
	if r.week > 0 && r.weekDay > 0 && !r.dayOfWeek() {
		return false
	}
	p := parsed{temporal: r.temporal}
	if r.hour > 23 || r.minute > 59 || r.second > 59 {
		return false
	}
	return onlyTime || p.fits(rules)
}

// dayOfWeek computes the date of a week and its day.
func (r *formatReader) dayOfWeek() bool {
	year := r.year
	if r.strictWeek {
		if r.weekYear == 0 || r.sundayYear != r.sundayWeek {
			return false
		}
		year = r.weekYear
	} else if r.weekYear != 0 {
		return false
	}
	mode := 1 // weeks begin on Monday
	if r.sundayWeek {
		mode = 0
	}
	first := temporal{year: year, month: 1, day: 1}
	n := first.dayNumber()
	_, week := weekOf(&first, mode)
	start := n - weekday(n) // of the week that the year begins in
	day := r.weekDay - 1
	if r.sundayWeek {
		start = n - (weekday(n)+1)%7
		day = r.weekDay % 7
	}
	y, m, d, ok := dateOfDay(start + (r.week-1-week)*7 + day)
	r.year, r.month, r.day = y, m, d
	return ok && math.Abs(float64(y-year)) <= 1
}
