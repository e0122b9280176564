package exec

import (
	"bytes"
	"encoding/binary"

	"isochron/sql/expr"
)

// encodeDate encodes DATE, DATETIME and TIMESTAMP by their text, a date as its midnight, fractions without zeros at the
// end.
func encodeDate(_ *encoder, _ *column, dst []byte, v expr.Value) []byte {
	text := v.Raw()
	if i := bytes.IndexByte(text, '.'); i >= 0 {
		text = bytes.TrimRight(bytes.TrimRight(text, "0"), ".")
	}
	dst = append(dst, text...)
	if len(text) == len("0000-00-00") {
		dst = append(dst, " 00:00:00"...)
	}
	return append(dst, 0)
}

// encodeTime encodes a TIME by its microseconds.
func encodeTime(_ *encoder, _ *column, dst []byte, v expr.Value) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(microseconds(v.Raw()))^1<<63)
}

// microseconds reads [-]hours:minutes:seconds[.fraction].
func microseconds(text []byte) int64 {
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	var total, part int64
	for _, ch := range whole[:min(len(whole), 16)] {
		if ch == ':' {
			total, part = (total+part)*60, 0
		} else {
			part = part*10 + int64(ch-'0')
		}
	}
	total += part
	for i := range 6 {
		total *= 10
		if i < len(fraction) {
			total += int64(fraction[i] - '0')
		}
	}
	if negative {
		return -total
	}
	return total
}
