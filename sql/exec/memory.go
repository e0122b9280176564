package exec

import (
	"bytes"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// Memory is what a statement may hold. Charge returns an error with MySQL's number beyond the bound, and then has charged
// nothing; Release gives back.
type Memory interface {
	Charge(bytes int64) error
	Release(bytes int64)
}

// account is what one operator holds of a Memory; nil is one without a bound.
type account struct {
	memory Memory
	held   int64 // charged
	due    int64 // held by the operator and not charged yet; negative: to be given back
}

// chargeFrom are the bytes from which a debt is charged before the batch ends.
const chargeFrom = 64 << 10

// add notes bytes that are held now, or no longer if n is negative, and charges them when they are many.
func (a *account) add(n int64) error {
	if a.due += n; a.due < chargeFrom {
		return nil
	}
	return a.settle()
}

// settle charges what is due. It is called at the end of each batch.
func (a *account) settle() error {
	due := a.due
	if a.memory == nil || due == 0 {
		a.due = 0
		return nil
	}
	if due > 0 {
		if err := a.memory.Charge(due); err != nil {
			return err
		}
	} else {
		a.memory.Release(-due)
	}
	a.due, a.held = 0, a.held+due
	return nil
}

// close gives everything back.
func (a *account) close() {
	if a.memory != nil && a.held > 0 {
		a.memory.Release(a.held)
	}
	a.held, a.due = 0, 0
}

// What values and rows occupy, in bytes.
const (
	valueBytes = 32 // of the header of a Value
	rowBytes   = 24 // of the header of a row
	mapBytes   = 48 // of an entry of a map of text, without the text
)

// sizeOf is what a row occupies.
func sizeOf(row []expr.Value) int64 {
	n := int64(rowBytes + valueBytes*len(row))
	for i := range row {
		n += int64(row[i].Len())
	}
	return n
}

// slab hands out slices of one length from a larger allocation.
type slab struct{ free []expr.Value }

// row is an empty row with room for n values; more: so many rows will follow, this one included.
func (s *slab) row(n, more int) []expr.Value {
	if len(s.free) < n {
		s.free = make([]expr.Value, n*min(max(more, 1), BatchMax))
	}
	out := s.free[:0:n]
	s.free = s.free[n:]
	return out
}

// ownValue is a value with other bytes.
func ownValue(v expr.Value, b []byte) expr.Value { return sqltypes.MakeTrusted(v.Type(), b) }

// clone is a value that does not share its bytes with the batch that it came from.
func clone(v expr.Value) expr.Value {
	if v.IsNull() {
		return v
	}
	return ownValue(v, bytes.Clone(v.Raw()))
}
