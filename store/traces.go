package store

import "github.com/cespare/xxhash/v2"

// traces tell of most rows that were never written, without a search, that they were not. A
// key that is set leaves a trace of all but the eight bytes at its end, which in a key of a
// version are its timestamp. Rows of which nothing was ever set may share the trace of
// another; a row of which something was set has one for good, deleted or not.
type traces [tracesBytes / 8]uint64

// tracesBytes is what they take: with half a million keys one row in twenty shares a trace.
const tracesBytes = 1 << 20

func (t *traces) place(row []byte) (word *uint64, bit uint64) {
	sum := xxhash.Sum64(row)
	return &t[(sum>>6)%uint64(len(t))], 1 << (sum & 63)
}

// leave notes that a key is set.
func (t *traces) leave(key []byte) {
	if len(key) > 8 {
		word, bit := t.place(key[:len(key)-8])
		*word |= bit
	}
}

// of is false if nothing of a row was ever set.
func (t *traces) of(row []byte) bool {
	word, bit := t.place(row)
	return *word&bit != 0
}
