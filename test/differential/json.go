package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
)

// sameJSON reports whether both texts are JSON objects or arrays of one value, and the first is as MySQL writes it:
// MariaDB writes a document as it was stored.
func sameJSON(got, want Cell) bool {
	if len(got) == 0 || len(want) == 0 || got[0] != want[0] || got[0] != '{' && got[0] != '[' {
		return false
	}
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
		return false
	}
	return reflect.DeepEqual(a, b) && normalJSON(got)
}

// normalJSON reports whether a document is in MySQL's normal form: a space after each comma and colon and no other, the
// keys of an object ordered by their length, then by their bytes.
func normalJSON(doc []byte) bool {
	var keys [][]byte // the last key of each open object
	var last []byte   // the last text
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '"':
			end := endOfText(doc, i)
			last, i = doc[i+1:end], end
		case '{':
			keys = append(keys, nil)
		case '}':
			keys = keys[:len(keys)-1]
		case ':':
			before := keys[len(keys)-1]
			if before != nil && cmp.Or(cmp.Compare(len(before), len(last)), bytes.Compare(before, last)) >= 0 {
				return false
			}
			keys[len(keys)-1] = append([]byte{}, last...)
			fallthrough
		case ',':
			if i+1 >= len(doc) || doc[i+1] != ' ' {
				return false
			}
			i++
		case ' ', '\t', '\n', '\r':
			return false
		}
	}
	return true
}

// endOfText is where the text that begins at i ends.
func endOfText(doc []byte, i int) int {
	for j := i + 1; j < len(doc); j++ {
		switch doc[j] {
		case '\\':
			j++
		case '"':
			return j
		}
	}
	return len(doc) - 1
}
