package legacy

import (
	"time"

	"github.com/cockroachdb/apd/v3"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/coltype"
)

// FromEngine is a value of the engine as the core has it; the same if the core has it so already.
func FromEngine(v any) (any, error) {
	switch v := v.(type) {
	case nil, string, []byte, int64, uint64, int32, uint32, int16, uint16, int8, uint8, float64, float32, time.Time, *apd.Decimal, coltype.Span, coltype.JSON:
		return v, nil
	case types.Timespan:
		return coltype.Span(v), nil
	case gms.JSONWrapper:
		b, err := types.JsonToMySqlBytes(gms.NewEmptyContext(), v)
		return coltype.JSON(b), err
	case gms.AnyWrapper:
		loaded, err := v.UnwrapAny(gms.NewEmptyContext())
		if _, again := loaded.(gms.AnyWrapper); again || err != nil {
			return v, err
		}
		return loaded, nil
	}
	return v, nil
}

// ToEngine is a value of the core as the engine has it; the same if the engine has it so already.
func ToEngine(v any) any {
	switch v := v.(type) {
	case coltype.Span:
		return types.Timespan(v)
	case coltype.JSON:
		return types.NewLazyJSONDocument(v)
	}
	return v
}

// Span is the TIME that a text is; false: it is none.
func Span(text string) (coltype.Span, bool) {
	span, err := types.Time.ConvertToTimespan(Moment(text))
	return coltype.Span(span), err == nil
}
