package store

import (
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
	"isochron/sql/expr"
)

// number is a decimal number: its digits before and behind the point. huge: it has more digits than any column.
type number struct {
	negative, huge  bool
	whole, fraction string
}

// fault says what was wrong with the text of a number.
type fault uint8

const (
	noFault  fault = iota
	garbage        // something stands behind it
	noNumber       // it begins with no number
)

// The bounds of a number that is looked at, in digits. Columns have 65 at most, and a double is 309 long.
const (
	wholeMost    = 310
	fractionMost = 350
)

// readNumber reads the number that a text begins with, and returns its length with the space before it.
func readNumber(s string) (n number, length int, f fault) {
	at := 0
	for at < len(s) && (s[at] == ' ' || s[at] >= '\t' && s[at] <= '\r') {
		at++
	}
	if at < len(s) && (s[at] == '-' || s[at] == '+') {
		n.negative = s[at] == '-'
		at++
	}
	digits := func() string {
		start := at
		for at < len(s) && s[at] >= '0' && s[at] <= '9' {
			at++
		}
		return s[start:at]
	}
	whole, fraction := digits(), ""
	if at < len(s) && s[at] == '.' {
		at++
		fraction = digits()
	}
	if whole == "" && fraction == "" {
		return number{}, 0, noNumber
	}
	exponent := 0
	if at < len(s) && s[at]|0x20 == 'e' {
		mark := at
		at++
		minus := at < len(s) && s[at] == '-'
		if minus || at < len(s) && s[at] == '+' {
			at++
		}
		if text := digits(); text == "" {
			at = mark
		} else if exponent = exponentOf(text); minus {
			exponent = -exponent
		}
	}
	n.whole, n.fraction = whole, fraction
	n.move(exponent)
	for i := at; i < len(s); i++ {
		if s[i] != ' ' && (s[i] < '\t' || s[i] > '\r') {
			f = garbage
			break
		}
	}
	return n, at, f
}

// exponentMost bounds an exponent: beyond it a number is huge or 0.
const exponentMost = 1 << 20

func exponentOf(text string) int {
	e, err := strconv.Atoi(text)
	if err != nil {
		return exponentMost
	}
	return min(e, exponentMost)
}

// move moves the point, and drops leading zeros and digits that no column holds.
func (n *number) move(exponent int) {
	n.whole = strings.TrimLeft(n.whole, "0")
	if exponent > 0 {
		if n.whole == "" {
			zeros := len(n.fraction) - len(strings.TrimLeft(n.fraction, "0"))
			zeros = min(zeros, exponent)
			n.fraction, exponent = n.fraction[zeros:], exponent-zeros
		}
		if n.whole == "" && n.fraction == "" {
			return
		}
		if len(n.whole)+exponent > wholeMost {
			n.huge = n.whole != "" || strings.Trim(n.fraction, "0") != ""
			n.whole, n.fraction = "", ""
			return
		}
		if len(n.fraction) < exponent {
			n.fraction += strings.Repeat("0", exponent-len(n.fraction))
		}
		n.whole, n.fraction = n.whole+n.fraction[:exponent], n.fraction[exponent:]
		n.whole = strings.TrimLeft(n.whole, "0")
	}
	if exponent < 0 {
		by := -exponent
		switch {
		case by >= len(n.whole)+fractionMost:
			n.whole, n.fraction = "", ""
		case by >= len(n.whole):
			n.whole, n.fraction = "", strings.Repeat("0", by-len(n.whole))+n.whole+n.fraction
		default:
			cut := len(n.whole) - by
			n.whole, n.fraction = n.whole[:cut], n.whole[cut:]+n.fraction
		}
	}
	if len(n.whole) > wholeMost {
		n.huge, n.whole, n.fraction = true, "", ""
	}
	if len(n.fraction) > fractionMost {
		n.fraction = n.fraction[:fractionMost]
	}
}

// integer is the number rounded to a whole one, half away from 0; over: it has more than 64 bits.
func (n *number) integer() (magnitude uint64, over bool) {
	if n.huge {
		return math.MaxUint64, true
	}
	if n.whole != "" {
		var err error
		if magnitude, err = strconv.ParseUint(n.whole, 10, 64); err != nil {
			return math.MaxUint64, true
		}
	}
	if n.fraction != "" && n.fraction[0] >= '5' {
		if magnitude == math.MaxUint64 {
			return magnitude, true
		}
		magnitude++
	}
	return magnitude, false
}

// rounded is the number with so many decimals, half away from 0; cut: digits other than 0 were left out.
func (n *number) rounded(scale int) (text string, cut bool) {
	whole, fraction := n.whole, n.fraction
	up := false
	if len(fraction) > scale {
		cut, up = strings.Trim(fraction[scale:], "0") != "", fraction[scale] >= '5'
		fraction = fraction[:scale]
	} else {
		fraction += strings.Repeat("0", scale-len(fraction))
	}
	digits := []byte("0" + whole + fraction)
	for i := len(digits) - 1; up && i >= 0; i-- {
		if up = digits[i] == '9'; up {
			digits[i] = '0'
		} else {
			digits[i]++
		}
	}
	at := len(digits) - scale
	text = strings.TrimLeft(string(digits[:at]), "0")
	if text == "" {
		text = "0"
	}
	if scale > 0 {
		text += "." + string(digits[at:])
	}
	return text, cut
}

// isNumberLiteral reports whether a value is a hexadecimal or bit literal, or a BIT: bytes that count as a number.
func isNumberLiteral(v expr.Value) bool {
	switch v.Type() {
	case sqltypes.HexVal, sqltypes.HexNum, sqltypes.BitNum, sqltypes.Bit:
		return true
	}
	return false
}

// bytesNumber is the number of the last 8 of some bytes; over: there are more.
func bytesNumber(b []byte) (n uint64, over bool) {
	for len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	if len(b) > 8 {
		return math.MaxUint64, true
	}
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n, false
}

// temporalText is a date or time as the number of its digits.
func temporalText(v expr.Value) string {
	b := make([]byte, 0, 32)
	for i, c := range v.Raw() {
		if c >= '0' && c <= '9' || c == '.' || c == '-' && i == 0 {
			b = append(b, c)
		}
	}
	return string(b)
}

func isTemporal(t sqltypes.Type) bool {
	return t == sqltypes.Date || t == sqltypes.Datetime || t == sqltypes.Timestamp || t == sqltypes.Time
}

// numberOf is a value as a decimal number.
func numberOf(v expr.Value) (n number, f fault) {
	switch k := v.Type(); {
	case isNumberLiteral(v):
		bits, over := bytesNumber(v.Raw())
		if over {
			return number{huge: true}, noFault
		}
		return number{whole: strconv.FormatUint(bits, 10)}, noFault
	case isTemporal(k):
		n, _, _ = readNumber(temporalText(v))
		return n, noFault
	case sqltypes.IsNumber(k):
		n, _, _ = readNumber(v.ToString())
		return n, noFault
	}
	n, _, f = readNumber(v.ToString())
	return n, f
}

// faulty reports what was wrong with the text of a number, after its range. kind names the column's type.
func (t *Target) faulty(c *Column, v expr.Value, kind string, f fault) error {
	switch f {
	case noNumber:
		return t.incorrect(c, kind, v)
	case garbage:
		return t.truncated(c)
	}
	return nil
}

// whole is a value as a whole number: its sign and magnitude.
func whole(v expr.Value) (negative bool, magnitude uint64, over bool, f fault, err error) {
	switch k := v.Type(); {
	case isNumberLiteral(v):
		magnitude, over = bytesNumber(v.Raw())
		return false, magnitude, over, noFault, nil
	case sqltypes.IsSigned(k):
		n, err := v.ToInt64()
		if n < 0 {
			return true, -uint64(n), false, noFault, err
		}
		return false, uint64(n), false, noFault, err
	case sqltypes.IsFloat(k):
		negative, magnitude, over = wholeFloat(v)
		return negative, magnitude, over, noFault, nil
	}
	n, f := numberOf(v)
	if isTemporal(v.Type()) && n.fraction != "" {
		n.fraction = roundSecond(&n)
	}
	magnitude, over = n.integer()
	return n.negative, magnitude, over, f, nil
}

// roundSecond keeps the fraction of a second that rounds without a carry over 59: others become that of the next second only
// where it is one.
func roundSecond(n *number) string {
	if n.fraction[0] >= '5' && strings.HasSuffix(n.whole, "59") {
		return ""
	}
	return n.fraction
}

// wholeFloat is a double rounded to a whole number, half to even.
func wholeFloat(v expr.Value) (negative bool, magnitude uint64, over bool) {
	f, _ := strconv.ParseFloat(v.ToString(), 64)
	f = math.RoundToEven(f)
	if negative = f < 0; negative {
		f = -f
	}
	if f >= 1<<64 {
		return negative, math.MaxUint64, true
	}
	return negative, uint64(f), false
}

// truncatedFloat is a double without its fraction.
func truncatedFloat(v expr.Value) expr.Value {
	f, _ := strconv.ParseFloat(v.ToString(), 64)
	return expr.Double(math.Trunc(f))
}

// outOfBigint is the warning of a decimal number that becomes a BIGINT before it becomes a smaller integer.
func (t *Target) outOfBigint(c *Column, v expr.Value) {
	if sqltypes.IsDecimal(v.Type()) && c.sql != sqltypes.Int64 && c.sql != sqltypes.Uint64 && !t.Strict {
		_ = t.outOfRange(c) // it is a warning
	}
}

// isLimit reports whether a double is the one beside the greatest BIGINT, which is taken for it.
func isLimit(c *Column, v expr.Value) bool {
	f, _ := strconv.ParseFloat(v.ToString(), 64)
	return c.sql == sqltypes.Int64 && f == 1<<63
}

func toInteger(t *Target, c *Column, v expr.Value) (any, error) {
	negative, magnitude, over, f, err := whole(v)
	if err != nil {
		return nil, err
	}
	least, most := c.Type.Limits()
	if sqltypes.IsFloat(v.Type()) && isLimit(c, v) {
		magnitude, over = most, false
	}
	signed := c.kind == coltype.KindInt
	if negative && magnitude > 0 {
		if !signed {
			return uint64(0), t.outOfRange(c)
		}
		if over || magnitude > 1<<63 {
			t.outOfBigint(c, v)
		}
		if over || magnitude > -uint64(least) {
			return least, t.outOfRange(c)
		}
		return -int64(magnitude), t.faulty(c, v, "integer", f)
	}
	if over || magnitude > most {
		if over || signed && magnitude > math.MaxInt64 {
			t.outOfBigint(c, v)
		}
		magnitude, err = most, t.outOfRange(c)
	} else {
		err = t.faulty(c, v, "integer", f)
	}
	if signed {
		return int64(magnitude), err
	}
	return magnitude, err
}

func toDecimal(t *Target, c *Column, v expr.Value) (any, error) {
	precision, scale := c.Type.Precision, c.Type.Scale
	n, f := numberOf(v)
	if err := t.faulty(c, v, "decimal", f); err != nil {
		return nil, err
	}
	text, cut := n.rounded(scale)
	digits := len(text)
	if scale > 0 {
		digits--
	}
	if strings.HasPrefix(text, "0") {
		digits--
	}
	if n.huge || digits > precision {
		text, cut = strings.Repeat("9", precision-scale), false
		if scale > 0 {
			text += "." + strings.Repeat("9", scale)
		}
		if precision == scale {
			text = "0" + text
		}
		if err := t.outOfRange(c); err != nil {
			return nil, err
		}
	}
	if cut {
		t.noted(c)
	}
	if n.negative && strings.Trim(text, "0.") != "" {
		text = "-" + text
	}
	d, _, err := apd.NewFromString(text)
	return d, err
}

// The years that YEAR holds beside 0.
const firstYear, lastYear = 1901, 2155

func toYear(t *Target, c *Column, v expr.Value) (any, error) {
	if isTemporal(v.Type()) {
		return yearOf(t, c, v)
	}
	if sqltypes.IsFloat(v.Type()) {
		v = truncatedFloat(v)
	}
	negative, n, over, f, err := whole(v)
	if err != nil {
		return nil, err
	}
	text := sqltypes.IsQuoted(v.Type()) && !isNumberLiteral(v)
	if over && !negative {
		t.outOfBigint(c, v)
	}
	switch {
	case negative && n > 0, over, n >= 100 && n < firstYear, n > lastYear:
		return int16(0), t.outOfRange(c)
	}
	if err := t.faulty(c, v, "integer", f); err != nil {
		return nil, err
	}
	switch {
	case n == 0 && (!text || v.Len() == 4 || f == noNumber):
		return int16(0), nil
	case n < 70:
		n += 2000
	case n < 100:
		n += 1900
	}
	return int16(n), nil
}

// yearOf is the year of a date. A TIME has none.
func yearOf(t *Target, c *Column, v expr.Value) (any, error) {
	if v.Type() == sqltypes.Time {
		if t.Strict {
			return nil, expr.NewError(1292, "22007", "Incorrect year value: '%s' for column '%s' at row %d", shown(v), c.Name, t.Row)
		}
		return int16(0), t.truncated(c)
	}
	n := 0
	if v.Len() >= 4 {
		n, _ = strconv.Atoi(v.ToString()[:4])
	}
	if n != 0 && n < firstYear || n > lastYear {
		return int16(0), t.outOfRange(c)
	}
	return int16(n), nil
}
