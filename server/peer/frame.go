package peer

import (
	"encoding/binary"
	"fmt"
	"io"
)

// FrameMax bounds a frame's content. The largest messages are parts of snapshots and batches of raft, of some
// megabytes.
const FrameMax = 64 << 20

// Kind is a frame's type.
type Kind byte

// The kinds of frames. A number never changes its meaning.
const (
	kindHello    Kind = 1 // the first frame of a connection
	kindWelcome  Kind = 2 // its reply
	kindEnvelope Kind = 3 // a message between nodes
	kindPing     Kind = 4
	kindPong     Kind = 5 // the ping's content and a clock, on the connection in the other direction; see ping.go
	kindQuestion Kind = 6
	kindAnswer   Kind = 7
	kindLives    Kind = 8 // the starts a node has recorded and the peers it receives from; to peers that report their start
)

// headerLen is the length of a frame's header: the kind and the content's length.
const headerLen = 5

// firstPiece is allocated for a content before any of it is received, so that a header alone cannot cause a large
// allocation.
const firstPiece = 64 << 10

// appendFrame appends a frame to b.
func appendFrame(b []byte, k Kind, content []byte) []byte {
	b = append(b, byte(k))
	b = binary.BigEndian.AppendUint32(b, uint32(len(content)))
	return append(b, content...)
}

// readFrame reads one frame whose content has at most limit bytes.
func readFrame(r io.Reader, limit int) (Kind, []byte, error) {
	var header [headerLen]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return 0, nil, err
	}
	k := Kind(header[0])
	if k < kindHello || k > kindLives {
		return 0, nil, fmt.Errorf("a frame of kind %d, unknown to this version", k)
	}
	size := int64(binary.BigEndian.Uint32(header[1:]))
	if size > int64(limit) {
		return 0, nil, fmt.Errorf("a frame of %d bytes, over the limit of %d", size, limit)
	}
	content := make([]byte, 0, min(size, firstPiece))
	for int64(len(content)) < size {
		from := len(content)
		upTo := min(size, int64(max(2*from, firstPiece)))
		content = append(content, make([]byte, upTo-int64(from))...)
		if _, err := io.ReadFull(r, content[from:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, nil, err
		}
	}
	return k, content, nil
}
