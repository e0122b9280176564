package table

import (
	"slices"
	"testing"

	"isochron/txn"
)

// A key and a scan that two reads request are read once, and both have their answers in their own order.
func TestReadsAsOne(t *testing.T) {
	scan := txn.Scan{Span: txn.Span{Start: "a", End: "c"}, Limit: 9}
	all := newUnion(txn.Read{})
	first := all.add(txn.Read{Gets: []txn.Key{"x", "y"}, Scans: []txn.Scan{scan}})
	second := all.add(txn.Read{Gets: []txn.Key{"z", "x"}, Scans: []txn.Scan{{Span: scan.Span, Limit: 8}, scan}})
	if !slices.Equal(all.read.Gets, []txn.Key{"x", "y", "z"}) || len(all.read.Scans) != 2 {
		t.Fatalf("%v", all.read)
	}
	res := txn.ReadResult{Values: [][]byte{[]byte("1"), nil, []byte("3")}, Pairs: [][]txn.Pair{{{Key: "a"}}, {{Key: "b"}}}}
	values, pairs := first.of(res)
	if len(values) != 2 || string(values[0]) != "1" || values[1] != nil || len(pairs) != 1 || pairs[0][0].Key != "a" {
		t.Errorf("%q, %v", values, pairs)
	}
	values, pairs = second.of(res)
	if len(values) != 2 || string(values[0]) != "3" || string(values[1]) != "1" || len(pairs) != 2 || pairs[0][0].Key != "b" || pairs[1][0].Key != "a" {
		t.Errorf("%q, %v", values, pairs)
	}
}
