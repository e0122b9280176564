package exec

import (
	"crypto/sha256"

	"isochron/sql/expr"
)

// digestFrom is the length in bytes from which a key of a set is replaced by its SHA-256.
const digestFrom = 256

// set are the keys of rows.
type set struct {
	encoder *encoder
	keys    map[string]struct{}
	buffer  []byte
}

func newSet(keys []Key) *set {
	return &set{encoder: newEncoder(keys), keys: map[string]struct{}{}}
}

// add adds a row's key and reports whether it is new.
func (s *set) add(row []expr.Value, a *account) (bool, error) {
	s.buffer = digest(s.encoder.append(s.buffer[:0], row))
	if _, ok := s.keys[string(s.buffer)]; ok {
		return false, nil
	}
	s.keys[string(s.buffer)] = struct{}{}
	return true, a.add(int64(len(s.buffer)) + mapBytes)
}

// digest replaces a long key by its SHA-256, in place.
func digest(key []byte) []byte {
	if len(key) <= digestFrom {
		return key
	}
	sum := sha256.Sum256(key)
	return append(key[:0], sum[:]...)
}
