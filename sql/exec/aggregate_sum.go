package exec

import (
	"bytes"
	"math"
	"strconv"

	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// startSum starts SUM and AVG: exact for integers, decimals and times, by doubles for the rest.
func (f *folding) startSum() func(*account) accumulator {
	n := newNumbers(f.context, f.Types[0])
	if _, scale, exact := exactType(f.Types[0]); exact {
		var p pool[exactSum]
		return func(*account) accumulator {
			return p.take(exactSum{folding: f, numbers: n, scale: scale, digits: scale})
		}
	}
	if f.Distinct {
		n.call.Context = &expr.Context{} // MySQL warns of no value here
		return func(a *account) accumulator {
			return &distinctSum{doubleSum: doubleSum{folding: f, numbers: n}, account: a, seen: map[float64]struct{}{}}
		}
	}
	var p pool[doubleSum]
	return func(*account) accumulator { return p.take(doubleSum{folding: f, numbers: n}) }
}

// exactSum is SUM or AVG of exact numbers. The sum is small / 10^scale + large.
type exactSum struct {
	*folding
	numbers *numbers
	small   int64
	scale   int32 // of small: the argument's
	digits  int32 // decimals of the argument; those of a value that has more, if the argument has none
	large   decimal.Decimal
	count   int64
}

func (s *exactSum) add(row []expr.Value) error {
	v := row[s.Args[0]]
	if v.IsNull() {
		return nil
	}
	s.count++
	text := s.numbers.text(v)
	n, ok := scaled(text, s.scale)
	if !ok {
		d := parseDecimal(text)
		if s.scale == 0 { // else they are those that a quotient is computed with
			s.digits = max(s.digits, min(-d.Exponent(), scaleMax))
		}
		s.large = s.large.Add(d)
		return nil
	}
	if sum := s.small + n; (sum > s.small) == (n > 0) {
		s.small = sum
		return nil
	}
	s.large = s.large.Add(decimal.New(s.small, -s.scale))
	s.small = n
	return nil
}

func (s *exactSum) result() (expr.Value, error) {
	if s.count == 0 {
		return expr.Null, nil
	}
	if s.Kind == Sum && !s.large.IsInitialized() && s.digits == s.scale {
		return sqltypes.MakeTrusted(sqltypes.Decimal, appendScaled(nil, s.small, int(s.scale))), nil
	}
	total, digits := s.large.Add(decimal.New(s.small, -s.scale)), s.digits
	if s.Kind == Avg {
		digits = min(digits+divisionDigits, scaleMax)
		total, _ = total.QuoRem(decimal.NewFromInt(s.count), digits+1)
	}
	total = total.Round(digits)
	if most := total.Clamp(wholeMax(digits), digits); !most.Equal(total) {
		s.context.Warn(1292, "Truncated incorrect DECIMAL value: ''")
		total = most
	}
	return sqltypes.MakeTrusted(sqltypes.Decimal, total.FormatMySQL(digits)), nil
}

// wholeMax are the most digits before the point of a decimal that is computed, and need not fit a column: MySQL's have nine
// words of nine digits, of which each side of the point takes whole ones.
func wholeMax(scale int32) int32 { return 81 - (scale+8)/9*9 }

// scaled reads a number as an integer of 1/10^scale; false: it has more decimals, or may be too large.
func scaled(text []byte, scale int32) (n int64, ok bool) {
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	if len(text)+int(scale) > 18 {
		return 0, false
	}
	point := false
	for _, ch := range text {
		switch {
		case ch >= '0' && ch <= '9':
			if point {
				if scale == 0 {
					return 0, false
				}
				scale--
			}
			n = n*10 + int64(ch-'0')
		case ch == '.' && !point:
			point = true
		default:
			return 0, false
		}
	}
	for ; scale > 0; scale-- {
		n *= 10
	}
	if negative {
		n = -n
	}
	return n, true
}

// appendScaled appends n / 10^scale with all its decimals.
func appendScaled(dst []byte, n int64, scale int) []byte {
	var buffer [32]byte
	u := uint64(n)
	if n < 0 {
		dst, u = append(dst, '-'), -u
	}
	digits := strconv.AppendUint(buffer[:0], u, 10)
	whole := max(len(digits)-scale, 0)
	if dst = append(dst, digits[:whole]...); whole == 0 {
		dst = append(dst, '0')
	}
	if scale == 0 {
		return dst
	}
	dst = append(dst, '.')
	for range scale - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits[whole:]...)
}

// parseDecimal reads a number; what is none is 0. One with an exponent is read as a double: its digits are not written out.
func parseDecimal(text []byte) decimal.Decimal {
	if bytes.ContainsAny(text, "eE") {
		f, _ := strconv.ParseFloat(string(text), 64)
		return decimalOf(f)
	}
	d, err := decimal.NewFromMySQL(text)
	if err != nil {
		return decimal.Zero
	}
	return d
}

// decimalOf is a double as a decimal: infinities are the largest doubles, no number is 0.
func decimalOf(f float64) decimal.Decimal {
	if math.IsNaN(f) {
		return decimal.Zero
	}
	return decimal.NewFromFloat(max(min(f, math.MaxFloat64), -math.MaxFloat64))
}

// doubleSum is SUM or AVG by doubles.
type doubleSum struct {
	*folding
	numbers *numbers
	sum     float64
	count   int64
}

func (s *doubleSum) add(row []expr.Value) error {
	if v := row[s.Args[0]]; !v.IsNull() {
		s.put(s.numbers.double(v))
	}
	return nil
}

func (s *doubleSum) put(f float64) {
	s.count++
	s.sum += f
}

func (s *doubleSum) result() (expr.Value, error) {
	if s.count == 0 {
		return expr.Null, nil
	}
	sum := s.sum
	if s.Kind == Avg {
		sum /= float64(s.count)
	}
	return double(sum), nil
}

// distinctSum is SUM or AVG of different doubles: texts that are the same number count once.
type distinctSum struct {
	doubleSum
	account *account
	seen    map[float64]struct{}
}

func (s *distinctSum) add(row []expr.Value) error {
	v := row[s.Args[0]]
	if v.IsNull() {
		return nil
	}
	f := s.numbers.double(v)
	if _, ok := s.seen[f]; ok {
		return nil
	}
	s.seen[f] = struct{}{}
	s.put(f)
	return s.account.add(mapBytes)
}

// double is a double. One beyond the range is 0, as MySQL writes it.
func double(f float64) expr.Value {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		f = 0
	}
	return expr.Double(f)
}
