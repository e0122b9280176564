package marks

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"isochron/txn"
)

// The file has three slots of this size. Each holds checksum (4 bytes), length (4) and number
// (8) of a mark, and the mark. The checksum is of all that follows it.
const (
	slots      = 3
	slotBytes  = 32 << 10
	slotHeader = 16
)

// formatVersion is that of the content of a slot.
const formatVersion = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mark is what a slot says.
type mark struct {
	Version int      `cbor:"1,keyasint"`
	Made    bool     `cbor:"2,keyasint,omitempty"` // the store was opened once
	Files   []synced `cbor:"3,keyasint,omitempty"`
}

// synced is what is on the disk of a file.
type synced struct {
	Name  string `cbor:"1,keyasint"`
	Bytes int64  `cbor:"2,keyasint,omitempty"`
	Sum   uint32 `cbor:"3,keyasint,omitempty"` // CRC-32C of these bytes
}

// slot is a mark as it is written.
func slot(number uint64, m mark) ([]byte, error) {
	says := txn.Encode(m)
	if slotHeader+len(says) > slotBytes {
		return nil, fmt.Errorf("%d logs and manifests are too many to be marked", len(m.Files))
	}
	b := make([]byte, slotHeader, slotHeader+len(says))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(says)))
	binary.LittleEndian.PutUint64(b[8:], number)
	b = append(b, says...)
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	return b, nil
}

// readSlot is the inverse; false: the slot is empty, torn or damaged.
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

// newest is the newest mark of a file, and in which slot it stands; -1: in none.
func newest(b []byte) (at int, number uint64, m mark) {
	at = -1
	for i := 0; i < slots && i*slotBytes < len(b); i++ {
		n, says, ok := readSlot(b[i*slotBytes : min(len(b), (i+1)*slotBytes)])
		if ok && (at < 0 || n > number) {
			at, number, m = i, n, says
		}
	}
	return at, number, m
}
