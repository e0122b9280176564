package expr

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Text and numbers as dates and times, by MySQL's rules (the manual's 11.2 and 11.1.3).

// dateRules say which dates are accepted.
type dateRules uint8

const (
	// zeroParts accepts a month or day of 0.
	zeroParts dateRules = 1 << iota
	// noZeroDate refuses 0000-00-00.
	noZeroDate
	// invalidDays accepts days up to 31 in each month, ALLOW_INVALID_DATES.
	invalidDays
	// withDate refuses text that has no delimiter between date and time: the start of a longer time.
	withDate
)

// parsed is what a text or number was read as.
type parsed struct {
	temporal
	digits int  // of the fraction
	cut    bool // something behind the value was left out
	zero   bool // refused as it is, or has, a zero
	offset *int // of a time zone, in minutes
	full   bool // it has the form of a date with time, whether it is one or not
	over   bool // it is the longest time in the place of a number beyond all times
}

// accepts checks the date of a value against rules.
func (r dateRules) accepts(t *temporal) bool {
	if t.zeroDate() {
		return r&noZeroDate == 0
	}
	if t.month == 0 || t.day == 0 {
		return r&zeroParts != 0
	}
	return r&invalidDays != 0 || t.day <= daysIn(t.year, t.month)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isDigit(c) && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

// reader reads a text from its start.
type reader struct {
	s  string
	at int
}

func (r *reader) more() bool { return r.at < len(r.s) }

func (r *reader) peek() byte {
	if r.at < len(r.s) {
		return r.s[r.at]
	}
	return 0
}

func (r *reader) spaces() {
	for r.more() && isSpace(r.s[r.at]) {
		r.at++
	}
}

// number reads up to most digits; a number over 40 bits is cut there.
func (r *reader) number(most int) (n, digits int) {
	for digits < most && r.more() && isDigit(r.s[r.at]) {
		n = min(n*10+int(r.s[r.at]-'0'), 1<<40)
		digits++
		r.at++
	}
	return n, digits
}

// fraction reads the digits of a fraction of a second; up is 1 if the seventh rounds up.
func (r *reader) fraction() (micro, digits, up int) {
	for r.more() && isDigit(r.s[r.at]) {
		d := int(r.s[r.at] - '0')
		switch {
		case digits < 6:
			micro = micro*10 + d
		case digits == 6 && d >= 5:
			up = 1
		}
		digits++
		r.at++
	}
	return micro * pow10(6-min(digits, 6)), min(digits, 6), up
}

// longestTemporal bounds the text that is read as a date or time, in bytes.
const longestTemporal = 1 << 10

// parseDateTime reads a date, with or without a time; false: it is none.
func parseDateTime(s string, rules dateRules) (p parsed, ok bool) {
	if len(s) > longestTemporal {
		s, p.cut = s[:longestTemporal], true
	}
	r := reader{s: s}
	r.spaces()
	start := r.at
	for r.more() && (isDigit(r.peek()) || r.peek() == 'T') {
		r.at++
	}
	digits, packed := r.at-start, !r.more() || r.peek() == '.'
	r.at = start
	if !isDigit(r.peek()) {
		return p, false
	}
	fields, yearDigits, ok := r.dateFields(&p, packed, digits, rules)
	if !ok || fields < 3 {
		return p, false
	}
	if yearDigits == 2 && (p.year != 0 || p.month != 0 || p.day != 0 || p.clock() != 0) {
		p.year = fullYear(p.year)
	}
	p.kind, p.full = aDateTime, !packed && fields > 3
	if fields == 3 {
		p.kind = aDate
	}
	r.offset(&p, fields)
	r.spaces()
	p.cut = p.cut || r.more()
	return p, p.fits(rules)
}

// fits checks the ranges of a date with time.
func (p *parsed) fits(rules dateRules) bool {
	if p.year > 9999 || p.month > 12 || p.day > 31 || p.hour > 23 || p.minute > 59 || p.second > 59 {
		return false
	}
	if !rules.accepts(&p.temporal) {
		p.zero = p.month == 0 || p.day == 0
		return false
	}
	return true
}

// fullYear is the year of a number of two digits.
func fullYear(n int) int {
	switch {
	case n < 70:
		return n + 2000
	case n < 100:
		return n + 1900
	}
	return n
}

// dateFields reads year, month, day, hour, minute, second and fraction. packed: they are not delimited, and there are so
// many digits.
func (r *reader) dateFields(p *parsed, packed bool, digits int, rules dateRules) (fields, yearDigits int, ok bool) {
	into := [...]*int{&p.year, &p.month, &p.day, &p.hour, &p.minute, &p.second}
	delimited, spaced, up := false, false, 0
	width := 4
	if packed && digits != 4 && digits != 8 && digits < 14 {
		width = 2
	}
	for fields < len(into) && isDigit(r.peek()) {
		most := width
		if !packed {
			most = math.MaxInt
		}
		n, got := r.number(most)
		if n > 999_999 {
			return fields, 0, false
		}
		if fields == 0 {
			yearDigits = got
		}
		*into[fields] = n
		fields++
		width = 2
		if fields == 3 && r.peek() == 'T' {
			r.at++
			spaced = true
			continue
		}
		if fields == 6 {
			break
		}
		for r.more() && (isPunct(r.peek()) || fields == 3 && isSpace(r.peek())) {
			spaced = spaced || isSpace(r.peek())
			delimited = true
			r.at++
		}
	}
	if fields == 6 && r.peek() == '.' {
		r.at++
		p.micro, p.digits, up = r.fraction()
	}
	if delimited && !spaced && rules&withDate != 0 {
		return fields, yearDigits, false
	}
	if up > 0 && p.temporal.month > 0 && p.day > 0 && p.month <= 12 && p.day <= 31 {
		p.addMicros(1)
	}
	return fields, yearDigits, true
}

// offset reads the offset of a time zone, such as +05:30, behind a time.
func (r *reader) offset(p *parsed, fields int) {
	if fields < 6 || r.peek() != '+' && r.peek() != '-' {
		return
	}
	if n, ok := parseOffset(r.s[r.at:]); ok {
		p.offset = &n
		r.at = len(r.s)
	}
}

// parseOffset reads the offset of a time zone in minutes, -13:59 to +14:00.
func parseOffset(s string) (minutes int, ok bool) {
	if len(s) < 5 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	r := reader{s: s, at: 1}
	hours, n := r.number(2)
	if n == 0 || r.peek() != ':' {
		return 0, false
	}
	r.at++
	minutes, n = r.number(2)
	if n != 2 || r.more() || minutes > 59 {
		return 0, false
	}
	minutes += hours * 60
	if s[0] == '-' {
		return -minutes, minutes < 14*60
	}
	return minutes, minutes <= 14*60
}

// parseTime reads a time: [-][D ]H:M:S[.f], H:M, HMS without delimiters, or the time of a date with time.
func parseTime(s string) (p parsed, ok bool) {
	p, ok = parseDuration(s)
	p.clipped()
	return p, ok
}

// parseDuration is parseTime of a time as long as its hours say.
func parseDuration(s string) (p parsed, ok bool) {
	if len(s) > longestTemporal {
		s, p.cut = s[:longestTemporal], true
	}
	r := reader{s: s}
	r.spaces()
	p.kind = aTime
	if r.peek() == '-' {
		p.negative = true
		r.at++
	}
	if len(r.s)-r.at >= 12 {
		// A long text may be a date with time.
		if d, ok := parseDateTime(r.s[r.at:], zeroParts|invalidDays|withDate); (ok || d.full) && !p.negative {
			return d, ok
		}
	}
	if !isDigit(r.peek()) {
		return p, false
	}
	hours, ok := r.timeFields(&p)
	if !ok || p.minute > 59 || p.second > 59 {
		return p, false
	}
	r.spaces()
	if p.cut = p.cut || r.more(); p.cut && r.exponent() {
		return p, false
	}
	p.hour = hours
	return p, true
}

// clipped is a time, at most the longest.
func (p *parsed) clipped() {
	if p.kind != aTime || p.hour <= maxHour {
		return
	}
	negative := p.negative
	p.temporal, _ = timeOf(math.MaxInt64)
	p.negative, p.cut = negative, true
}

// exponent reports whether that of a number follows.
func (r *reader) exponent() bool {
	return (r.peek() == 'e' || r.peek() == 'E') && r.at+1 < len(r.s) && isDigit(r.s[r.at+1])
}

// timeFields reads what is behind the sign of a time.
func (r *reader) timeFields(p *parsed) (hours int, ok bool) {
	value, _ := r.number(math.MaxInt)
	days, counted := 0, false
	if at := r.at; isSpace(r.peek()) {
		r.spaces()
		if isDigit(r.peek()) {
			days, counted = value, true
			value, _ = r.number(math.MaxInt)
		} else {
			r.at = at
		}
	}
	if value > math.MaxUint32 || days > math.MaxUint32 {
		return 0, false
	}
	switch {
	case r.peek() == ':' && r.at+1 < len(r.s) && isDigit(r.s[r.at+1]):
		hours = value
		r.at++
		p.minute, _ = r.number(math.MaxInt)
		if r.peek() == ':' && r.at+1 < len(r.s) && isDigit(r.s[r.at+1]) {
			r.at++
			p.second, _ = r.number(math.MaxInt)
		}
	case counted:
		hours = value
	default:
		hours, p.minute, p.second = value/10000, value/100%100, value%100
	}
	if r.peek() == '.' {
		r.at++
		up := 0
		p.micro, p.digits, up = r.fraction()
		if up > 0 && p.minute <= 59 && p.second <= 59 {
			p.hour = hours
			p.kind = aTime
			p.addMicros(1)
			hours = p.hour
		}
	}
	return min(days, 1_000_000)*24 + hours, true
}

// dateTimeOfNumber reads YYMMDD, YYYYMMDD, YYMMDDhhmmss or YYYYMMDDhhmmss.
func dateTimeOfNumber(n int64, micro int, rules dateRules) (p parsed, ok bool) {
	p.kind = aDateTime
	switch {
	case n < 0:
		return p, false
	case n == 0 || n >= 10000101000000:
		if n > 99991231235959 {
			return p, false
		}
	case n < 101:
		return p, false
	case n <= 691231:
		n = (n + 20000000) * 1000000
		p.kind = aDate
	case n < 700101:
		return p, false
	case n <= 991231:
		n = (n + 19000000) * 1000000
		p.kind = aDate
	case n < 10000101 && rules&zeroParts == 0:
		return p, false
	case n <= 99991231:
		n *= 1000000
		p.kind = aDate
	case n < 101000000:
		return p, false
	case n <= 691231235959:
		n += 20000000000000
	case n < 700101000000:
		return p, false
	case n <= 991231235959:
		n += 19000000000000
	}
	date, clock := int(n/1000000), int(n%1000000)
	p.year, p.month, p.day = date/10000, date/100%100, date%100
	p.hour, p.minute, p.second, p.micro = clock/10000, clock/100%100, clock%100, micro
	if micro != 0 {
		p.kind = aDateTime
	}
	return p, p.fits(rules)
}

// largestTimeNumber is 838:59:59 as a number.
const largestTimeNumber = 8385959

// largestDateNumber is the last date with time as a number.
const largestDateNumber = 99991231235959

// timeOfNumber reads hhmmss, or the time of a date with time.
func timeOfNumber(n int64, micro int, negative bool) (p parsed, ok bool) {
	if n > largestTimeNumber && !negative {
		if d, ok := dateTimeOfNumber(n, micro, zeroParts|invalidDays); ok {
			return d, true
		}
	}
	if n > largestTimeNumber && (n <= largestDateNumber && !negative || n/100%100 > 59 || n%100 > 59) {
		return p, false
	}
	if n > largestTimeNumber {
		p.temporal = temporal{kind: aTime, hour: maxHour, minute: 59, second: 59, negative: negative}
		p.cut, p.over = true, true
		return p, true
	}
	p.kind = aTime
	p.negative = negative
	p.hour, p.minute, p.second, p.micro = int(n/10000), int(n/100%100), int(n%100), micro
	return p, p.minute < 60 && p.second < 60
}

// split is a number as its integer part, without sign, and the millionths of its fraction; digits are those of the
// fraction. false: the integer has more than 18 digits.
func split(text string) (n int64, micro, digits int, negative, ok bool) {
	if strings.ContainsAny(text, "eE") {
		d, over := parseDecimal(text)
		if over || d.Exponent() > 40 {
			return 0, 0, 0, d.Sign() < 0, false
		}
		text = d.String()
	}
	text, negative = strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(text, ".")
	whole = strings.TrimLeft(whole, "0")
	if len(whole) > 18 {
		return 0, 0, 0, negative, false
	}
	n, _ = strconv.ParseInt("0"+whole, 10, 64)
	r := reader{s: fraction}
	micro, digits, up := r.fraction()
	if micro += up; micro == microsPerSecond {
		micro = 0
		n++
	}
	return n, micro, digits, negative, true
}

// atOffset moves a value that was given with an offset into a zone.
func (p *parsed) atOffset(zone *time.Location) bool {
	if p.offset == nil {
		return true
	}
	if p.month == 0 || p.day == 0 {
		return false
	}
	at := p.inZone(time.FixedZone("", *p.offset*60)).In(zone)
	if at.Year() < 0 || at.Year() > 9999 {
		return false
	}
	p.temporal = ofGo(at)
	return true
}
