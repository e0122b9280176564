package store

import "github.com/cespare/xxhash/v2"

// traces identify most rows that were never written, without a search. A
// key that is set leaves a trace of all but its last eight bytes, which in a version's key
// are the timestamp. A row that was never written may share the trace of
// another; a row that was written has one permanently, deleted or not.
type traces [tracesBytes / 8]uint64

// tracesBytes is their size: with half a million keys one row in twenty shares a trace.
const tracesBytes = 1 << 20

func (t *traces) place(row []byte) (word *uint64, bit uint64) {
	sum := xxhash.Sum64(row)
	return &t[(sum>>6)%uint64(len(t))], 1 << (sum & 63)
}

// leave records that a key is set.
func (t *traces) leave(key []byte) {
	if len(key) > 8 {
		word, bit := t.place(key[:len(key)-8])
		*word |= bit
	}
}

// of returns false only if the row was never written.
func (t *traces) of(row []byte) bool {
	word, bit := t.place(row)
	return *word&bit != 0
}
