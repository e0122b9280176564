package expr

import (
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Arguments and results of JSON functions.

// jsonTextType is the type of text out of documents: it compares by bytes, as JSON does.
func jsonTextType([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.VarChar, collations.CollationUtf8mb4BinID, true, 0, 0, nil)
}

func errJSONPathWildcard() error {
	return newError(3149, "42000", "In this situation, path expressions may not contain the * and ** tokens or an array range.")
}

func errJSONDepth() error {
	return newError(3157, "22032", "The JSON document exceeds the maximum depth.")
}

func errJSONBinary() error {
	return newError(3144, "22032", "Cannot create a JSON value from a string with CHARACTER SET 'binary'.")
}

// document is the i-th argument, a JSON document or its text.
func (c *Call) document(i int) (jsonValue, error) {
	name := strings.ToLower(c.Function.Name)
	switch t := c.Args[i].Type(); {
	case t == sqltypes.TypeJSON, sqltypes.IsText(t) && !c.isBinary(i) && (i >= len(c.Number) || !c.Number[i]):
		if err := c.interrupted(); err != nil {
			return jsonValue{}, err
		}
		v, fault := parseCounted(c.Str(i), &c.values)
		switch {
		case fault == nil:
			return v, nil
		case fault.deep:
			return v, errJSONDepth()
		}
		return v, newError(3141, "22032", `Invalid JSON text in argument %d to function %s: "%s" at position %d.`, i+1, name, fault.what,
			utf8.RuneCountInString(c.Str(i)[:min(fault.at, len(c.Str(i)))]))
	case sqltypes.IsBinary(t), sqltypes.IsText(t):
		return jsonValue{}, errJSONBinary()
	}
	return jsonValue{}, newError(3146, "22032", "Invalid data type for JSON data in argument %d to function %s; a JSON string or JSON type is required.", i+1, name)
}

// interrupted is the error of a statement that has been ended.
func (c *Context) interrupted() error {
	if c.Done != nil && c.Done.Err() != nil {
		return newError(1317, "70100", "Query execution was interrupted")
	}
	return nil
}

// unfilled is a whole number without the zeros that ZEROFILL and YEAR put before it.
func unfilled(s string) string {
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return s
}

// jsonOf is the i-th argument as a value in a document: a text is a string.
func (c *Call) jsonOf(i int) (jsonValue, error) {
	v := c.Args[i]
	switch t := v.Type(); {
	case v.IsNull():
		return jsonValue{kind: jsonNull, text: "null"}, nil
	case t == sqltypes.TypeJSON:
		return c.document(i)
	case sqltypes.IsIntegral(t):
		if i < len(c.Boolean) && c.Boolean[i] {
			return jsonTrue(v.ToString() != "0"), nil
		}
		if sqltypes.IsUnsigned(t) && t != sqltypes.Year {
			return jsonValue{kind: jsonUint, text: unfilled(v.ToString())}, nil
		}
		return jsonValue{kind: jsonInt, text: unfilled(v.ToString())}, nil
	case sqltypes.IsFloat(t):
		f, _ := v.ToFloat64()
		return jsonFloat(f), nil
	case sqltypes.IsDecimal(t):
		return jsonValue{kind: jsonDecimal, text: c.Str(i)}, nil
	case isTemporal(v):
		return c.jsonTemporal(v), nil
	case sqltypes.IsBinary(t), t == sqltypes.Bit, t == sqltypes.Geometry, i < len(c.Number) && c.Number[i]:
		return jsonBytes(v.Raw(), fieldNumber(t)), nil
	}
	return jsonText(v.ToString()), nil
}

// fieldNumber is MySQL's number of a type of bytes.
func fieldNumber(t sqltypes.Type) int {
	switch t {
	case sqltypes.Bit:
		return 16
	case sqltypes.Blob:
		return 252
	case sqltypes.Binary:
		return 254
	case sqltypes.Geometry:
		return 255
	}
	return 15
}

// jsonTemporal is a date or time as a document has it: with six digits of the fraction.
func (c *Call) jsonTemporal(v Value) jsonValue {
	if v.Type() == sqltypes.Date {
		return jsonValue{kind: jsonDate, text: v.ToString()}
	}
	var p parsed
	kind := jsonDateTime
	if v.Type() == sqltypes.Time {
		kind = jsonTime
		p, _ = parseTime(v.ToString())
	} else {
		p, _ = parseDateTime(v.ToString(), zeroParts|invalidDays)
		p.kind = aDateTime
	}
	return jsonValue{kind: kind, text: string(p.text(6))}
}

// path is the i-th argument, a path. single: one that leads to one value.
func (c *Call) path(i int, single bool) (jsonPath, error) {
	if err := c.interrupted(); err != nil {
		return nil, err
	}
	p, at, ok := parsePath(c.Str(i))
	if !ok {
		return nil, newError(3143, "42000", "Invalid JSON path expression. The error is around character position %d.", at)
	}
	if single && p.many() {
		return nil, errJSONPathWildcard()
	}
	return p, nil
}

// all is the i-th argument, 'one' or 'all'.
func (c *Call) all(i int) (bool, error) {
	switch strings.ToLower(c.Str(i)) {
	case "one":
		return false, nil
	case "all":
		return true, nil
	}
	return false, newError(3154, "42000", "The oneOrAll argument to %s may take these values: 'one' or 'all'.", strings.ToLower(c.Function.Name))
}

// json is a document as the result.
func (c *Call) json(v *jsonValue) (Value, error) {
	if v.depth() > maxJSONDepth {
		return Null, errJSONDepth()
	}
	b := v.append(nil, c.maxPacket())
	if c.TooLong(len(b)) {
		return Null, nil
	}
	return sqltypes.MakeTrusted(sqltypes.TypeJSON, b), nil
}
