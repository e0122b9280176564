package marks

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"isochron/txn"
)

// The file has three slots of this size. Each has a mark's checksum (4 bytes), length (4), number (8) and content. The
// checksum covers all that follows it.
const (
	slots      = 3
	slotBytes  = 32 << 10
	slotHeader = 16
)

// formatVersion is the version of a slot's content.
const formatVersion = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mark is a slot's content.
type mark struct {
	Version int      `cbor:"1,keyasint"`
	Made    bool     `cbor:"2,keyasint,omitempty"` // the store was opened before
	Files   []synced `cbor:"3,keyasint,omitempty"`
}

// synced is the synced part of a file.
type synced struct {
	Name  string `cbor:"1,keyasint"`
	Bytes int64  `cbor:"2,keyasint,omitempty"`
	Sum   uint32 `cbor:"3,keyasint,omitempty"` // CRC-32C of these bytes
}

// slot encodes a mark.
func slot(number uint64, m mark) ([]byte, error) {
	content := txn.Encode(m)
	if slotHeader+len(content) > slotBytes {
		return nil, fmt.Errorf("%d logs and manifests are too many to be marked", len(m.Files))
	}
	b := make([]byte, slotHeader, slotHeader+len(content))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(content)))
	binary.LittleEndian.PutUint64(b[8:], number)
	b = append(b, content...)
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	return b, nil
}

// readSlot decodes a slot; false: it is empty, torn or damaged.
func readSlot(b []byte) (number uint64, m mark, ok bool) {
	if len(b) < slotHeader {
		return 0, mark{}, false
	}
	end := slotHeader + int64(binary.LittleEndian.Uint32(b[4:]))
	if end == slotHeader || end > int64(len(b)) || crc32.Checksum(b[4:end], castagnoli) != binary.LittleEndian.Uint32(b) {
		return 0, mark{}, false
	}
	if err := txn.Decode(b[slotHeader:end], &m); err != nil {
		return 0, mark{}, false
	}
	return binary.LittleEndian.Uint64(b[8:]), m, true
}

// newest returns a file's newest mark and its slot; -1: none.
func newest(b []byte) (at int, number uint64, m mark) {
	at = -1
	for i := 0; i < slots && i*slotBytes < len(b); i++ {
		n, content, ok := readSlot(b[i*slotBytes : min(len(b), (i+1)*slotBytes)])
		if ok && (at < 0 || n > number) {
			at, number, m = i, n, content
		}
	}
	return at, number, m
}
