package exec

import (
	"encoding/binary"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// appendRow appends a row as it is written to files: the number of values, then of each its type, its length plus one (0 is
// NULL) and its bytes.
func appendRow(dst []byte, row []expr.Value) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(row)))
	for _, v := range row {
		if v.IsNull() {
			dst = append(dst, 0, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(v.Type()))
		dst = binary.AppendUvarint(dst, uint64(v.Len())+1)
		dst = append(dst, v.Raw()...)
	}
	return dst
}

// rowReader reads rows that appendRow wrote. Their values share the bytes that they are read from.
type rowReader struct{ slab slab }

// row reads a row; more: so many rows will follow, this one included.
func (r *rowReader) row(b []byte, more int) ([]expr.Value, error) {
	width, i := binary.Uvarint(b)
	if i <= 0 || width > uint64(len(b)) {
		return nil, errSpillFile
	}
	b = b[i:]
	row := r.slab.row(int(width), more)
	for range width {
		t, i := binary.Uvarint(b)
		n, j := binary.Uvarint(b[max(i, 0):])
		if i <= 0 || j <= 0 || n > uint64(len(b)-i-j)+1 {
			return nil, errSpillFile
		}
		b = b[i+j:]
		if n == 0 {
			row = append(row, expr.Null)
			continue
		}
		row = append(row, sqltypes.MakeTrusted(sqltypes.Type(t), b[:n-1:n-1]))
		b = b[n-1:]
	}
	return row, nil
}
