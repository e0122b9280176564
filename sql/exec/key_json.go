package exec

import (
	"encoding/binary"

	"vitess.io/vitess/go/mysql/json"

	"isochron/sql/expr"
)

// Parts of a document's key: the end of an array, and what the ranks of JSON's types are added to.
const (
	jsonEnd  = 0
	jsonRank = 1
)

// encodeDocument encodes JSON by MySQL's order of documents: by type, then by value; arrays by their elements, objects by
// their number of members, their names and their values. What is no JSON sorts behind all documents, as bytes.
func encodeDocument(_ *encoder, _ *column, dst []byte, v expr.Value) []byte {
	var p json.Parser
	doc, err := p.ParseBytes(v.Raw())
	if err != nil {
		return appendEscaped(append(dst, 255), v.Raw())
	}
	return appendDocument(dst, doc)
}

// appendDocument appends the key of a document. It recurses by the depth of the document, which the parser bounds.
func appendDocument(dst []byte, doc *json.Value) []byte {
	dst = append(dst, jsonRank+byte(doc.Type()))
	switch doc.Type() {
	case json.TypeNull:
		return dst
	case json.TypeBoolean:
		if doc == json.ValueTrue {
			return append(dst, 1)
		}
		return append(dst, 0)
	case json.TypeNumber:
		return appendNumber(dst, []byte(doc.Raw()))
	case json.TypeArray:
		list, _ := doc.Array()
		for _, one := range list {
			dst = appendDocument(dst, one)
		}
		return append(dst, jsonEnd)
	case json.TypeObject:
		object, _ := doc.Object()
		dst = binary.BigEndian.AppendUint32(dst, uint32(object.Len()))
		object.Visit(func(name string, _ *json.Value) { dst = appendEscaped(dst, []byte(name)) })
		object.Visit(func(_ string, one *json.Value) { dst = appendDocument(dst, one) })
		return dst
	}
	return appendEscaped(dst, []byte(doc.Raw()))
}
