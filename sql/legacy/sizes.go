package legacy

import (
	"context"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// What values take beside what they say, in bytes.
const (
	ValueBytes = 24
	RowBytes   = 48
)

// RowSize is about what a row of the engine takes.
func RowSize(row gms.Row) int64 {
	n := int64(RowBytes)
	for _, v := range row {
		n += ValueBytes + SizeOfValue(v)
	}
	return n
}

// SizeOfValue is about what a value takes beside its place in a row.
func SizeOfValue(v any) int64 {
	switch v := v.(type) {
	case nil, int64, int32, uint64, float64, bool, int8:
		return 0
	case string:
		return int64(len(v))
	case []byte:
		return int64(len(v))
	case types.JSONBytes:
		if b, err := v.GetBytes(context.Background()); err == nil {
			return int64(len(b))
		}
	case types.JSONDocument:
		return SizeOfJSON(v.Val).Bytes
	case gms.AnyWrapper:
		return 64
	case types.GeometryValue:
		return 2 * int64(len(v.Serialize()))
	case []any:
		return SizeOfJSON(v).Bytes
	}
	return 16
}

// jsonExtent is how large a JSON value is. It is measured up to jsonNodesMax values.
type jsonExtent struct {
	Bytes int64
	Nodes int
	Depth int
}

const (
	// JSONDepthMax is MySQL's bound of a document's depth.
	JSONDepthMax = 100
	// jsonNodesMax bounds the walk; who has more is counted as if without end.
	jsonNodesMax = 4 << 20
)

// SizeOfJSON measures a value without recursion.
func SizeOfJSON(v any) (e jsonExtent) {
	type open struct {
		v     any
		depth int
	}
	for todo := []open{{v, 1}}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		e.Nodes++
		e.Depth = max(e.Depth, o.depth)
		if e.Nodes+len(todo) > jsonNodesMax || e.Depth > JSONDepthMax {
			e.Bytes = 1 << 40
			return e
		}
		e.Bytes += ValueBytes
		switch v := o.v.(type) {
		case map[string]any:
			for k, inner := range v { // order: into a sum
				e.Bytes += int64(len(k)) + ValueBytes
				todo = append(todo, open{inner, o.depth + 1})
			}
		case []any:
			if len(v)+len(todo) > jsonNodesMax {
				e.Bytes = 1 << 40
				return e
			}
			for _, inner := range v {
				todo = append(todo, open{inner, o.depth + 1})
			}
		case types.JSONDocument:
			todo = append(todo, open{v.Val, o.depth})
		case string:
			e.Bytes += int64(len(v))
		case []byte:
			e.Bytes += int64(len(v))
		}
	}
	return e
}
