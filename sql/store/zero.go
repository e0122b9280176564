package store

import (
	"fmt"

	"github.com/cockroachdb/apd/v3"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
	"isochron/sql/expr"
)

// Zero is what a column without NULL and without default holds where no value is given: 0, the empty text, the zero date, the
// first member.
func (c *Column) Zero() any {
	switch c.kind {
	case coltype.KindInt:
		return int64(0)
	case coltype.KindUint, coltype.KindBit, coltype.KindSet:
		return uint64(0)
	case coltype.KindFloat32:
		return float32(0)
	case coltype.KindFloat64:
		return float64(0)
	case coltype.KindDecimal:
		return apd.New(0, -int32(c.Type.Scale))
	case coltype.KindText:
		return ""
	case coltype.KindBytes:
		if c.sql == sqltypes.Binary {
			return make([]byte, c.Type.Bytes)
		}
		return []byte{}
	case coltype.KindTime:
		return coltype.ZeroTime
	case coltype.KindTimespan:
		return coltype.Span(0)
	case coltype.KindYear:
		return int16(0)
	case coltype.KindEnum:
		return uint16(1)
	}
	return coltype.JSON("null")
}

// Null is what a column stores for NULL; must: an error rather than Zero where the column takes no NULL, as in a statement
// of one row.
func (t *Target) Null(c *Column, must bool) (any, error) {
	if c.Nullable {
		return nil, nil
	}
	if t.Strict || must {
		return nil, expr.NewError(1048, "23000", "Column '%s' cannot be null", c.Name)
	}
	t.Context.Warn(1048, fmt.Sprintf("Column '%s' cannot be null", c.Name))
	return c.Zero(), nil
}

// NoDefault is what a column without default stores where no value is given: of an ENUM the first member, without a warning.
func (t *Target) NoDefault(c *Column) (any, error) {
	if c.Nullable {
		return nil, nil
	}
	if c.kind == coltype.KindEnum {
		return c.Zero(), nil
	}
	if err := t.warn(expr.NewError(1364, "HY000", "Field '%s' doesn't have a default value", c.Name)); err != nil {
		return nil, err
	}
	return c.Zero(), nil
}
