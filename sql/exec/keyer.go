package exec

import "isochron/sql/expr"

// Keyer makes keys of a row's first column.
type Keyer struct{ e *encoder }

// Keyers make keys of columns of two types that are compared: they are equal where MySQL's = of the two is true. false: there
// are none for these types.
func Keyers(left, right expr.Type) (l, r *Keyer, ok bool) {
	a, b, ok := joinColumns(left, right)
	return &Keyer{&encoder{columns: []column{a}}}, &Keyer{&encoder{columns: []column{b}}}, ok
}

// Append appends the key of a row.
func (k *Keyer) Append(dst []byte, row []expr.Value) []byte { return k.e.append(dst, row) }

// SizeOf is what a row occupies, in bytes.
func SizeOf(row []expr.Value) int64 { return sizeOf(row) }
