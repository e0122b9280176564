package exec

import (
	"slices"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/expr"
)

// Kind is an aggregate function.
type Kind uint8

// The aggregate functions of MySQL.
const (
	Count     Kind = iota // of rows whose arguments are not NULL
	CountRows             // COUNT(*)
	Sum
	Avg
	Min
	Max
	GroupConcat
	BitAnd
	BitOr
	BitXor
	StdPop
	StdSamp
	VarPop
	VarSamp
	JSONArray  // JSON_ARRAYAGG
	JSONObject // JSON_OBJECTAGG
	AnyValue   // the value of the first row
)

// Aggregate is one aggregate function over the rows of a group.
type Aggregate struct {
	Kind      Kind
	Distinct  bool
	Args      []int       // positions in the input row
	Types     []expr.Type // of Args
	Order     []Key       // GROUP_CONCAT's ORDER BY, over the input row
	Separator string      // GROUP_CONCAT
	MaxLength int         // group_concat_max_len, in bytes; a longer text is cut, with warning 1260. 0: MySQL's default
}

const (
	// sumDigits are the digits by which a sum has more than its argument.
	sumDigits = 22
	// divisionDigits is div_precision_increment: the decimals by which an average has more than its argument.
	divisionDigits = 4
	precisionMax   = 65 // digits of a DECIMAL
	scaleMax       = 30 // decimals of a DECIMAL
	// concatDefault is group_concat_max_len, if it is not given.
	concatDefault = 1024
	// varcharMax is the group_concat_max_len, in bytes, above which a result is TEXT instead of VARCHAR.
	varcharMax = 512
)

// Computes reports whether the function computes with its arguments as numbers.
func (a *Aggregate) Computes() bool {
	switch a.Kind {
	case Sum, Avg, BitAnd, BitOr, BitXor, StdPop, StdSamp, VarPop, VarSamp:
		return true
	}
	return false
}

// Type is the type of the result, as MySQL gives it to clients.
func (a Aggregate) Type(c *expr.Context) expr.Type {
	switch a.Kind {
	case Count, CountRows:
		return typeOf(sqltypes.Int64, false, 21, 0)
	case BitAnd, BitOr, BitXor:
		if a.overBytes() {
			return typeOf(sqltypes.VarBinary, true, a.Types[0].Size(), 0)
		}
		return typeOf(sqltypes.Uint64, false, 21, 0)
	case Sum:
		if precision, scale, exact := exactType(a.Types[0]); exact {
			return typeOf(sqltypes.Decimal, true, min(precision+sumDigits, precisionMax), scale)
		}
		return typeOf(sqltypes.Float64, true, 0, doubleDecimals(a.Types[0]))
	case Avg:
		if precision, scale, exact := exactType(a.Types[0]); exact {
			return typeOf(sqltypes.Decimal, true, min(precision+divisionDigits, precisionMax), min(scale+divisionDigits, scaleMax))
		}
		return typeOf(sqltypes.Float64, true, 0, min(doubleDecimals(a.Types[0])+divisionDigits, 31))
	case Min, Max:
		t := a.Types[0]
		if t.Type() == sqltypes.Enum || t.Type() == sqltypes.Set {
			return evalengine.NewTypeEx(sqltypes.Char, t.Collation(), true, t.Size(), 0, nil)
		}
		t.SetNullability(true)
		return t
	case AnyValue:
		t := a.Types[0]
		t.SetNullability(true)
		return t
	case GroupConcat:
		return a.concatType(c)
	case JSONArray, JSONObject:
		return evalengine.NewTypeEx(sqltypes.TypeJSON, collations.CollationUtf8mb4BinID, true, 0, 0, nil)
	}
	return doubleType()
}

// typeOf is a type without a character set.
func typeOf(t sqltypes.Type, nullable bool, size, scale int32) expr.Type {
	return evalengine.NewTypeEx(t, collations.CollationBinaryID, nullable, size, scale, nil)
}

// doubleDecimals are the decimals of a value that is summed as a double; 31: it has no fixed number of them.
func doubleDecimals(t expr.Type) int32 {
	switch {
	case t.Type() == sqltypes.Null:
		return 0
	case sqltypes.IsFloat(t.Type()) && t.Scale() > 0:
		return t.Scale()
	}
	return 31
}

func doubleType() expr.Type { return typeOf(sqltypes.Float64, true, 0, 31) }

// concatType is the type of GROUP_CONCAT: bytes if one argument has no character set, or all are NULL, else text in the collation of the
// first text argument, or in the connection's.
func (a Aggregate) concatType(c *expr.Context) expr.Type {
	collation, binary := c.Collation, !slices.ContainsFunc(a.Types, func(t expr.Type) bool { return t.Type() != sqltypes.Null })
	for i := len(a.Types) - 1; i >= 0; i-- {
		switch t := a.Types[i]; {
		case sqltypes.IsText(t.Type()), t.Type() == sqltypes.Enum, t.Type() == sqltypes.Set:
			collation = t.Collation()
		case t.Type() == sqltypes.TypeJSON:
			collation = collations.CollationUtf8mb4BinID
		case sqltypes.IsBinary(t.Type()), t.Type() == sqltypes.Bit:
			binary = true
		}
	}
	most := a.maxLength()
	t := sqltypes.Text
	switch {
	case binary && most > varcharMax:
		t, collation = sqltypes.Blob, collations.CollationBinaryID
	case binary:
		t, collation = sqltypes.VarBinary, collations.CollationBinaryID
	case most <= varcharMax:
		t = sqltypes.VarChar
	}
	return evalengine.NewTypeEx(t, collation, true, int32(most), 0, nil)
}

func (a Aggregate) maxLength() int {
	if a.MaxLength > 0 {
		return a.MaxLength
	}
	return concatDefault
}

// overBytes reports whether a bit function works on byte strings, as MySQL 8's do for arguments without a character set.
func (a Aggregate) overBytes() bool { return sqltypes.IsBinary(a.Types[0].Type()) }

// exactType is the type of a DECIMAL that has all values of a type; exact is false for types that sums take as doubles.
func exactType(t expr.Type) (precision, scale int32, exact bool) {
	switch s := t.Type(); s {
	case sqltypes.Int8, sqltypes.Uint8:
		return 3, 0, true
	case sqltypes.Int16, sqltypes.Uint16:
		return 5, 0, true
	case sqltypes.Int24, sqltypes.Uint24:
		return 8, 0, true
	case sqltypes.Int32, sqltypes.Uint32:
		return 10, 0, true
	case sqltypes.Int64:
		return 19, 0, true
	case sqltypes.Uint64:
		return 20, 0, true
	case sqltypes.Bit:
		if t.Size() > 0 {
			return t.Size(), 0, true
		}
		return 64, 0, true
	case sqltypes.Year:
		return 4, 0, true
	case sqltypes.Date:
		return 8, 0, true
	case sqltypes.Time:
		return 7 + t.Size(), t.Size(), true
	case sqltypes.Datetime, sqltypes.Timestamp:
		return 14 + t.Size(), t.Size(), true
	case sqltypes.Decimal:
		if t.Size() == 0 {
			return precisionMax, t.Scale(), true
		}
		return t.Size(), t.Scale(), true
	}
	return 0, 0, false
}
