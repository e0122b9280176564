package exec

import (
	"slices"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// Joinable reports whether columns of two types can be a JoinKey: whether keys of their values are equal where MySQL's =
// of them is true. Numbers are, but FLOAT with FLOAT only; texts of one collation; dates, with and without a time.
func Joinable(left, right expr.Type) bool {
	_, _, ok := joinColumns(left, right)
	return ok
}

// joinColumns are the encoders for two columns that are compared.
func joinColumns(left, right expr.Type) (l, r column, ok bool) {
	a, b := joinFamilyOf(left), joinFamilyOf(right)
	l, r = newColumn(Key{Type: left}), newColumn(Key{Type: right})
	switch {
	case a == joinNull || b == joinNull: // it never has a value
		return l, r, true
	case a == joinNone || b == joinNone:
		return l, r, false
	case a == joinExact && b == joinExact:
		if !sqltypes.IsIntegral(left.Type()) || !sqltypes.IsIntegral(right.Type()) {
			l.encode, r.encode = encodeNumber, encodeNumber
		}
		return l, r, true
	case a == b:
		return l, r, sameOrder(left, right, a)
	case isNumeric(a) && isNumeric(b): // one is a DOUBLE: compared as doubles
		l.encode, r.encode = encodeFloat, encodeFloat
		return l, r, true
	case isString(a) && isString(b): // one has no character set: compared as bytes
		l.encode, r.encode = encodeBytes, encodeBytes
		return l, r, true
	}
	return l, r, false
}

// joinFamily are types whose values are compared as of one type.
type joinFamily uint8

const (
	joinNone joinFamily = iota
	joinNull
	joinExact // integers and decimals
	joinDouble
	joinFloat
	joinBit
	joinText
	joinBytes
	joinOrdinal // ENUM, SET
	joinDate
	joinTime
	joinDocument
)

func joinFamilyOf(t expr.Type) joinFamily {
	switch s := t.Type(); {
	case s == sqltypes.Null:
		return joinNull
	case s == sqltypes.Bit:
		return joinBit
	case sqltypes.IsIntegral(s), sqltypes.IsDecimal(s):
		return joinExact
	case s == sqltypes.Float64:
		return joinDouble
	case s == sqltypes.Float32:
		return joinFloat
	case s == sqltypes.Enum, s == sqltypes.Set:
		return joinOrdinal
	case s == sqltypes.Date, s == sqltypes.Datetime, s == sqltypes.Timestamp:
		return joinDate
	case s == sqltypes.Time:
		return joinTime
	case s == sqltypes.TypeJSON:
		return joinDocument
	case sqltypes.IsText(s):
		return joinText
	case sqltypes.IsBinary(s):
		return joinBytes
	}
	return joinNone
}

func isNumeric(f joinFamily) bool { return f == joinExact || f == joinDouble }
func isString(f joinFamily) bool  { return f == joinText || f == joinBytes }

// sameOrder reports whether two types of a family have the same keys for equal values.
func sameOrder(left, right expr.Type, f joinFamily) bool {
	switch f {
	case joinText:
		return left.Collation() == right.Collation()
	case joinOrdinal:
		return left.Type() == right.Type() && left.Collation() == right.Collation() &&
			left.Values() != nil && right.Values() != nil && slices.Equal(*left.Values(), *right.Values())
	}
	return true
}

// joinEncoder makes the keys of the rows of one side.
type joinEncoder struct {
	encoder
	nullSafe []bool // by column
}

func joinEncoders(keys []JoinKey) (left, right joinEncoder) {
	for _, k := range keys {
		l, r, _ := joinColumns(k.Type, k.RightType)
		l.at, r.at = k.Left, k.Right
		left.columns, right.columns = append(left.columns, l), append(right.columns, r)
		left.nullSafe = append(left.nullSafe, k.NullSafe)
	}
	right.nullSafe = left.nullSafe
	return left, right
}

// append appends the key of a row; false: a column is NULL, and equal to nothing. dst is empty.
func (e *joinEncoder) append(dst []byte, row []expr.Value) ([]byte, bool) {
	for i := range e.columns {
		c := &e.columns[i]
		v := row[c.at]
		if v.IsNull() && !e.nullSafe[i] {
			return dst, false
		}
		dst = e.value(dst, c, v)
	}
	return dst, true
}
