package rowcodec

import (
	"math"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql/types"
)

// Shown is how the values of a column are shown, beyond its type: a TIME and a DOUBLE(8,2) with so many digits behind the
// point, to which they are rounded when they are stored, and an INT(5) ZEROFILL with zeros up to a width.
type Shown struct {
	Digits   int
	Declared bool // Digits counts
	Width    int  // in characters; 0: without zeros
}

// Round is a value as the column stores it.
func (c Column) Round(v any) any {
	if !c.Shown.Declared {
		return v
	}
	switch v := v.(type) {
	case types.Timespan:
		return roundTimespan(v, c.Shown.Digits)
	case float64:
		return roundFloat(v, c.Shown.Digits, 64)
	case float32:
		return float32(roundFloat(float64(v), c.Shown.Digits, 32))
	}
	return v
}

// timespanMax is the longest TIME, 838:59:59, in microseconds.
const timespanMax = (838*3600 + 59*60 + 59) * 1_000_000

// roundTimespan rounds half away from zero.
func roundTimespan(v types.Timespan, digits int) types.Timespan {
	if digits < 0 || digits >= 6 {
		return v
	}
	unit := types.Timespan(pow10[6-digits])
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
