package catalog

import (
	"strings"
	"testing"

	"isochron/sql/coltype"
	"isochron/sql/legacy"
	"isochron/sql/rowcodec"
)

func TestDeclaredTypesAreStored(t *testing.T) {
	for _, c := range []struct {
		typ   string
		value any
		shown string
	}{
		{"time", coltype.Span(36_672_500_000), "10:11:13"},
		{"time(3)", coltype.Span(-600), "-00:00:00.001"},
		{"time(6)", coltype.Span(36_672_000_000), "10:11:12.000000"},
		{"time(1)", coltype.Span(3_020_398_990_000), "838:59:59.0"},
		{"int(5) unsigned zerofill", uint32(42), "00042"},
		{"bigint(20) unsigned zerofill", uint64(7), "00000000000000000007"},
		{"int", int32(42), "42"},
		{"double(8,2)", 1.255, "1.25"},
		{"float(7,1)", float32(1.26), "1.3"},
		{"double", 1.5, "1.5"},
	} {
		col, err := storeColumn(1, &legacy.Column{Name: "c", Type: c.typ, Declared: strings.Contains(c.typ, "(") || c.typ == "time", Comment: "words"})
		if err != nil || col.Type != c.typ || col.Comment != "words" {
			t.Fatalf("%s: stored as %q with comment %q (%v)", c.typ, col.Type, col.Comment, err)
		}
		d, err := NewDescriptor(&Record{Format: recordFormat, ID: 1, Database: "d", Name: "t", Columns: []Column{col}, PrimaryKey: []uint32{1}})
		if err != nil {
			t.Fatal(err)
		}
		row, err := d.EncodeRow([]any{c.value})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]rowcodec.Value, 1)
		if err := d.layout.Values(row, []int{0}, out); err != nil || out[0].ToString() != c.shown && c.typ != "float(7,1)" {
			t.Errorf("%s: %v is shown as %s, want %s (%v)", c.typ, c.value, out[0].ToString(), c.shown, err)
		}
		again, err := d.DecodeRow(row)
		if err != nil {
			t.Fatal(err)
		}
		before, _ := d.RowKey([]any{c.value}, nil)
		if after, _ := d.RowKey(again, nil); before != after {
			t.Errorf("%s: the key of %v is not that of the stored row", c.typ, c.value)
		}
	}
}

func TestTimesOfOldRecordsKeepTheirForm(t *testing.T) {
	d, err := NewDescriptor(&Record{Format: recordFormat, ID: 1, Database: "d", Name: "t", Columns: []Column{{ID: 1, Name: "c", Type: "time(6)"}}, PrimaryKey: []uint32{1}})
	if err != nil {
		t.Fatal(err)
	}
	row, err := d.EncodeRow([]any{coltype.Span(1_500_000)})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]rowcodec.Value, 1)
	if err := d.layout.Values(row, []int{0}, out); err != nil || out[0].ToString() != "00:00:01.500000" {
		t.Errorf("%s %v", out[0].ToString(), err)
	}
	if text, ok := d.TypeText("c"); ok {
		t.Errorf("its type is shown as %s, want the engine's", text)
	}
}
