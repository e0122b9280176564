package sourcedb

import (
	"fmt"

	"isochron/source"
)

// answer collects a result's rows within its bounds.
type answer struct {
	rowsMax, bytesMax int
	rows              [][][]byte
	bytes             int
}

func newAnswer(s source.Statement) *answer {
	rows := s.MaxRows
	if rows <= 0 || rows > source.RowsMax {
		rows = source.RowsMax
	}
	return &answer{rowsMax: rows, bytesMax: source.BytesMax}
}

// add copies a row; false: the result would exceed its bounds.
func (a *answer) add(values [][]byte) bool {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	// Each row and each value costs a slice header beside its bytes.
	a.bytes += size + 24*(len(values)+1)
	if len(a.rows) >= a.rowsMax || a.bytes > a.bytesMax {
		return false
	}
	row, room := make([][]byte, len(values)), make([]byte, 0, size)
	for i, v := range values {
		if v != nil {
			n := len(room)
			room = append(room, v...)
			row[i] = room[n:len(room):len(room)]
		}
	}
	a.rows = append(a.rows, row)
	return true
}

// tooLarge is the error of a result beyond its bounds.
func (a *answer) tooLarge() *source.Error {
	return &source.Error{
		Code: 1104, State: "42000", // ER_TOO_BIG_SELECT
		Text: fmt.Sprintf("the source's result is too large: the limit is %d rows and %d bytes", a.rowsMax, a.bytesMax),
	}
}
