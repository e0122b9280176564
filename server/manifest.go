package server

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The storage library takes a damaged record of its manifest for the end of the file, then serves an older or
// empty state and deletes the rest. Such a node would break its promises. So the manifest is checked first:
// a complete but wrong record is damage; only a record cut short by the end of the file is left by a crash.

// The manifest's format: blocks of chunks, each with a header of checksum (4 bytes), length (2) and kind (1).
// A chunk is within one block.
const (
	manifestBlock  = 32 << 10
	manifestHeader = 7
	manifestKinds  = 4          // full, first, middle, last: 1 to 4
	checksumDelta  = 0xa282ead8 // LevelDB adds it to a rotated CRC-32C
	manifestMax    = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checkManifestFile reads a manifest.
func checkManifestFile(fs vfs.FS, path string) error {
	f, err := fs.Open(path)
	if err != nil {
		return err
	}
	b, err := io.ReadAll(io.LimitReader(f, manifestMax))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if at := manifestDamage(b); at >= 0 {
		return fmt.Errorf("%s is corrupt at byte %d", filepath.Base(path), at)
	}
	return nil
}

// manifestDamage returns the offset of the first complete chunk that is wrong, -1 if there is none.
func manifestDamage(b []byte) int {
	for at := 0; at < len(b); {
		left := manifestBlock - at%manifestBlock
		if left < manifestHeader {
			at += left // the rest of a block is zeros
			continue
		}
		if at+manifestHeader > len(b) {
			return -1 // cut short
		}
		sum, length, kind := binary.LittleEndian.Uint32(b[at:]), int(binary.LittleEndian.Uint16(b[at+4:])), b[at+6]
		if sum == 0 && length == 0 && kind == 0 {
			return firstNonZero(b, at) // preallocated zeros
		}
		end := at + manifestHeader + length
		if kind < 1 || kind > manifestKinds || manifestHeader+length > left {
			return at
		}
		if end > len(b) && !holdsChunk(b[at+manifestHeader:]) {
			return -1
		}
		if end > len(b) || !sound(b[at:end], sum) {
			return at
		}
		at = end
	}
	return -1
}

// sound reports whether a chunk has the checksum of its header.
func sound(chunk []byte, sum uint32) bool {
	return bits.RotateLeft32(crc32.Checksum(chunk[6:], castagnoli), 17)+checksumDelta == sum
}

// holdsChunk reports whether a sound chunk begins anywhere in b: then a chunk that seems cut short by the end
// of the file has a wrong length.
func holdsChunk(b []byte) bool {
	for at := 0; at+manifestHeader < len(b) && at < manifestBlock; at++ {
		end := at + manifestHeader + int(binary.LittleEndian.Uint16(b[at+4:]))
		if b[at+6] >= 1 && b[at+6] <= manifestKinds && end <= len(b) && sound(b[at:end], binary.LittleEndian.Uint32(b[at:])) {
			return true
		}
	}
	return false
}

// firstNonZero returns the offset of the first non-zero byte at or after at, -1 if there is none.
func firstNonZero(b []byte, at int) int {
	for i := at; i < len(b); i++ {
		if b[i] != 0 {
			return i
		}
	}
	return -1
}
