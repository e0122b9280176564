package deploy

import (
	"fmt"
	"reflect"
	"strings"
)

// knownKeys returns a configuration's keys at any depth.
func knownKeys(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if key == "" {
			continue
		}
		out = append(out, key)
		inner := f.Type
		if inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			out = append(out, knownKeys(inner)...)
		}
	}
	return out
}

// nearest suggests the nearest known key; "" if none is near.
func nearest(key string) string {
	best, least := "", 1+len(key)/3
	for _, known := range knownKeys(reflect.TypeFor[Config]()) {
		if d := distance(key, known); d <= least && (best == "" || d < least) {
			best, least = known, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the edit distance of two keys: letters inserted, removed or changed.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a) // no key is so long
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
