package exec

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// jsonArray is JSON_ARRAYAGG.
type jsonArray struct {
	*folding
	account *account
	text    []byte
}

func (j *jsonArray) add(row []expr.Value) error {
	before := cap(j.text)
	if j.text == nil {
		j.text = append(j.text, '[')
	} else {
		j.text = append(j.text, ", "...)
	}
	j.text = appendJSON(j.text, row[j.Args[0]])
	return j.account.add(int64(cap(j.text) - before))
}

func (j *jsonArray) result() (expr.Value, error) {
	if j.text == nil {
		return expr.Null, nil
	}
	return sqltypes.MakeTrusted(sqltypes.TypeJSON, append(j.text, ']')), nil
}

// jsonObject is JSON_OBJECTAGG: the last value of a name counts.
type jsonObject struct {
	*folding
	account *account
	members map[string]expr.Value
}

func (j *jsonObject) add(row []expr.Value) error {
	name, v := row[j.Args[0]], row[j.Args[1]]
	if name.IsNull() {
		return expr.NewError(3158, "22032", "JSON documents may not contain NULL member names.")
	}
	if sqltypes.IsBinary(name.Type()) {
		return expr.NewError(3144, "22032", "Cannot create a JSON value from a string with CHARACTER SET 'binary'.")
	}
	size := v.Len()
	if old, ok := j.members[string(name.Raw())]; ok {
		size -= old.Len()
	} else {
		size += name.Len() + mapBytes + valueBytes
	}
	j.members[string(name.Raw())] = clone(v)
	return j.account.add(int64(size))
}

func (j *jsonObject) result() (expr.Value, error) {
	if len(j.members) == 0 {
		return expr.Null, nil
	}
	names := make([]string, 0, len(j.members))
	for name := range j.members {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { // MySQL's normal form: shorter names first
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	text := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(appendQuoted(text, []byte(name)), ": "...)
		text = appendJSON(text, j.members[name])
	}
	return sqltypes.MakeTrusted(sqltypes.TypeJSON, append(text, '}')), nil
}

// appendJSON appends a value in MySQL's normal form of JSON.
func appendJSON(dst []byte, v expr.Value) []byte {
	raw := v.Raw()
	switch t := v.Type(); {
	case v.IsNull():
		return append(dst, "null"...)
	case t == sqltypes.TypeJSON, sqltypes.IsIntegral(t), sqltypes.IsDecimal(t):
		return append(dst, raw...)
	case sqltypes.IsFloat(t):
		dst = append(dst, raw...)
		if !bytes.ContainsAny(raw, ".e") {
			dst = append(dst, ".0"...)
		}
		return dst
	case t == sqltypes.Datetime, t == sqltypes.Timestamp, t == sqltypes.Time:
		return appendFraction(dst, raw)
	case sqltypes.IsBinary(t), t == sqltypes.Bit, t == sqltypes.Geometry:
		dst = fmt.Appendf(dst, `"base64:type%d:`, fieldType(t))
		return append(base64.StdEncoding.AppendEncode(dst, raw), '"')
	}
	return appendQuoted(dst, raw)
}

// fieldType is MySQL's number of a type of bytes.
func fieldType(t sqltypes.Type) int {
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

// appendFraction appends a time with six digits of its fraction.
func appendFraction(dst, raw []byte) []byte {
	whole, fraction, _ := bytes.Cut(raw, []byte("."))
	dst = append(append(dst, '"'), whole...)
	dst = append(dst, '.')
	for i := range 6 {
		if i < len(fraction) {
			dst = append(dst, fraction[i])
		} else {
			dst = append(dst, '0')
		}
	}
	return append(dst, '"')
}

// appendQuoted appends a text as JSON's string.
func appendQuoted(dst, text []byte) []byte {
	const digits = "0123456789abcdef"
	short := map[byte]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}
	dst = append(dst, '"')
	for _, ch := range text {
		if e, ok := short[ch]; ok {
			dst = append(dst, '\\', e)
		} else if ch < 0x20 {
			dst = append(dst, `\u00`...)
			dst = append(dst, digits[ch>>4], digits[ch&15])
		} else {
			dst = append(dst, ch)
		}
	}
	return append(dst, '"')
}
