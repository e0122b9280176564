package rowcodec

import (
	"math"
	"strconv"

	"isochron/sql/coltype"
)

// Round is a value as the column stores it.
func (c Column) Round(v any) any {
	shown := &c.Type.Shown
	if !shown.Declared {
		return v
	}
	switch v := v.(type) {
	case coltype.Micros:
		return roundTimespan(coltype.Span(v.AsMicroseconds()), shown.Digits)
	case float64:
		return roundFloat(v, shown.Digits, 64)
	case float32:
		return float32(roundFloat(float64(v), shown.Digits, 32))
	}
	return v
}

// timespanMax is the longest TIME, 838:59:59, in microseconds.
const timespanMax = (838*3600 + 59*60 + 59) * 1_000_000

// roundTimespan rounds half away from zero.
func roundTimespan(v coltype.Span, digits int) coltype.Span {
	if digits < 0 || digits >= 6 {
		return v
	}
	unit := coltype.Span(pow10[6-digits])
	half := unit / 2
	if v < 0 {
		half = -half
	}
	v = (v + half) / unit * unit
	return min(max(v, -timespanMax), timespanMax)
}

func roundFloat(v float64, digits, bits int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) || digits < 0 || digits > 30 {
		return v
	}
	f, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', digits, bits), 64)
	if err != nil {
		return v
	}
	return f
}

// appendFilled appends a number with zeros before it, up to a width.
func appendFilled(b []byte, n uint64, width int) []byte {
	var digits [20]byte
	text := strconv.AppendUint(digits[:0], n, 10)
	for i := len(text); i < width; i++ {
		b = append(b, '0')
	}
	return append(b, text...)
}
