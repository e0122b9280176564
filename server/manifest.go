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

// The storage library takes a damaged record of its manifest for the end of the
// file, and then serves an older state, or an empty one, and deletes the rest. A
// node that forgot like this would break promises. So the manifest is read here
// first: a record that is whole and wrong is damage, and only one that is cut
// short by the end of the file is what a crash leaves.

// The format of the manifest: blocks that hold chunks, each with a header of
// checksum (4 bytes), length (2) and kind (1). A chunk lies in one block.
const (
	manifestBlock  = 32 << 10
	manifestHeader = 7
	manifestKinds  = 4          // full, first, middle, last: 1 to 4
	checksumDelta  = 0xa282ead8 // what LevelDB adds to a rotated CRC-32C
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

// manifestDamage is where the first whole chunk that is wrong begins; -1: nowhere.
func manifestDamage(b []byte) int {
	for at := 0; at < len(b); {
		left := manifestBlock - at%manifestBlock
		if left < manifestHeader {
			at += left // what remains of a block is filled with zeros
			continue
		}
		if at+manifestHeader > len(b) {
			return -1 // cut short
		}
		sum, length, kind := binary.LittleEndian.Uint32(b[at:]), int(binary.LittleEndian.Uint16(b[at+4:])), b[at+6]
		if sum == 0 && length == 0 && kind == 0 {
			return firstNonZero(b, at) // the file was longer than what was written
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

// sound reports whether a chunk has the checksum that its header says.
func sound(chunk []byte, sum uint32) bool {
	return bits.RotateLeft32(crc32.Checksum(chunk[6:], castagnoli), 17)+checksumDelta == sum
}

// holdsChunk reports whether a sound chunk begins anywhere in b: then what seems
// to be cut short by the end of the file has a wrong length.
func holdsChunk(b []byte) bool {
	for at := 0; at+manifestHeader < len(b) && at < manifestBlock; at++ {
		end := at + manifestHeader + int(binary.LittleEndian.Uint16(b[at+4:]))
		if b[at+6] >= 1 && b[at+6] <= manifestKinds && end <= len(b) && sound(b[at:end], binary.LittleEndian.Uint32(b[at:])) {
			return true
		}
	}
	return false
}

// firstNonZero is the first byte from at on that is not zero; -1: there is none.
func firstNonZero(b []byte, at int) int {
	for i := at; i < len(b); i++ {
		if b[i] != 0 {
			return i
		}
	}
	return -1
}
