package coltype

import (
	"math/bits"
	"slices"
	"strings"

	"vitess.io/vitess/go/sqltypes"
)

// Type is the type of a column.
type Type struct {
	Kind Kind // 0: no column has the type
	// SQL is the type as the protocol has it: the width and the sign of a whole number, DATE or DATETIME, CHAR or TEXT.
	SQL sqltypes.Type
	// Precision and Scale are the digits of a DECIMAL, and those of them behind the point. Of a FLOAT(m,d) or DOUBLE(m,d)
	// they are m and d; Precision is 0 if the definition has neither.
	Precision, Scale int
	Fraction         int // digits of a second's fraction, of DATETIME and TIMESTAMP
	Bits             int // of a BIT
	// Characters and Bytes are the most that a text or a string of bytes has.
	Characters, Bytes int64
	Members           []string   // of an ENUM or SET
	Collation         *Collation // nil: it has none
	Shown             Shown
	Name              string // as in SHOW CREATE TABLE, without collation and character set
}

// Shown is how the values of a column are shown, beyond its type: a TIME and a DOUBLE(8,2) with so many digits behind the
// point, to which they are rounded when they are stored, and an INT(5) ZEROFILL with zeros up to a width.
type Shown struct {
	Digits   int
	Declared bool // Digits counts
	Width    int  // in characters; 0: without zeros
}

// String is the type's name.
func (t *Type) String() string { return t.Name }

// Equal reports whether two types have the same values, which are compared alike.
func (t *Type) Equal(o *Type) bool {
	return t.Kind == o.Kind && t.Kind != 0 && t.SQL == o.SQL && t.Precision == o.Precision && t.Scale == o.Scale && t.Fraction == o.Fraction && t.Bits == o.Bits &&
		t.Characters == o.Characters && t.Collation == o.Collation && slices.Equal(t.Members, o.Members)
}

// Member is the n-th member of an ENUM, from 1; 0 is the empty text of a value that was none.
func (t *Type) Member(n uint64) (string, bool) {
	if n == 0 || n > uint64(len(t.Members)) {
		return "", n == 0
	}
	return t.Members[n-1], true
}

// SetText is the text of a SET's bits; false: there are bits of no member.
func (t *Type) SetText(set uint64) (string, bool) {
	if bits.Len64(set) > len(t.Members) {
		return "", false
	}
	var out strings.Builder
	for first := true; set != 0; set, first = set&(set-1), false {
		if !first {
			out.WriteByte(',')
		}
		out.WriteString(t.Members[bits.TrailingZeros64(set)])
	}
	return out.String(), true
}
