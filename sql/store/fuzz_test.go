package store

import (
	"testing"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
)

// Whatever a value is, storing it neither panics nor yields what cannot be written; what is stored without a warning is
// stored the same when it is read and stored again.
func FuzzStore(f *testing.F) {
	types := []string{"TINYINT", "INT UNSIGNED", "BIGINT", "DECIMAL(5,2)", "DECIMAL(65,30)", "FLOAT", "DOUBLE", "BIT(8)", "YEAR", "DATE", "DATETIME(3)", "TIMESTAMP", "TIME", "CHAR(4)", "VARCHAR(4)", "TINYTEXT", "BINARY(4)", "VARBINARY(4)", "ENUM('x','y','z')", "SET('a','b','c')"}
	sources := []sqltypes.Type{sqltypes.VarChar, sqltypes.VarBinary, sqltypes.HexVal, sqltypes.TypeJSON}
	columns := make([]*Column, len(types))
	for i, typ := range types {
		columns[i] = column(f, typ)
	}
	for i, seed := range []string{"", "1e400", "-1e-400", "99999999999999999999.5", "2024-02-29 10:11:12.9999999", "838:59:59.9", "\xff", "a,b", "0x1f", "1e", "+.", "0000-00-00"} {
		f.Add(seed, uint8(i), uint8(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, text string, of, from uint8, strict bool) {
		col := columns[int(of)%len(columns)]
		v := sqltypes.MakeTrusted(sources[int(from)%len(sources)], []byte(text))
		c := context(strictMode)
		target := &Target{Context: c, Strict: strict, Row: 1}
		stored, err := target.Store(col, v)
		if err != nil {
			return
		}
		first := written(t, col, stored)
		if list, _ := c.Warnings(); len(list) > 0 || col.kind == coltype.KindYear || col.kind == coltype.KindBytes {
			return
		}
		again, err := target.Store(col, first)
		if err != nil {
			t.Fatalf("%s: %q is stored as %v, which is not stored: %v", col.Type, text, first, err)
		}
		if second := written(t, col, again); second.ToString() != first.ToString() {
			t.Fatalf("%s: %q is stored as %v, and that as %v", col.Type, text, first, second)
		}
	})
}
