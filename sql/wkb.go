package sql

import (
	"encoding/binary"
	"fmt"
)

// A geometry in binary says how many parts it has, and the engine makes room for so
// many before it looks for them; a collection may hold collections, and the engine
// goes down them by recursion. Both are checked before.

// geometryDepthMax bounds the collections in collections, and the parentheses of
// geometries in text.
const geometryDepthMax = 64

// The least that a part of each kind takes, by its number in the format.
var geometryParts = map[uint32]struct{ least, header int }{
	2: {16, 0},     // a line of points
	3: {4, 0},      // a polygon of rings
	4: {5 + 16, 1}, // points, each with a header
	5: {5 + 4, 1},  // lines
	6: {5 + 4, 1},  // polygons
	7: {5, 1},      // whatever
}

func asText(v any) string { return fmt.Sprint(v) }

// checkGeometry refuses geometries that lie about their size or are too deep.
func checkGeometry(name string, args []any) error {
	for _, a := range args {
		var b []byte
		switch a := a.(type) {
		case []byte:
			b = a
		case string:
			b = []byte(a)
		default:
			continue
		}
		if nestedText(string(b)) > geometryDepthMax {
			return errGrows(name, fmt.Sprintf("a geometry is nested at most %d deep", geometryDepthMax))
		}
		// Without the number of a reference system before it, or with one.
		if lies(b) || len(b) > 4 && lies(b[4:]) {
			return errGrows(name, "invalid GIS data")
		}
	}
	return nil
}

// nestedText is how deep the brackets of a text are nested.
func nestedText(s string) (most int) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
			most = max(most, depth)
		case ')', ']', '}':
			depth--
		}
	}
	return most
}

// lies reports whether b begins as a geometry that has more parts than bytes for
// them, or is too deep. Anything else is for the engine to refuse.
func lies(b []byte) bool {
	type open struct {
		kind uint32
		left uint32
	}
	var within []open
	for {
		order, kind, rest, ok := geometryHeader(b)
		if !ok {
			return false
		}
		b = rest
		part, parts := geometryParts[kind]
		if !parts { // a point
			if len(b) < 16 {
				return false
			}
			b = b[16:]
		} else {
			if len(b) < 4 {
				return false
			}
			n := order.Uint32(b)
			b = b[4:]
			if int64(n)*int64(part.least) > int64(len(b)) {
				return true
			}
			switch {
			case part.header == 1 && n > 0:
				if within = append(within, open{kind, n}); len(within) > geometryDepthMax {
					return true
				}
			case kind == 2:
				b = b[16*int64(n):]
			case kind == 3:
				if b, ok = rings(order, b, n); !ok {
					return true
				}
			}
			if part.header == 1 && n > 0 {
				continue
			}
		}
		for len(within) > 0 {
			top := &within[len(within)-1]
			if top.left--; top.left > 0 {
				break
			}
			within = within[:len(within)-1]
		}
		if len(within) == 0 {
			return false
		}
	}
}

// rings passes over the rings of a polygon; ok is false if one lies.
func rings(order binary.ByteOrder, b []byte, n uint32) (rest []byte, ok bool) {
	for range n {
		if len(b) < 4 {
			return b, true
		}
		points := order.Uint32(b)
		b = b[4:]
		if 16*int64(points) > int64(len(b)) {
			return nil, false
		}
		b = b[16*int64(points):]
	}
	return b, true
}

// geometryHeader reads the order of bytes and the kind.
func geometryHeader(b []byte) (order binary.ByteOrder, kind uint32, rest []byte, ok bool) {
	if len(b) < 5 || b[0] > 1 {
		return nil, 0, nil, false
	}
	order = binary.ByteOrder(binary.BigEndian)
	if b[0] == 1 {
		order = binary.LittleEndian
	}
	kind = order.Uint32(b[1:])
	return order, kind, b[5:], kind >= 1 && kind <= 7
}
