package exec

import (
	"context"
	"crypto/sha256"

	"isochron/sql/expr"
)

// digestFrom is the length in bytes from which a key of a set is replaced by its SHA-256.
const digestFrom = 256

// Distinct keeps the first of rows that are equal in their first columns, which have the types. It holds a key a row.
func Distinct(from Source, types []expr.Type, m Memory) Source {
	return &distinct{in: input{from: from}, account: account{memory: m}, seen: newSet(typesAt(nil, types))}
}

type distinct struct {
	in      input
	account account
	seen    *set
	kept    [][]expr.Value
}

func (d *distinct) Next(ctx context.Context) ([][]expr.Value, error) {
	for {
		rows, err := d.in.next(ctx)
		if rows == nil {
			return nil, err
		}
		d.kept = d.kept[:0]
		for _, row := range rows {
			isNew, err := d.seen.add(row, &d.account)
			if err != nil {
				return nil, d.in.fail(err)
			}
			if isNew {
				d.kept = append(d.kept, row)
			}
		}
		if err := d.account.settle(); err != nil {
			return nil, d.in.fail(err)
		}
		if len(d.kept) > 0 {
			return d.kept, nil
		}
	}
}

func (d *distinct) Close() {
	d.seen = nil
	d.account.close()
	d.in.close()
}

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
