package store

import (
	"math"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
	"isochron/sql/expr"
)

func toFloat(t *Target, c *Column, v expr.Value) (any, error) {
	f, err := t.float(c, v)
	if err != nil {
		return nil, err
	}
	if c.width > 0 {
		return t.declared(c, f)
	}
	if c.kind == coltype.KindFloat64 {
		return f, nil
	}
	if math.Abs(f) > math.MaxFloat32 {
		return float32(math.Copysign(math.MaxFloat32, f)), t.outOfRange(c)
	}
	return float32(f), nil
}

// declared is a value of a DOUBLE(m,d): rounded to d decimals, of m digits at most.
func (t *Target) declared(c *Column, f float64) (out any, err error) {
	unit := math.Pow10(c.digits)
	if whole := math.Floor(f); !math.IsInf(f, 0) {
		f = whole + math.RoundToEven((f-whole)*unit)/unit
	}
	most := math.Pow10(c.width-c.digits) - 1/unit
	if math.Abs(f) > most {
		f, err = math.Copysign(most, f), t.outOfRange(c)
	}
	if c.kind == coltype.KindFloat32 {
		return float32(f), err
	}
	return f, err
}

func (t *Target) float(c *Column, v expr.Value) (float64, error) {
	text := v.ToString()
	switch k := v.Type(); {
	case isNumberLiteral(v):
		n, _ := bytesNumber(v.Raw())
		return float64(n), nil
	case isTemporal(k):
		text = temporalText(v)
	}
	_, length, f := readNumber(text)
	switch {
	case sqltypes.IsNumber(v.Type()):
		length, f = len(text), noFault
	case f == noNumber:
		return 0, t.incorrect(c, "double", v)
	}
	out, failed := strconv.ParseFloat(strings.TrimLeft(text[:length], " \t\n\v\f\r"), 64)
	if failed != nil && math.IsInf(out, 0) {
		return math.Copysign(math.MaxFloat64, out), t.outOfRange(c)
	}
	if f == garbage {
		if err := t.truncated(c); err != nil {
			return 0, err
		}
	}
	return out + 0, nil // no negative zero
}
