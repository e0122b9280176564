package catalog

import (
	"slices"

	"isochron/sql/rowcodec"
)

// Keys are padded (Index.Padded) if they were made by a release that pads them: those of a new table or index, of an index of a
// column that gets another type, and of a truncated table. Others keep their form and its fault: texts that differ in spaces
// at the end are two.

// format is the version that a table is stored with.
func (r *Record) format() uint64 {
	if r.Padded || slices.ContainsFunc(r.Indexes, func(x Index) bool { return x.Padded }) {
		return paddedFormat
	}
	return recordFormat
}

// pads reports whether one of the columns has texts whose collation pads. A type that cannot be read is reported elsewhere.
func (r *Record) pads(columns []uint32) bool {
	return slices.ContainsFunc(columns, func(id uint32) bool {
		t, err := r.Columns[r.column(id)].definition().CoreType()
		return err == nil && rowcodec.Pads(t)
	})
}

// mayPad reports whether the keys of a new index are padded. If the partition of a row depends on texts that are not padded,
// entries with the same padded key may be in two partitions, so they are not padded either.
func (r *Record) mayPad(x Index) bool {
	return r.pads(x.Columns) && (r.Padded || x.Global || !r.pads(r.Placement.Columns))
}

// padAll decides about all keys of a table that has no rows.
func (r *Record) padAll() {
	for _, c := range r.Columns {
		r.padAgain(c.ID)
	}
}

// padAgain decides about the keys that hold a column, all of which are written again.
func (r *Record) padAgain(column uint32) {
	if slices.Contains(r.PrimaryKey, column) {
		r.Padded = r.pads(r.PrimaryKey)
	}
	for i, x := range r.Indexes {
		if slices.Contains(x.Columns, column) {
			r.Indexes[i].Padded = r.mayPad(x)
		}
	}
}
