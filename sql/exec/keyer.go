package exec

import "isochron/sql/expr"

// Keyer makes keys of rows: byte strings that are equal where MySQL takes the columns for equal, NULL like NULL.
type Keyer struct{ e *encoder }

// NewKeyer makes keys of columns.
func NewKeyer(keys []Key) *Keyer { return &Keyer{newEncoder(keys)} }

// Append appends the key of a row.
func (k *Keyer) Append(dst []byte, row []expr.Value) []byte { return k.e.append(dst, row) }

// SizeOf is what a row occupies, in bytes.
func SizeOf(row []expr.Value) int64 { return sizeOf(row) }
