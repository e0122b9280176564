package expr

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/mysql/format"
)

// jsonValue is a value of a JSON document.
type jsonValue struct {
	kind jsonKind
	text string      // of a string; of a number, true, false and null as they are written
	in   *jsonInside // of an array or object
}

// jsonInside are the elements of an array, or the members of an object by length of their keys, then by the keys' bytes.
type jsonInside struct {
	keys   []string // of an object, unique
	values []jsonValue
}

type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonBool
	jsonInt
	jsonUint
	jsonDouble
	jsonDecimal
	jsonString
	jsonDate
	jsonTime
	jsonDateTime
	jsonBlob
	jsonArray
	jsonObject
)

// jsonTypes are the names of JSON_TYPE.
var jsonTypes = [...]string{
	jsonNull: "NULL", jsonBool: "BOOLEAN", jsonInt: "INTEGER", jsonUint: "UNSIGNED INTEGER", jsonDouble: "DOUBLE",
	jsonDecimal: "DECIMAL", jsonString: "STRING", jsonDate: "DATE", jsonTime: "TIME", jsonDateTime: "DATETIME",
	jsonBlob: "BLOB", jsonArray: "ARRAY", jsonObject: "OBJECT",
}

// maxJSONDepth bounds the nesting of arrays and objects, as MySQL.
const maxJSONDepth = 100

func jsonTrue(b bool) jsonValue {
	if b {
		return jsonValue{kind: jsonBool, text: "true"}
	}
	return jsonValue{kind: jsonBool, text: "false"}
}

func jsonText(s string) jsonValue { return jsonValue{kind: jsonString, text: s} }

func jsonArrayOf(values ...jsonValue) jsonValue {
	return jsonValue{kind: jsonArray, in: &jsonInside{values: values}}
}

// jsonFloat is a double in MySQL's form, which has a point or an exponent.
func jsonFloat(f float64) jsonValue {
	b := format.FormatFloat(f)
	if !slices.ContainsFunc(b, func(c byte) bool { return c == '.' || c == 'e' }) {
		b = append(b, '.', '0')
	}
	return jsonValue{kind: jsonDouble, text: string(b)}
}

// jsonBytes is a binary string; field is MySQL's number of its type.
func jsonBytes(b []byte, field int) jsonValue {
	return jsonValue{kind: jsonBlob, text: "base64:type" + strconv.Itoa(field) + ":" + base64.StdEncoding.EncodeToString(b)}
}

func (v *jsonValue) isNumber() bool { return v.kind >= jsonInt && v.kind <= jsonDecimal }

func (v *jsonValue) isContainer() bool { return v.kind >= jsonArray }

// depth is the nesting of arrays and objects: 0 for others.
func (v *jsonValue) depth() int {
	if v.in == nil {
		return 0
	}
	n := 0
	for i := range v.in.values {
		n = max(n, v.in.values[i].depth())
	}
	return n + 1
}

// compareKeys orders keys by length, then by bytes.
func compareKeys(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// member is the value of a key of an object; nil: it has none.
func (v *jsonValue) member(key string) *jsonValue {
	if v.kind != jsonObject {
		return nil
	}
	if i, ok := slices.BinarySearchFunc(v.in.keys, key, compareKeys); ok {
		return &v.in.values[i]
	}
	return nil
}

// setMember adds a member to an object, or replaces it.
func (v *jsonValue) setMember(key string, value jsonValue) {
	i, ok := slices.BinarySearchFunc(v.in.keys, key, compareKeys)
	if ok {
		v.in.values[i] = value
		return
	}
	v.in.keys = slices.Insert(v.in.keys, i, key)
	v.in.values = slices.Insert(v.in.values, i, value)
}

func (v *jsonValue) removeMember(key string) {
	if i, ok := slices.BinarySearchFunc(v.in.keys, key, compareKeys); ok {
		v.in.keys = slices.Delete(v.in.keys, i, i+1)
		v.in.values = slices.Delete(v.in.values, i, i+1)
	}
}

// sortMembers orders the members of an object that was filled in any order; of two with one key the later stays.
func (in *jsonInside) sortMembers() {
	if slices.IsSortedFunc(in.keys, compareKeys) && len(slices.Compact(slices.Clone(in.keys))) == len(in.keys) {
		return
	}
	order := make([]int, len(in.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareKeys(in.keys[a], in.keys[b]) })
	keys, values := make([]string, 0, len(order)), make([]jsonValue, 0, len(order))
	for i, at := range order {
		if i+1 < len(order) && in.keys[order[i+1]] == in.keys[at] {
			continue
		}
		keys, values = append(keys, in.keys[at]), append(values, in.values[at])
	}
	in.keys, in.values = keys, values
}

// append writes a value in MySQL's form until the text has more than most bytes.
func (v *jsonValue) append(b []byte, most int) []byte {
	if len(b) > most {
		return b
	}
	switch v.kind {
	case jsonArray:
		b = append(b, '[')
		for i := range v.in.values {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = v.in.values[i].append(b, most)
		}
		return append(b, ']')
	case jsonObject:
		b = append(b, '{')
		for i := range v.in.values {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(appendQuoted(b, v.in.keys[i]), ": "...)
			b = v.in.values[i].append(b, most)
		}
		return append(b, '}')
	case jsonString, jsonDate, jsonTime, jsonDateTime, jsonBlob:
		return appendQuoted(b, v.text)
	}
	return append(b, v.text...)
}

// appendQuoted writes a JSON string.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch ch := s[i]; ch {
		case '"', '\\':
			b = append(b, '\\', ch)
		case '\b':
			b = append(b, '\\', 'b')
		case '\t':
			b = append(b, '\\', 't')
		case '\n':
			b = append(b, '\\', 'n')
		case '\f':
			b = append(b, '\\', 'f')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			if ch < ' ' {
				b = append(b, '\\', 'u', '0', '0', hex[ch>>4], hex[ch&15])
			} else {
				b = append(b, ch)
			}
		}
	}
	return append(b, '"')
}

// key is the same for values that MySQL compares as equal: 1 and 1.0 are.
func (v *jsonValue) key() string { return string(v.appendKey(nil)) }

func (v *jsonValue) appendKey(b []byte) []byte {
	b = append(b, "nbiiiistttBao"[v.kind])
	switch {
	case v.isNumber():
		return append(append(b, v.number()...), ',')
	case v.kind == jsonArray:
		for i := range v.in.values {
			b = v.in.values[i].appendKey(b)
		}
		return append(b, ']')
	case v.kind == jsonObject:
		for i := range v.in.values {
			b = v.in.values[i].appendKey(appendQuoted(b, v.in.keys[i]))
		}
		return append(b, '}')
	}
	return appendQuoted(b, v.text)
}

// number is the text of a number without a fraction of zeros and without an exponent.
func (v *jsonValue) number() string {
	if v.kind == jsonInt || v.kind == jsonUint {
		return v.text
	}
	d, err := decimal.NewFromMySQL([]byte(v.text))
	if err != nil {
		return v.text
	}
	s := d.String()
	if strings.IndexByte(s, '.') >= 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// float is a number as a double.
func (v *jsonValue) float() float64 {
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil && math.IsInf(f, 0) {
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}
