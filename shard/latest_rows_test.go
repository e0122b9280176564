package shard

import (
	"testing"

	"isochron/txn"
)

// Any replica returns its rows, and reports that a row may be old if a vote on it is undecided.
func TestANearestReadReportsUndecidedWrites(t *testing.T) {
	_, rows, _, _ := lead1(t, "d2pc+occ")
	rows.early = nil // it does not lead
	rows.state.pending.Add([]txn.Write{{Key: "old"}})
	for _, c := range []struct {
		m    txn.Access
		want bool
	}{
		{txn.Access{Keys: []txn.Key{"new"}}, false},
		{txn.Access{Keys: []txn.Key{"new", "old"}}, true},
		{txn.Access{Scans: []txn.Scan{{Span: txn.Span{Start: "n", End: "o"}}}}, false},
		{txn.Access{Scans: []txn.Scan{{Span: txn.Span{Start: "n", End: "p"}}}}, true},
	} {
		out, n := rows.nearest(&c.m, nil), 0
		for _, s := range out.Scans {
			n += len(s.Rows)
		}
		if out.HasUndecidedWrite != c.want || out.Shard != 1 || len(out.Rows)+n == 0 {
			t.Errorf("%+v: %+v", c.m, out)
		}
	}
}
