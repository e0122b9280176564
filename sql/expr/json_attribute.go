package expr

import (
	"math"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Functions of what a document is (the manual's 14.17.5), and of its size in MySQL's storage.

var (
	jsonDepth  = &Function{Name: "JSON_DEPTH", Min: 1, Max: 1, Type: integerType, Eval: jsonDepthCall}
	jsonLength = &Function{Name: "JSON_LENGTH", Min: 1, Max: 2, Type: integerType, Eval: jsonLengthCall}
	jsonTypeOf = &Function{Name: "JSON_TYPE", Min: 1, Max: 1, Type: jsonTextType, Eval: jsonTypeCall}
	jsonValid  = &Function{Name: "JSON_VALID", Min: 1, Max: 1, Type: integerType, Eval: jsonValidCall}
	jsonSize   = &Function{Name: "JSON_STORAGE_SIZE", Min: 1, Max: 1, Type: integerType, Eval: jsonSizeCall}
	jsonFree   = &Function{Name: "JSON_STORAGE_FREE", Min: 1, Max: 1, Type: integerType, Eval: jsonFreeCall}
)

func init() {
	registerNode(func(e *sqlparser.JSONAttributesExpr) (node, bool) {
		f := map[sqlparser.JSONAttributeType]*Function{
			sqlparser.DepthAttributeType: jsonDepth, sqlparser.LengthAttributeType: jsonLength,
			sqlparser.TypeAttributeType: jsonTypeOf, sqlparser.ValidAttributeType: jsonValid,
		}[e.Type]
		return node{function: f, args: given(e.JSONDoc, e.Path)}, f != nil
	})
	registerNode(func(e *sqlparser.JSONStorageSizeExpr) (node, bool) {
		return node{function: jsonSize, args: []sqlparser.Expr{e.JSONVal}}, true
	})
	registerNode(func(e *sqlparser.JSONStorageFreeExpr) (node, bool) {
		return node{function: jsonFree, args: []sqlparser.Expr{e.JSONVal}}, true
	})
}

// jsonDepthCall is JSON_DEPTH: 1 for an empty array or object and for a scalar.
func jsonDepthCall(c *Call) (Value, error) {
	doc, err := c.document(0)
	if err != nil {
		return Null, err
	}
	return Int(int64(doc.levels())), nil
}

func (v *jsonValue) levels() int {
	n := 0
	if v.in != nil {
		for i := range v.in.values {
			n = max(n, v.in.values[i].levels())
		}
	}
	return n + 1
}

func jsonLengthCall(c *Call) (Value, error) {
	doc, err := c.document(0)
	if err != nil {
		return Null, err
	}
	v, err := c.at(&doc, 1)
	if err != nil || v == nil {
		return Null, err
	}
	if v.in != nil {
		return Int(int64(len(v.in.values))), nil
	}
	return Int(1), nil
}

func jsonTypeCall(c *Call) (Value, error) {
	doc, err := c.document(0)
	if err != nil {
		return Null, err
	}
	return c.Text(jsonTypes[doc.kind]), nil
}

// jsonValidCall is JSON_VALID: 0 for what is neither a document nor text.
func jsonValidCall(c *Call) (Value, error) {
	t := c.Args[0].Type()
	if t != sqltypes.TypeJSON && (!sqltypes.IsText(t) || c.isBinary(0) || c.Number[0]) {
		return Bool(false), nil
	}
	_, fault := parseJSON(c.Str(0))
	return Bool(fault == nil), nil
}

func jsonFreeCall(c *Call) (Value, error) {
	if _, err := c.document(0); err != nil {
		return Null, err
	}
	return Int(0), nil
}

func jsonSizeCall(c *Call) (Value, error) {
	doc, err := c.document(0)
	if err != nil {
		return Null, err
	}
	return Int(int64(1 + doc.size())), nil // a byte has the type
}

// size is the number of bytes of a value in MySQL's binary form, without its type.
func (v *jsonValue) size() int {
	switch v.kind {
	case jsonNull, jsonBool:
		return 1
	case jsonInt, jsonUint:
		return v.integerSize()
	case jsonDouble, jsonDecimal:
		return 8
	case jsonArray, jsonObject:
		return v.insideSize()
	}
	return lengthSize(len(v.text)) + len(v.text)
}

// integerSize is 2, 4 or 8.
func (v *jsonValue) integerSize() int {
	f := v.float()
	switch {
	case f >= math.MinInt16 && f <= math.MaxInt16 || v.kind == jsonUint && f <= math.MaxUint16:
		return 2
	case f >= math.MinInt32 && f <= math.MaxInt32 || v.kind == jsonUint && f <= math.MaxUint32:
		return 4
	}
	return 8
}

// insideSize is the size of an array or object: two numbers; an entry for each key, of its place and length; one for each
// value, of its type and its place, or itself if it is small; keys; values. Numbers and places have two bytes, or four if
// the value has 64 KiB or more.
func (v *jsonValue) insideSize() int {
	n, small, large := 0, 4, 8
	for i := range v.in.values {
		if v.kind == jsonObject {
			n += 2 + len(v.in.keys[i])
			small += 2
			large += 4
		}
		one := &v.in.values[i]
		size := one.size()
		n++
		small += 2 + one.outside(size, 2)
		large += 4 + one.outside(size, 4)
	}
	if n+small <= math.MaxUint16 {
		return n + small
	}
	return n + large
}

// outside is the size of a value behind its entry, which has room for so many bytes.
func (v *jsonValue) outside(size, room int) int {
	if v.kind <= jsonBool || (v.kind == jsonInt || v.kind == jsonUint) && size <= room {
		return 0
	}
	return size
}

// lengthSize is the number of bytes of a length, seven bits in each.
func lengthSize(n int) int {
	size := 1
	for ; n >= 128; n >>= 7 {
		size++
	}
	return size
}
