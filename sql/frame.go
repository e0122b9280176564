package sql

// framing follows where the packets begin in what a client sends: each has the
// length of its body in three bytes, a number, and the body.
type framing struct {
	header [4]byte
	have   int // bytes of header; fewer than all of them
	rest   int // bytes of the body that are still to come
}

// between reports whether the next byte begins a packet.
func (f *framing) between() bool { return f.have == 0 && f.rest == 0 }

// pass takes in what was sent next.
func (f *framing) pass(b []byte) {
	for len(b) > 0 {
		if f.rest > 0 {
			n := min(f.rest, len(b))
			f.rest -= n
			b = b[n:]
			continue
		}
		n := copy(f.header[f.have:], b)
		b = b[n:]
		if f.have += n; f.have == len(f.header) {
			f.have, f.rest = 0, bodyLength(f.header[:])
		}
	}
}

// bodyLength is what the header of a packet says.
func bodyLength(header []byte) int {
	return int(header[0]) | int(header[1])<<8 | int(header[2])<<16
}
