package history

import "testing"

// A snapshot read has all commits up to its timestamp and none later.
func TestASnapshotReadHasAllCommitsUpToItsTimestamp(t *testing.T) {
	for _, c := range []struct {
		name    string
		commits [2]int64 // timestamps of transfers 1 and 2; 0: unknown
		readTS  int64
		saw     []int64
		want    string
	}{
		{"all up to it", [2]int64{10, 20}, 15, []int64{1}, ""},
		{"one at it", [2]int64{10, 20}, 20, []int64{1, 2}, ""},
		{"one missing", [2]int64{10, 20}, 25, []int64{1}, "snapshot-read-broken"},
		{"one too many", [2]int64{10, 20}, 15, []int64{1, 2}, "snapshot-read-broken"},
		{"times unknown", [2]int64{0, 20}, 25, []int64{2}, ""},
		{"read timestamp unknown", [2]int64{10, 20}, 0, []int64{2}, ""},
	} {
		bank, lists := new(History), new(History)
		for i, at := range c.commits {
			id := int64(i + 1)
			bank.Add(&Record{Outcome: OK, At: at, Ops: []Op{{Kind: Transfer, Value: id}}})
			lists.Add(&Record{Outcome: OK, At: at, Ops: []Op{{Kind: Append, Key: "l", Value: id}}})
		}
		bank.Add(&Record{Outcome: OK, ReadTS: true, At: c.readTS, Ops: []Op{{Kind: Ledger, List: c.saw}}})
		lists.Add(&Record{Outcome: OK, ReadTS: true, At: c.readTS, Ops: []Op{{Kind: ReadList, Key: "l", List: c.saw}}})
		var ofBank, ofLists Report
		checkSnapshotReads(bank, &ofBank, Transfer, Ledger)
		checkSnapshotReads(lists, &ofLists, Append, ReadList)
		if got := names(&ofBank); got != c.want {
			t.Errorf("%s: the bank has %q, want %q", c.name, got, c.want)
		}
		if got := names(&ofLists); got != c.want {
			t.Errorf("%s: the lists have %q, want %q", c.name, got, c.want)
		}
	}
}
