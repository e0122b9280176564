package access

import (
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
	"isochron/sql/legacy"
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

// The types of constants.
var (
	ofNull     = &coltype.Type{SQL: sqltypes.Null}
	ofInt      = &coltype.Type{Kind: coltype.KindInt, SQL: sqltypes.Int64}
	ofUint     = &coltype.Type{Kind: coltype.KindUint, SQL: sqltypes.Uint64}
	ofFloat    = &coltype.Type{Kind: coltype.KindFloat64, SQL: sqltypes.Float64}
	ofDate     = &coltype.Type{Kind: coltype.KindTime, SQL: sqltypes.Date}
	ofDatetime = &coltype.Type{Kind: coltype.KindTime, SQL: sqltypes.Datetime, Fraction: 6}
	ofTime     = &coltype.Type{Kind: coltype.KindTimespan, SQL: sqltypes.Time}
	ofText     = &coltype.Type{Kind: coltype.KindText, SQL: sqltypes.Text}
	ofBytes    = &coltype.Type{Kind: coltype.KindBytes, SQL: sqltypes.Blob}
)

// typed is a constant as the key's codec and the comparison of types know it; false: it has no such form.
func typed(v Value) (any, *coltype.Type, bool) {
	switch t := v.Type(); {
	case v.IsNull():
		return nil, ofNull, true
	case sqltypes.IsSigned(t):
		n, err := v.ToInt64()
		return n, ofInt, err == nil
	case sqltypes.IsUnsigned(t):
		n, err := v.ToUint64()
		return n, ofUint, err == nil
	case sqltypes.IsDecimal(t):
		return decimalValue(v.ToString())
	case sqltypes.IsFloat(t):
		f, err := strconv.ParseFloat(v.ToString(), 64)
		return f, ofFloat, err == nil
	case t == sqltypes.Date:
		at, err := time.Parse("2006-01-02", v.ToString())
		return at, ofDate, err == nil
	case t == sqltypes.Datetime, t == sqltypes.Timestamp:
		at, err := time.Parse("2006-01-02 15:04:05.999999", v.ToString())
		return at, ofDatetime, err == nil
	case t == sqltypes.Time:
		span, ok := legacy.Span(v.ToString())
		beyond := strings.HasSuffix(v.ToString(), "838:59:59.999999") // every time: no key is
		return span, ofTime, ok && !beyond
	case sqltypes.IsText(t):
		return v.ToString(), ofText, true
	case sqltypes.IsBinary(t):
		return append([]byte{}, v.Raw()...), ofBytes, true
	}
	return nil, nil, false
}

func decimalValue(text string) (any, *coltype.Type, bool) {
	d, _, err := apd.NewFromString(text)
	if err != nil || d.Form != apd.Finite || d.NumDigits() > 65 {
		return nil, nil, false
	}
	scale := max(0, -int(d.Exponent))
	digits := max(int(d.NumDigits()), scale)
	return d, &coltype.Type{Kind: coltype.KindDecimal, SQL: sqltypes.Decimal, Precision: digits, Scale: min(scale, 30)}, digits <= 65
}
