package store

import (
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
	"isochron/sql/expr"
)

// temporalNames are the types of dates and times in messages.
var temporalNames = map[sqltypes.Type]string{sqltypes.Date: "date", sqltypes.Datetime: "datetime", sqltypes.Timestamp: "datetime", sqltypes.Time: "time"}

func toMoment(t *Target, c *Column, v expr.Value) (any, error) {
	got := expr.ToStored(t.Context, asTemporal(v), c.sql, c.digits)
	if err := t.temporalFault(c, v, got.Fault); err != nil {
		return nil, err
	}
	if got.Zero {
		return coltype.ZeroTime, nil
	}
	return got.At, nil
}

func toSpan(t *Target, c *Column, v expr.Value) (any, error) {
	got := expr.ToStored(t.Context, asTemporal(v), c.sql, c.digits)
	if err := t.temporalFault(c, v, got.Fault); err != nil {
		return nil, err
	}
	return coltype.Span(got.Span.Microseconds()), nil
}

// asTemporal is a value as dates and times read it: a year is text, a BIT a number.
func asTemporal(v expr.Value) expr.Value {
	if v.Type() == sqltypes.Bit {
		n, _ := bytesNumber(v.Raw())
		return expr.Uint(n)
	}
	return v
}

func (t *Target) temporalFault(c *Column, v expr.Value, f expr.StoredFault) error {
	if f == expr.StoredExact {
		return nil
	}
	if f == expr.StoredNoted {
		t.noted(c)
		return nil
	}
	if t.Strict {
		return expr.NewError(1292, "22007", "Incorrect %s value: '%s' for column '%s' at row %d", temporalNames[c.sql], shown(v), c.Name, t.Row)
	}
	if f == expr.StoredZero || f == expr.StoredOverEnd {
		return t.outOfRange(c)
	}
	return t.truncated(c)
}
