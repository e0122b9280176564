package store

import (
	"fmt"
	"strconv"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/rowcodec"
)

// Column is a column that values are stored in.
type Column struct {
	Name     string
	Type     gms.Type
	Nullable bool
	kind     rowcodec.Kind
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
	c := d.Schema.Schema[pos]
	kind, err := rowcodec.KindOf(c.Type)
	if err != nil {
		return nil, false
	}
	out := &Column{Name: c.Name, Type: c.Type, Nullable: c.Nullable, kind: kind, sql: sqltypes.Type(c.Type.Type())}
	out.declare(d.Shown(pos), d.Record.Columns[pos].Type)
	switch kind {
	case rowcodec.KindInt, rowcodec.KindUint:
		out.convert = toInteger
	case rowcodec.KindFloat32, rowcodec.KindFloat64:
		out.convert = toFloat
	case rowcodec.KindDecimal:
		out.convert = toDecimal
	case rowcodec.KindText:
		if !unicode(c.Type) {
			return nil, false
		}
		out.convert = toText
	case rowcodec.KindBytes:
		out.convert = toBytes
	case rowcodec.KindTime:
		out.convert = toMoment
	case rowcodec.KindTimespan:
		out.convert = toSpan
	case rowcodec.KindYear:
		out.convert = toYear
	case rowcodec.KindBit:
		out.convert = toBit
	case rowcodec.KindEnum:
		out.convert = toEnum
	case rowcodec.KindSet:
		out.convert = toSet
	case rowcodec.KindJSON:
		out.convert = toJSON
	}
	return out, out.convert != nil
}

// declare takes in the digits of a type.
func (c *Column) declare(shown rowcodec.Shown, definition string) {
	if t, ok := c.Type.(gms.DatetimeType); ok {
		c.digits = t.Precision()
	}
	if c.kind == rowcodec.KindTimespan {
		c.digits = 6
	}
	if !shown.Declared {
		return
	}
	c.digits = shown.Digits
	if c.kind != rowcodec.KindFloat32 && c.kind != rowcodec.KindFloat64 {
		return
	}
	if _, arguments, ok := strings.Cut(definition, "("); ok {
		width, _, _ := strings.Cut(arguments, ",")
		c.width, _ = strconv.Atoi(width) // it is a number, as the catalogue has written it
	}
}

// Number reports whether the column holds numbers: an ENUM or SET that is stored in it counts by its number.
func (c *Column) Number() bool {
	switch c.kind {
	case rowcodec.KindText, rowcodec.KindBytes, rowcodec.KindEnum, rowcodec.KindSet, rowcodec.KindJSON, rowcodec.KindTime, rowcodec.KindTimespan:
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
