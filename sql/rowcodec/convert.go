package rowcodec

import (
	"math"

	"isochron/sql/coltype"
)

func toInt64(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int32:
		return int64(v), true
	case int16:
		return int64(v), true
	case int8:
		return int64(v), true
	case int:
		return int64(v), true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func toUint64(v any) (uint64, bool) {
	switch v := v.(type) {
	case uint64:
		return v, true
	case uint32:
		return uint64(v), true
	case uint16:
		return uint64(v), true
	case uint8:
		return uint64(v), true
	case uint:
		return uint64(v), true
	}
	return 0, false
}

// toMicros is a TIME, of the core or of the engine.
func toMicros(v any) (int64, bool) {
	if s, ok := v.(coltype.Span); ok {
		return int64(s), true
	}
	s, ok := v.(coltype.Micros)
	if !ok {
		return 0, false
	}
	return s.AsMicroseconds(), true
}

func toFloat64(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case float32:
		return float64(v), true
	}
	return 0, false
}

func toBytes(v any) ([]byte, bool) {
	switch v := v.(type) {
	case []byte:
		return v, true
	case string:
		return []byte(v), true
	}
	return nil, false
}

func toText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

// IsInteger reports whether a value is one of Go's integers.
func IsInteger(v any) bool {
	if _, ok := v.(bool); ok {
		return false
	}
	_, signed := toInt64(v)
	_, unsigned := toUint64(v)
	return signed || unsigned
}

// Integer is the value of one of Go's integers; ok is false if it is none, or
// beyond those of int64.
func Integer(v any) (n int64, ok bool) {
	if !IsInteger(v) {
		return 0, false
	}
	if n, ok := toInt64(v); ok {
		return n, true
	}
	u, _ := toUint64(v)
	return int64(u), u <= math.MaxInt64
}

// IsPositive reports whether a value is an integer above zero.
func IsPositive(v any) bool {
	i, signed := toInt64(v)
	u, unsigned := toUint64(v)
	return IsInteger(v) && (signed && i > 0 || unsigned && u > 0)
}
