package store

import (
	"fmt"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/coltype"
	"isochron/sql/expr"
)

// Column is a column that values are stored in.
type Column struct {
	Name     string
	Type     *coltype.Type
	Nullable bool
	kind     coltype.Kind
	sql      sqltypes.Type
	digits   int // of a second's fraction; of a DOUBLE(m,d): d
	width    int // of a DOUBLE(m,d): m; 0: it has none
	convert  func(t *Target, c *Column, v expr.Value) (any, error)
}

// Target is where the values of a statement go.
type Target struct {
	Context *expr.Context // receives warnings, has sql_mode
	Strict  bool          // a value that does not fit is an error
	Row     int           // number of the row at hand, from 1
}

// NewColumn readies a column of a table; false: its values cannot be converted here.
func NewColumn(d *catalog.Descriptor, pos int) (*Column, bool) {
	c, t := &d.Record.Columns[pos], d.Type(pos)
	out := &Column{Name: c.Name, Type: t, Nullable: c.Nullable, kind: t.Kind, sql: t.SQL, digits: t.Fraction}
	out.declare()
	switch t.Kind {
	case coltype.KindInt, coltype.KindUint:
		out.convert = toInteger
	case coltype.KindFloat32, coltype.KindFloat64:
		out.convert = toFloat
	case coltype.KindDecimal:
		out.convert = toDecimal
	case coltype.KindText:
		out.convert = toText
	case coltype.KindBytes:
		out.convert = toBytes
	case coltype.KindTime:
		out.convert = toMoment
	case coltype.KindTimespan:
		out.convert = toSpan
	case coltype.KindYear:
		out.convert = toYear
	case coltype.KindBit:
		out.convert = toBit
	case coltype.KindEnum:
		out.convert = toEnum
	case coltype.KindSet:
		out.convert = toSet
	case coltype.KindJSON:
		out.convert = toJSON
	}
	return out, out.convert != nil
}

// declare takes in the digits of a type.
func (c *Column) declare() {
	if c.kind == coltype.KindTimespan {
		c.digits = 6
	}
	if !c.Type.Shown.Declared {
		return
	}
	c.digits = c.Type.Shown.Digits
	if c.kind == coltype.KindFloat32 || c.kind == coltype.KindFloat64 {
		c.width = c.Type.Precision
	}
}

// Number reports whether the column holds numbers: an ENUM or SET that is stored in it counts by its number.
func (c *Column) Number() bool {
	switch c.kind {
	case coltype.KindText, coltype.KindBytes, coltype.KindEnum, coltype.KindSet, coltype.KindJSON, coltype.KindTime, coltype.KindTimespan:
		return false
	}
	return true
}

// Store is what a column stores for a value other than NULL.
func (t *Target) Store(c *Column, v expr.Value) (any, error) { return c.convert(t, c, v) }

// warn reports a value that does not fit: an error if the target is strict, else a warning.
func (t *Target) warn(e *expr.Error) error {
	if t.Strict {
		return e
	}
	t.Context.Warn(e.Code, e.Message)
	return nil
}

func (t *Target) outOfRange(c *Column) error {
	return t.warn(expr.NewError(1264, "22003", "Out of range value for column '%s' at row %d", c.Name, t.Row))
}

func (t *Target) truncated(c *Column) error {
	return t.warn(expr.NewError(1265, "01000", "Data truncated for column '%s' at row %d", c.Name, t.Row))
}

// noted reports what was left out without harm.
func (t *Target) noted(c *Column) {
	t.Context.Note(1265, fmt.Sprintf("Data truncated for column '%s' at row %d", c.Name, t.Row))
}

func (t *Target) incorrect(c *Column, kind string, v expr.Value) error {
	return t.warn(expr.NewError(1366, "HY000", "Incorrect %s value: '%s' for column '%s' at row %d", kind, shown(v), c.Name, t.Row))
}

// tooLong is an error 1406, or a warning 1265 where the value is cut.
func (t *Target) tooLong(c *Column) error {
	if t.Strict {
		return expr.NewError(1406, "22001", "Data too long for column '%s' at row %d", c.Name, t.Row)
	}
	return t.truncated(c)
}

// ValueBytes is what a stored value takes, beside a long text.
const ValueBytes = 32

// shownMax bounds a value in a message, in bytes.
const shownMax = 128

func shown(v expr.Value) string {
	s := v.ToString()
	if len(s) > shownMax {
		s = s[:shownMax]
	}
	return s
}
