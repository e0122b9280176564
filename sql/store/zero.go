package store

import (
	"fmt"

	"github.com/cockroachdb/apd/v3"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
	"isochron/sql/rowcodec"
)

// Zero is what a column without NULL and without default holds where no value is given: 0, the empty text, the zero date, the
// first member.
func (c *Column) Zero() any {
	switch c.kind {
	case rowcodec.KindInt:
		return int64(0)
	case rowcodec.KindUint, rowcodec.KindBit, rowcodec.KindSet:
		return uint64(0)
	case rowcodec.KindFloat32:
		return float32(0)
	case rowcodec.KindFloat64:
		return float64(0)
	case rowcodec.KindDecimal:
		return apd.New(0, -int32(c.Type.(gms.DecimalType).Scale()))
	case rowcodec.KindText:
		return ""
	case rowcodec.KindBytes:
		if c.sql == sqltypes.Binary {
			return make([]byte, c.Type.(gms.StringType).MaxByteLength())
		}
		return []byte{}
	case rowcodec.KindTime:
		return types.ZeroTime
	case rowcodec.KindTimespan:
		return types.Timespan(0)
	case rowcodec.KindYear:
		return int16(0)
	case rowcodec.KindEnum:
		return uint16(1)
	}
	doc, _, err := types.JSON.Convert(gms.NewEmptyContext(), "null")
	if err != nil {
		return nil
	}
	return doc
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

// NoDefault is what a column without default stores where no value is given.
func (t *Target) NoDefault(c *Column) (any, error) {
	if c.Nullable {
		return nil, nil
	}
	if err := t.warn(expr.NewError(1364, "HY000", "Field '%s' doesn't have a default value", c.Name)); err != nil {
		return nil, err
	}
	return c.Zero(), nil
}
