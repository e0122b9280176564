package access

import (
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/rowcodec"
)

// Op is how a column is compared with constants.
type Op uint8

// The comparisons.
const (
	Equal        Op = iota // = and <=>, IN with several values
	IsNull                 // IS NULL, <=> NULL
	Less                   // <
	LessEqual              // <=
	Greater                // >
	GreaterEqual           // >=
	Like                   // LIKE without ESCAPE; it is never the whole of a filter
	Either                 // one of Alternatives
	Rows                   // one of Alternatives, of equal values of the same columns; Column counts for nothing
)

// Condition is a part of a filter: a column compared with constants.
type Condition struct {
	Column int // position in the table's row
	Op     Op
	Values []Value // one, but for Equal; NULLs are left out
	// Alternatives are lists of conditions on the column; a row fulfils all of one of them.
	Alternatives [][]Condition
}

// Value is a constant.
type Value = rowcodec.Value

// engineValue is a constant as the key's codec and the comparison of types know it; false: it has no such form.
func engineValue(v Value) (any, gms.Type, bool) {
	switch t := v.Type(); {
	case v.IsNull():
		return nil, types.Null, true
	case sqltypes.IsSigned(t):
		n, err := v.ToInt64()
		return n, types.Int64, err == nil
	case sqltypes.IsUnsigned(t):
		n, err := v.ToUint64()
		return n, types.Uint64, err == nil
	case sqltypes.IsDecimal(t):
		return decimalValue(v.ToString())
	case sqltypes.IsFloat(t):
		f, err := strconv.ParseFloat(v.ToString(), 64)
		return f, types.Float64, err == nil
	case t == sqltypes.Date:
		at, err := time.Parse("2006-01-02", v.ToString())
		return at, types.Date, err == nil
	case t == sqltypes.Datetime, t == sqltypes.Timestamp:
		at, err := time.Parse("2006-01-02 15:04:05.999999", v.ToString())
		return at, types.DatetimeMaxPrecision, err == nil
	case t == sqltypes.Time:
		span, err := types.Time.ConvertToTimespan(v.ToString())
		beyond := strings.HasSuffix(v.ToString(), "838:59:59.999999") // every time: no key is
		return span, types.Time, err == nil && !beyond
	case sqltypes.IsText(t):
		return v.ToString(), types.LongText, true
	case sqltypes.IsBinary(t):
		return append([]byte{}, v.Raw()...), types.LongBlob, true
	}
	return nil, nil, false
}

func decimalValue(text string) (any, gms.Type, bool) {
	d, _, err := apd.NewFromString(text)
	if err != nil || d.Form != apd.Finite || d.NumDigits() > 65 {
		return nil, nil, false
	}
	scale := max(0, -int(d.Exponent))
	t, err := types.CreateDecimalType(uint8(max(int(d.NumDigits()), scale)), uint8(min(scale, 30)))
	return d, t, err == nil
}
