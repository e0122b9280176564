package comparing

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"

	"isochron/sql/coltype"
	"isochron/sql/legacy"
	"isochron/sql/rowcodec"
)

// operand is a value with its type.
type operand struct {
	class class
	typ   *coltype.Type
	v     any
}

// whole is the value as a number without fractions: negative, and its magnitude.
func (o operand) whole() (negative bool, n uint64, ok bool) {
	var i int64
	switch v := o.v.(type) {
	case int64:
		i = v
	case int32:
		i = int64(v)
	case int16:
		i = int64(v)
	case int8:
		i = int64(v)
	case int:
		i = int64(v)
	case bool:
		if v {
			i = 1
		}
	case uint64:
		return false, v, true
	case uint32:
		return false, uint64(v), true
	case uint16:
		return false, uint64(v), true
	case uint8:
		return false, uint64(v), true
	case uint:
		return false, uint64(v), true
	case []byte:
		if o.class != bits && o.class != binary || len(v) > 8 {
			return false, 0, false
		}
		for _, b := range v {
			n = n<<8 | uint64(b)
		}
		return false, n, true
	default:
		return false, 0, false
	}
	if i < 0 {
		return true, uint64(-(i + 1)) + 1, true
	}
	return false, uint64(i), true
}

// float is the value as a number with 53 bits.
func (o operand) float() (float64, bool) {
	switch v := o.v.(type) {
	case float64:
		return v, true
	case float32:
		return float64(v), true
	case *apd.Decimal:
		f, err := v.Float64()
		if err != nil {
			f, err = strconv.ParseFloat(v.Text('f'), 64)
		}
		return f, err == nil
	case string:
		return LeadingNumber(v), true
	case []byte:
		if o.class.isText() {
			return LeadingNumber(string(v)), true
		}
	case coltype.Micros: // hhmmss
		micros := v.AsMicroseconds()
		seconds := micros / 1e6
		return float64(seconds/3600*10000+seconds/60%60*100+seconds%60) + float64(micros%1e6)/1e6, true
	}
	negative, n, ok := o.whole()
	f := float64(n)
	if negative {
		f = -f
	}
	return f, ok
}

// exact is the value as a decimal number.
func (o operand) exact() (*apd.Decimal, bool) {
	if d, ok := o.v.(*apd.Decimal); ok {
		return d, true
	}
	negative, n, ok := o.whole()
	if !ok {
		return nil, false
	}
	d := new(apd.Decimal)
	d.Coeff.SetMathBigInt(new(big.Int).SetUint64(n))
	d.Negative = negative && n != 0
	return d, true
}

// name is the value as a text.
func (o operand) name() (string, bool) {
	switch v := o.v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	switch o.class {
	case enum:
		_, n, ok := o.whole()
		s, found := o.typ.Member(n)
		return s, ok && found
	case set:
		_, n, ok := o.whole()
		s, found := o.typ.SetText(n)
		return s, ok && found
	case moment, span:
		s, err := rowcodec.Column{Type: o.typ}.TextOf(o.v)
		return s.ToString(), err == nil
	}
	return "", false
}

// moment returns the value as a date with a time; a value that is none precedes all.
func (o operand) moment(clock Clock) (time.Time, bool) {
	switch v := o.v.(type) {
	case time.Time:
		return v, true
	case coltype.Micros:
		now := clock.QueryTime()
		day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
		return day.Add(time.Duration(v.AsMicroseconds()) * time.Microsecond), true
	case string:
		return ParseMoment(v)
	case []byte:
		return ParseMoment(string(v))
	case *apd.Decimal:
		return numberMoment(v.Text('f'))
	case float64:
		return numberMoment(strconv.FormatFloat(v, 'f', -1, 64))
	case float32:
		return numberMoment(strconv.FormatFloat(float64(v), 'f', -1, 32))
	}
	negative, n, ok := o.whole()
	if !ok || negative {
		return time.Time{}, false
	}
	return numberMoment(strconv.FormatUint(n, 10))
}

// span is the value as a time; ok is false if it is none.
func (o operand) span() (coltype.Span, bool) {
	v := o.v
	switch x := v.(type) {
	case coltype.Micros:
		return coltype.Span(x.AsMicroseconds()), true
	case []byte:
		v = string(x)
	}
	s, ok := v.(string)
	if !ok {
		return 0, false
	}
	return legacy.Span(s)
}

// LeadingNumber is the number that a text begins with, 0 if none.
func LeadingNumber(s string) float64 {
	s = strings.TrimLeft(s, " \t\n\r\v\f")
	end, digits, point := 0, 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
			end = i + 1
			continue
		case (c == '-' || c == '+') && i == 0:
			continue
		case c == '.' && !point:
			point = true
			continue
		case (c == 'e' || c == 'E') && digits > 0:
			j := i + 1
			if j < len(s) && (s[j] == '-' || s[j] == '+') {
				j++
			}
			for j < len(s) && s[j] >= '0' && s[j] <= '9' {
				j++
				end = j
			}
		}
		break
	}
	if digits == 0 {
		return 0
	}
	f, err := strconv.ParseFloat(s[:end], 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0
	}
	return max(-math.MaxFloat64, min(f, math.MaxFloat64))
}
