package legacy

import (
	"strconv"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// The engine's decimal numbers have as many digits as a text has: one of a million digits takes it a second, and
// '1e600000000' never ends and cannot be cancelled. So a text is first cut to the digits that can matter: decimals have 65
// digits, and beyond these exponents every value is too large, or zero.
const (
	digitsMost    = 1024
	exponentsMost = 9999
	// blanks are what the engine trims of a number.
	blanks = " \t\n\r"
)

// Number is a value as it goes where a decimal number is made of it.
func Number(v any) any {
	switch t := v.(type) {
	case string:
		return numberText(t)
	case []byte:
		if s := numberText(string(t)); len(s) != len(t) {
			return []byte(s)
		}
	}
	return v
}

// momentMost is the length in bytes of a text that is converted to a date. The engine tries each of its digits as the last
// one.
const momentMost = 256

// Moment returns a value to convert to a date or time.
func Moment(v any) any {
	switch t := v.(type) {
	case string:
		if len(t) > momentMost {
			return strings.ToValidUTF8(t[:momentMost], "") + "?"
		}
	case []byte:
		if len(t) > momentMost {
			return append(append([]byte(nil), t[:momentMost]...), '?')
		}
	}
	return v
}

// Within is a value as it goes where it becomes one of a type.
func Within(t gms.Type, v any) any {
	switch {
	case types.IsDecimal(t):
		return Number(v)
	case types.IsTime(t) || types.IsTimespan(t):
		return Moment(v)
	}
	return v
}

// Costly reports whether the engine would take long to convert a text to a number or a date.
func Costly(s string) bool {
	if numberText(s) != s {
		return true
	}
	const most = 100_000_000 // digits times bytes
	if len(s) <= momentMost || len(s) <= most/len(s) {
		return false
	}
	digits := 0
	for i := range len(s) {
		if isDigit(s[i]) {
			digits++
		}
	}
	return digits > most/len(s)
}

// numberText is a text that gives the same decimal number as another, with as much behind
// it that is none. It is the same text unless that is long or has a great exponent.
func numberText(s string) string {
	const short = 6 // no exponent in it is great
	if len(s) <= short {
		return s
	}
	t := strings.Trim(s, blanks)
	n := splitNumber(t)
	whole := n.length == len(t)
	if !n.great() && (len(t) <= digitsMost || n.length == 0) && (whole || !endsInExponent(t)) {
		return s // of a long text that begins with no digit nothing is read
	}
	out := n.cut()
	if !whole {
		out += "?"
	}
	return out
}

// number is the start of a text: a sign and digits with a point, and an exponent.
type number struct {
	mantissa string
	point    int    // position in the mantissa, possibly beyond it
	exponent string // with its sign
	length   int    // of all
}

func splitNumber(t string) (n number) {
	i, digits := 0, 0
	if i < len(t) && (t[i] == '-' || t[i] == '+') {
		i++
	}
	n.point = -1
	for ; i < len(t) && (isDigit(t[i]) || t[i] == '.' && n.point < 0); i++ {
		if t[i] == '.' {
			n.point = i
		} else {
			digits++
		}
	}
	if digits == 0 {
		return number{}
	}
	n.mantissa, n.length = t[:i], i
	if n.point < 0 {
		n.point = i
	}
	if i < len(t) && (t[i] == 'e' || t[i] == 'E') {
		j := i + 1
		if j < len(t) && (t[j] == '-' || t[j] == '+') {
			j++
		}
		from := j
		for j < len(t) && isDigit(t[j]) {
			j++
		}
		if j > from {
			n.exponent, n.length = t[i+1:j], j
		}
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// great reports whether the exponent is beyond the bound.
func (n *number) great() bool {
	e := n.power()
	return e > exponentsMost || e < -exponentsMost
}

// power is the exponent, or one as great as can matter.
func (n *number) power() int {
	if n.exponent == "" {
		return 0
	}
	e, err := strconv.Atoi(n.exponent)
	const most = 1 << 30
	switch {
	case err != nil && n.exponent[0] == '-':
		return -most
	case err != nil:
		return most
	}
	return min(max(e, -most), most)
}

// cut is the number without the digits that cannot matter.
func (n *number) cut() string {
	m, e := n.mantissa, n.power()
	if m == "" {
		return "0"
	}
	sign := ""
	if m[0] == '-' || m[0] == '+' {
		sign, m = m[:1], m[1:]
	}
	whole, part, _ := strings.Cut(m, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" { // the first significant digit is after the point
		zeros := len(part) - len(strings.TrimLeft(part, "0"))
		part, e = part[zeros:], e-zeros
	}
	if len(whole) > digitsMost {
		e += len(whole) - digitsMost
		whole, part = whole[:digitsMost], ""
	}
	part = part[:min(len(part), digitsMost-len(whole))]
	if whole == "" && part == "" {
		return sign + "0"
	}
	out := sign + whole
	if whole == "" {
		out += "0"
	}
	if part != "" {
		out += "." + part
	}
	if e = min(max(e, -exponentsMost), exponentsMost); e != 0 {
		out += "e" + strconv.Itoa(e)
	}
	return out
}

// endsInExponent reports whether a text ends in what the engine may take for an exponent
// of many digits, whatever is before: it also reads 0x1p99999999 and 1_0e99999999.
func endsInExponent(t string) bool {
	i := len(t)
	for i > 0 && (isDigit(t[i-1]) || t[i-1] == '_') {
		i--
	}
	if len(t)-i <= 4 {
		return false
	}
	if i > 0 && (t[i-1] == '-' || t[i-1] == '+') {
		i--
	}
	return i > 0 && strings.IndexByte("eEpP", t[i-1]) >= 0
}
