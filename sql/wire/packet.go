package wire

import "encoding/binary"

// The form of a packet: the length of its body in three bytes, a sequence number, the body. A body of packetMax bytes or
// more continues in the next packet.
const (
	headerBytes = 4
	packetMax   = 1<<24 - 1
)

// First bytes of a body.
const (
	okPacket  = 0x00
	eofPacket = 0xfe
	errPacket = 0xff
	nullText  = 0xfb
)

// Writer builds the packets of answers.
type Writer struct {
	buf      []byte
	sequence byte
	open     int // where the packet that is built begins
}

// Begin begins the answer to a command, without the packets of the last one. Its memory is used again.
func (w *Writer) Begin() { w.buf, w.sequence = w.buf[:0], 1 }

// Bytes are the packets that were built and not dropped.
func (w *Writer) Bytes() []byte { return w.buf }

// Len is their length.
func (w *Writer) Len() int { return len(w.buf) }

// Sent drops the packets, for they were sent; the answer continues. A buffer of more than keep bytes is not kept.
func (w *Writer) Sent(keep int) {
	if w.buf = w.buf[:0]; cap(w.buf) > keep {
		w.buf = nil
	}
}

// begin begins a packet.
func (w *Writer) begin() {
	w.open = len(w.buf)
	w.buf = append(w.buf, 0, 0, 0, w.sequence)
}

// end ends the packet, and cuts it in parts if it is long.
func (w *Writer) end() {
	for {
		n := len(w.buf) - w.open - headerBytes
		whole := n < packetMax
		n = min(n, packetMax)
		h := w.buf[w.open:]
		h[0], h[1], h[2], h[3] = byte(n), byte(n>>8), byte(n>>16), w.sequence
		w.sequence++
		if whole {
			return
		}
		w.open += headerBytes + n
		w.buf = append(w.buf, 0, 0, 0, 0)
		copy(w.buf[w.open+headerBytes:], w.buf[w.open:len(w.buf)-headerBytes])
	}
}

// OK appends the packet that ends a statement without rows.
func (w *Writer) OK(affected, lastID uint64, flags, warnings uint16, info string) {
	w.begin()
	w.buf = append(w.buf, okPacket)
	w.buf = appendLength(appendLength(w.buf, affected), lastID)
	w.buf = binary.LittleEndian.AppendUint16(w.buf, flags)
	w.buf = binary.LittleEndian.AppendUint16(w.buf, warnings)
	if info != "" {
		w.buf = appendText(w.buf, info)
	}
	w.end()
}

// EOF appends the packet behind columns or rows. deprecated: the client takes an OK packet for it behind rows, and
// nothing behind columns.
func (w *Writer) EOF(flags, warnings uint16, deprecated bool) {
	w.begin()
	w.buf = append(w.buf, eofPacket)
	if deprecated {
		w.buf = append(w.buf, 0, 0) // rows affected, last id
		w.buf = binary.LittleEndian.AppendUint16(w.buf, flags)
		w.buf = binary.LittleEndian.AppendUint16(w.buf, warnings)
	} else {
		w.buf = binary.LittleEndian.AppendUint16(w.buf, warnings)
		w.buf = binary.LittleEndian.AppendUint16(w.buf, flags)
	}
	w.end()
}

// Error appends the packet of an error. A state that has not five characters is sent as HY000.
func (w *Writer) Error(code uint16, state, message string) {
	if len(state) != 5 {
		state = "HY000"
	}
	w.begin()
	w.buf = binary.LittleEndian.AppendUint16(append(w.buf, errPacket), code)
	w.buf = append(append(append(w.buf, '#'), state...), message...)
	w.end()
}

// appendLength appends an integer of the protocol's variable length.
func appendLength(b []byte, n uint64) []byte {
	switch {
	case n < 251:
		return append(b, byte(n))
	case n < 1<<16:
		return append(b, 0xfc, byte(n), byte(n>>8))
	case n < 1<<24:
		return append(b, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(b, 0xfe), n)
}

// appendText appends a text behind its length.
func appendText[T string | []byte](b []byte, text T) []byte {
	return append(appendLength(b, uint64(len(text))), text...)
}
