package exec

import (
	"encoding/binary"

	"isochron/sql/expr"
)

// numberedSorter sorts rows by keys and, among equal ones, by numbers that are given with them. It sorts rows by a key that
// are to be sorted back into the order of their numbers.
type numberedSorter struct {
	*rowSorter
	buffer []byte
}

// numberBytes is the length of a number at the end of a key.
const numberBytes = 8

func newNumberedSorter(m Memory) numberedSorter { return numberedSorter{rowSorter: newRowSorter(m)} }

func (s *numberedSorter) add(key []byte, number uint64, row []expr.Value) error {
	s.buffer = binary.BigEndian.AppendUint64(append(s.buffer[:0], key...), number)
	return s.rowSorter.add(s.buffer, row)
}

// next is the next row with its key and number; a row of nil is the end.
func (s *numberedSorter) next() (key []byte, number uint64, row []expr.Value, err error) {
	key, row, err = s.rowSorter.next()
	if row == nil || err != nil {
		return nil, 0, nil, err
	}
	n := len(key) - numberBytes
	return key[:n:n], binary.BigEndian.Uint64(key[n:]), row, nil
}
