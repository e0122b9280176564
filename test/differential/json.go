package main

import (
	"encoding/json"
	"reflect"
)

// sameJSON reports whether both texts are JSON objects or arrays of one value: MySQL writes a document in its normal
// form, MariaDB as it was stored.
func sameJSON(got, want Cell) bool {
	if len(got) == 0 || len(want) == 0 || got[0] != want[0] || got[0] != '{' && got[0] != '[' {
		return false
	}
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
		return false
	}
	return reflect.DeepEqual(a, b)
}
