package comparing

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
	"isochron/sql/rowcodec"
)

// Use is the way in which a key is looked up by values of another type.
type Use uint8

// The uses.
const (
	AsIs    Use = iota // the engine's conversion finds the right rows
	Nearest            // by the value that Near returns; the rows found are compared again
	Never              // several keys may equal one value
)

// UseOf returns the way in which a key of type t is looked up by values of another.
func UseOf(t, from *coltype.Type) Use {
	a, b := classOf(t), classOf(from)
	if from.SQL == sqltypes.Null {
		return AsIs
	}
	whole := func(c class) bool { return c == signed || c == natural }
	switch {
	case a == other || b == other:
		if t.Equal(from) {
			return AsIs
		}
		return Never
	case whole(a) && whole(b):
		return AsIs
	case t.Equal(from):
		return AsIs
	case a == text && b == text:
		if t.Collation == from.Collation {
			return Nearest // the engine hashes texts of two lengths by neither's collation
		}
		return Never
	case a == binary && b == binary:
		return AsIs
	case a == binary && b == text:
		return Nearest
	case a == text, a == binary, a == set:
		return Never
	case a == enum:
		if b.isNumber() || b == text && t.Collation == from.Collation {
			return Nearest
		}
		return Never
	case a.isNumber():
		if (b.isNumber() || b.isText()) && !coarse(t, from) {
			return Nearest
		}
		return Never
	case a == moment:
		if b == moment || b.isText() || b == span {
			return Nearest
		}
		if b.isNumber() && b != year {
			return Nearest
		}
		return Never
	case a == span && b.isText():
		return Nearest
	}
	return Never
}

// UseOfConstant is UseOf for a constant, which has no collation of its own; v is its value, nil if
// unknown.
func UseOfConstant(t, from *coltype.Type, v any) Use {
	a, b := classOf(t), classOf(from)
	switch {
	case a == text && b == text:
		return AsIs
	case a == enum && b == text:
		return Nearest
	case coarse(t, from):
		if f, ok := (operand{b, from, v}).float(); ok && v != nil && math.Abs(f) < floatsExact {
			return Nearest
		}
		return Never
	}
	return UseOf(t, from)
}

// floatsExact is up to where a float is one whole number.
const floatsExact = 1 << 53

// coarse reports whether values are compared as floats, of which one may equal several keys of a type.
func coarse(t, from *coltype.Type) bool {
	a, b := classOf(t), classOf(from)
	if ruleOf(a, b) != asFloat {
		return false
	}
	switch a {
	case decimal:
		return t.Precision > 15
	case signed, natural:
		return t.SQL == sqltypes.Int64 || t.SQL == sqltypes.Uint64
	case bits:
		return t.Bits > 11
	}
	return false
}

// Near is the value of a key's type that equals a value of another, or the one beside it. It rises with the value.
// ok is false if there is none: too large, or not of that kind.
func Near(clock Clock, t, from *coltype.Type, v any) (near any, exact, ok bool) {
	o := operand{classOf(from), from, v}
	switch c := classOf(t); c {
	case signed, natural, bits, year:
		return nearWhole(t, o)
	case float32s, float64s:
		f, ok := o.float()
		if !ok {
			return nil, false, false
		}
		if c == float32s {
			if math.Abs(f) > math.MaxFloat32 {
				return nil, false, false
			}
			return float32(f), float64(float32(f)) == f, true
		}
		return f, true, true
	case decimal:
		return nearDecimal(t, o)
	case text:
		s, ok := o.name()
		return s, true, ok && (t.Characters == 0 || int64(utf8.RuneCountInString(s)) <= t.Characters)
	case binary:
		s, ok := o.name()
		return []byte(s), true, ok
	case enum:
		return nearEnum(t, o)
	case moment:
		at, ok := o.moment(clock)
		if !ok {
			return nil, false, false
		}
		near := at.Truncate(precision(t))
		return near, near.Equal(at), true
	case span:
		s, ok := o.span()
		return s, true, ok
	}
	return nil, false, false
}

// precision returns the step between two values of a type of date and time.
func precision(t *coltype.Type) time.Duration {
	if t.SQL == sqltypes.Date {
		return 24 * time.Hour
	}
	step := time.Second
	for range t.Fraction {
		step /= 10
	}
	return max(step, time.Microsecond)
}

func nearWhole(t *coltype.Type, o operand) (near any, exact, ok bool) {
	negative, n, ok := o.whole()
	exact = ok && !o.class.isText() && o.class != decimal
	if !exact {
		if d, is := o.v.(*apd.Decimal); is {
			return nearInteger(t, d)
		}
		f, ok := o.float()
		if !ok {
			return nil, false, false
		}
		down := math.Floor(f)
		exact = down == f
		if math.Abs(down) >= 1<<63 {
			if down < 0 || down >= 1<<64 {
				return nil, false, false
			}
			negative, n = false, uint64(down)
		} else {
			negative, n = down < 0, uint64(math.Abs(down))
		}
	}
	if negative {
		if n > 1<<63 {
			return nil, false, false
		}
	}
	return converted(t, negative && n > 0, n, exact)
}

// nearInteger is the whole number at or below a decimal one.
func nearInteger(t *coltype.Type, d *apd.Decimal) (near any, exact, ok bool) {
	down := new(apd.Decimal)
	if _, err := exactly.Floor(down, d); err != nil {
		return nil, false, false
	}
	exact = down.Cmp(d) == 0
	if i, err := down.Int64(); err == nil {
		return converted(t, i < 0, magnitude(i), exact)
	}
	n, err := strconv.ParseUint(down.Text('f'), 10, 64)
	if err != nil {
		return nil, false, false
	}
	return converted(t, false, n, exact)
}

// magnitude is a number without its sign.
func magnitude(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

// exactly computes with decimals of any length.
var exactly = apd.BaseContext

// converted is a number in a type that holds it.
func converted(t *coltype.Type, negative bool, n uint64, exact bool) (any, bool, bool) {
	if t.Kind == coltype.KindYear { // 24 is no year here
		return int16(n), exact, !negative && (n == 0 || n > 1900 && n < 2156)
	}
	least, most := t.Limits()
	switch {
	case negative && n > -uint64(least), !negative && n > most:
		return nil, exact, false
	case t.Kind != coltype.KindInt:
		return t.Uint(n), exact, true
	case negative:
		return t.Int(-int64(n)), exact, true
	}
	return t.Int(int64(n)), exact, true
}

func nearDecimal(t *coltype.Type, o operand) (near any, exact, ok bool) {
	d, ok := o.exact()
	if !ok || o.class.isText() {
		f, is := o.float()
		if !is || math.Abs(f) > 1e65 {
			return nil, false, false
		}
		if d, _, _ = apd.NewFromString(strconv.FormatFloat(f, 'g', -1, 64)); d == nil {
			return nil, false, false
		}
	}
	near10 := new(apd.Decimal)
	round := exactly
	round.Rounding = apd.RoundFloor
	round.Precision = 200
	if _, err := round.Quantize(near10, d, -int32(t.Scale)); err != nil {
		return nil, false, false
	}
	if near10.NumDigits() > int64(t.Precision) {
		return nil, false, false
	}
	return near10, near10.Cmp(d) == 0, true
}

func nearEnum(t *coltype.Type, o operand) (near any, exact, ok bool) {
	if s, is := o.name(); is && !o.class.isNumber() {
		for i, name := range t.Members {
			if CompareText(s, name, t.Collation) == 0 {
				return uint16(i + 1), true, true
			}
		}
		return nil, false, false
	}
	f, ok := o.float()
	if !ok || f < 0 || f > float64(len(t.Members)) {
		return nil, false, false
	}
	return uint16(f), float64(uint16(f)) == f, true
}

// Canonical returns a text that two values share if they are equal; types are their types.
// ok is false if the value equals none.
func Canonical(clock Clock, t, beside *coltype.Type, v any, collation *coltype.Collation) (s string, ok bool) {
	o := operand{classOf(t), t, v}
	switch ruleOf(o.class, classOf(beside)) {
	case asWhole:
		negative, n, ok := o.whole()
		if negative {
			return "-" + strconv.FormatUint(n, 10), ok
		}
		return strconv.FormatUint(n, 10), ok
	case asDecimal:
		d, ok := o.exact()
		if !ok {
			return "", false
		}
		if d.IsZero() {
			return "0", true
		}
		reduced, _ := new(apd.Decimal).Reduce(d)
		return reduced.Text('f'), true
	case asFloat:
		f, ok := o.float()
		return strconv.FormatFloat(f+0, 'g', -1, 64), ok
	case asText:
		s, ok := o.name()
		return string(rowcodec.AppendText(nil, s, collation)), ok
	case asMoment:
		at, ok := o.moment(clock)
		return at.Format(time.RFC3339Nano), ok
	case asSpan:
		s, ok := o.span()
		return strconv.FormatInt(int64(s), 10), ok
	}
	return "", false
}

// HasCanonical reports whether Canonical is for values of two types.
func HasCanonical(l, r *coltype.Type) bool { return ruleOf(classOf(l), classOf(r)) != byEngine }

// IsInteger reports whether a type is one of whole numbers that stand for nothing else.
func IsInteger(t *coltype.Type) bool {
	c := classOf(t)
	return c == signed || c == natural
}

// Ordered reports whether keys of a type stand in the order in which they are compared with values of another.
func Ordered(t, from *coltype.Type) bool {
	c := classOf(t)
	return !c.isNamed() || classOf(from).isNumber()
}

// Year returns the year of a constant compared with one: 24 is 2024. ok is false if the constant is used unchanged.
func Year(t *coltype.Type, v any) (year int64, ok bool) {
	o := operand{classOf(t), t, v}
	if !o.class.isNumber() && !o.class.isText() {
		return 0, false
	}
	f, ok := o.float()
	if f = math.Round(f); !ok || f < 1 || f > 99 {
		return 0, false
	}
	return int64(century(int(f), 2)), true
}
