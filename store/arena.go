package store

// arena copies many small pieces with few allocations. A copy is never changed, and keeps its chunk in memory.
type arena struct {
	free []byte // of the last chunk: empty, with the room that is left
	size int    // of the last chunk
}

// The sizes of chunks, in bytes: each is twice the one before, for most walks are short.
const (
	chunkLeast = 512
	chunkMost  = 32 << 10
)

// room returns an empty slice with room for n bytes.
func (a *arena) room(n int) []byte {
	if a.free != nil && cap(a.free) >= n {
		return a.free[:0:n]
	}
	a.size = min(max(2*a.size, chunkLeast), chunkMost)
	a.free = make([]byte, 0, max(a.size, n))
	return a.free[:0:n]
}

// took marks the first n bytes of the room given last as used.
func (a *arena) took(n int) { a.free = a.free[n:n] }

// keep copies a piece; it is never nil.
func (a *arena) keep(b []byte) []byte {
	out := append(a.room(len(b)), b...)
	a.took(len(b))
	return out[:len(b):len(b)]
}
