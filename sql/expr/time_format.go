package expr

import (
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/vt/sqlparser"
)

// DATE_FORMAT, TIME_FORMAT, GET_FORMAT.

func init() {
	register(
		&Function{Name: "DATE_FORMAT", Min: 2, Max: 2, Type: textType, Ask: func(c *Call, need func(i int) error) (Value, error) {
			if err := need(0); err != nil || c.IsNull(0) {
				return Null, err
			}
			p, ok := c.date(0, c.partRules())
			if p.kind = aDateTime; !ok {
				return Null, nil
			}
			return c.formatted(&p.temporal, need)
		}},
		&Function{Name: "TIME_FORMAT", Min: 2, Max: 2, Type: textType, Ask: func(c *Call, need func(i int) error) (Value, error) {
			if err := need(0); err != nil || c.IsNull(0) {
				return Null, err
			}
			p, ok := c.time(0)
			if !ok {
				return Null, nil
			}
			return c.formatted(&p.temporal, need)
		}},
		&Function{Name: "GET_FORMAT", Min: 1, Max: 1, Type: textType, Eval: getFormat, Node: func(e *sqlparser.FuncExpr) node {
			n := node{function: byName["GET_FORMAT"], args: e.Exprs}
			if len(e.Exprs) == 2 {
				switch word := e.Exprs[0].(type) {
				case *sqlparser.ColName:
					n.option, n.args = strings.ToUpper(word.Name.String()), e.Exprs[1:]
				case *sqlparser.Literal: // the word, so that it is no column
					n.option, n.args = word.Val, e.Exprs[1:]
				}
			}
			return n
		}},
	)
}

// formatted is a value by a format of DATE_FORMAT, argument 1; NULL if the format is empty or asks for what the value has
// not.
func (c *Call) formatted(t *temporal, need func(i int) error) (Value, error) {
	if err := need(1); err != nil || c.IsNull(1) || len(c.Raw(1)) == 0 {
		return Null, err
	}
	var b []byte
	if t.negative {
		b = append(b, '-')
	}
	b, ok := appendFormat(b, t, c.characters(1), c.maxPacket())
	if !ok || c.TooLong(len(b)) {
		return Null, nil
	}
	return c.Bytes(b), nil
}

// characters is the i-th argument as text: bytes without a character set are characters each.
func (c *Call) characters(i int) string {
	if !c.isBinary(i) {
		return c.Str(i)
	}
	var b []byte
	for _, one := range c.Raw(i) {
		b = utf8.AppendRune(b, rune(one))
	}
	return string(b)
}

// appendFormat appends a value in a format until the result has more than most bytes.
func appendFormat(b []byte, t *temporal, format string, most int) (_ []byte, ok bool) {
	for i := 0; i < len(format) && len(b) <= most; i++ {
		if format[i] != '%' || i+1 == len(format) {
			b = append(b, format[i])
			continue
		}
		i++
		if b, ok = appendSpecifier(b, t, format[i]); !ok {
			return b, false
		}
	}
	return b, true
}

// appendSpecifier appends what a character behind % stands for.
func appendSpecifier(b []byte, t *temporal, s byte) (_ []byte, ok bool) {
	switch s {
	case 'H', 'k', 'h', 'I', 'l', 'i', 'S', 's', 'f', 'p', 'r', 'T':
		return appendClock(b, t, s), true
	case 'Y', 'y', 'm', 'c', 'd', 'e':
		return appendNumber(b, t, s), true
	case 'a', 'b', 'D', 'j', 'M', 'U', 'u', 'V', 'v', 'W', 'w', 'X', 'x':
		return appendCalendar(b, t, s)
	}
	return append(b, s), true
}

func appendClock(b []byte, t *temporal, s byte) []byte {
	twelve := (t.hour%24+11)%12 + 1
	switch s {
	case 'H':
		return appendPadded(b, t.hour, 2)
	case 'k':
		return appendPadded(b, t.hour, 1)
	case 'h', 'I':
		return appendPadded(b, twelve, 2)
	case 'l':
		return appendPadded(b, twelve, 1)
	case 'i':
		return appendPadded(b, t.minute, 2)
	case 'S', 's':
		return appendPadded(b, t.second, 2)
	case 'f':
		return appendPadded(b, t.micro, 6)
	case 'p':
		return append(b, halfOfDay(t)...)
	}
	hour := t.hour
	if s == 'r' {
		hour = twelve
	}
	b = appendPadded(b, hour, 2)
	b = appendPadded(append(b, ':'), t.minute, 2)
	b = appendPadded(append(b, ':'), t.second, 2)
	if s == 'r' {
		b = append(append(b, ' '), halfOfDay(t)...)
	}
	return b
}

func halfOfDay(t *temporal) string {
	if t.hour%24 < 12 {
		return "AM"
	}
	return "PM"
}

func appendNumber(b []byte, t *temporal, s byte) []byte {
	switch s {
	case 'Y':
		return appendPadded(b, t.year, 4)
	case 'y':
		return appendPadded(b, t.year%100, 2)
	case 'm':
		return appendPadded(b, t.month, 2)
	case 'c':
		return appendPadded(b, t.month, 1)
	case 'd':
		return appendPadded(b, t.day, 2)
	}
	return appendPadded(b, t.day, 1)
}

// appendCalendar appends a name, the number of a week or of a day; false: the value has no such day, or is a time.
func appendCalendar(b []byte, t *temporal, s byte) (_ []byte, ok bool) {
	switch s {
	case 'M', 'b':
		if t.month == 0 {
			return b, false
		}
		name := monthNames[t.month-1]
		if s == 'b' {
			name = name[:3]
		}
		return append(b, name...), true
	case 'D':
		return append(appendPadded(b, t.day, 1), ordinal(t.day)...), t.kind != aTime
	}
	if t.kind == aTime || t.month == 0 && (s != 'a' && s != 'W' && s != 'w' || t.year == 0) {
		return b, false
	}
	n := t.dayNumber()
	switch s {
	case 'a':
		return append(b, dayNames[weekday(n)][:3]...), true
	case 'W':
		return append(b, dayNames[weekday(n)]...), true
	case 'w':
		return appendPadded(b, (weekday(n)+1)%7, 1), true
	case 'j':
		return appendPadded(b, t.yearDay(), 3), true
	}
	return appendWeek(b, t, s), true
}

func appendWeek(b []byte, t *temporal, s byte) []byte {
	year, week := weekOf(t, map[byte]int{'U': 0, 'u': 1, 'V': 2, 'v': 3, 'X': 2, 'x': 3}[s])
	if s == 'X' || s == 'x' {
		return appendPadded(b, year, 4)
	}
	return appendPadded(b, week, 2)
}

// ordinal is the ending of a day's number.
func ordinal(n int) string {
	if n >= 10 && n <= 19 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}

// formats are those of GET_FORMAT: EUR, INTERNAL, ISO, JIS, USA.
var formats = map[string]map[string]string{
	"DATE":     {"EUR": "%d.%m.%Y", "INTERNAL": "%Y%m%d", "ISO": "%Y-%m-%d", "JIS": "%Y-%m-%d", "USA": "%m.%d.%Y"},
	"TIME":     {"EUR": "%H.%i.%s", "INTERNAL": "%H%i%s", "ISO": "%H:%i:%s", "JIS": "%H:%i:%s", "USA": "%h:%i:%s %p"},
	"DATETIME": {"EUR": "%Y-%m-%d %H.%i.%s", "INTERNAL": "%Y%m%d%H%i%s", "ISO": "%Y-%m-%d %H:%i:%s", "JIS": "%Y-%m-%d %H:%i:%s", "USA": "%Y-%m-%d %H.%i.%s"},
}

func getFormat(c *Call) (Value, error) {
	kind := c.Option
	if kind == "TIMESTAMP" {
		kind = "DATETIME"
	}
	if format, ok := formats[kind][strings.ToUpper(c.Str(0))]; ok {
		return c.Text(format), nil
	}
	return Null, nil
}
