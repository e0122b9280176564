package rowcodec

import "encoding/binary"

// Replace returns a stored row with other values in the columns at these positions of its layout,
// which are in order; value receives each column's old value. The bytes equal the result of Decode
// and EncodeRow, at the cost of the replaced columns only. ok is false if these must be used: value
// returned false, a value is or becomes NULL, or columns were added or dropped since the row was
// written.
func (l *Layout) Replace(stored []byte, at []int, value func(i int, old any) (v any, ok bool)) (out []byte, ok bool) {
	if len(stored) == 0 || stored[0] != formatVersion {
		return nil, false
	}
	out = append(make([]byte, 0, len(stored)+replaceRoom), formatVersion)
	next := 0 // position of the column that is to come
	for b := stored[1:]; len(b) > 0; {
		id, n := binary.Uvarint(b)
		if n <= 0 || len(b) == n || id >= uint64(len(l.at)) || l.at[id] == 0 {
			return nil, false
		}
		i := l.at[id] - 1
		for ; next < i; next++ { // NULL, as long as its column has no Fill
			if l.fill[next] != nil || len(at) > 0 && at[0] == next {
				return nil, false
			}
		}
		if i != next {
			return nil, false // out of order
		}
		next++
		raw, rest, err := takeValue(b[n:])
		if err != nil || raw.form != formNull && raw.form != formOf(l.cols[i].Type.Kind) {
			return nil, false
		}
		if len(at) == 0 || at[0] != i {
			out = append(out, b[:len(b)-len(rest)]...)
			b = rest
			continue
		}
		at = at[1:]
		old, err := l.cols[i].value(raw)
		if err != nil || old == nil {
			return nil, false
		}
		v, ok := value(i, old)
		if !ok || v == nil {
			return nil, false
		}
		if out, err = appendValue(append(out, b[:n]...), l.cols[i], v); err != nil {
			return nil, false
		}
		b = rest
	}
	for ; next < len(l.cols); next++ {
		if l.fill[next] != nil {
			return nil, false
		}
	}
	return out, len(at) == 0
}

// replaceRoom is the number of bytes by which a row may grow without another allocation.
const replaceRoom = 16
