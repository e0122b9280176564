package coordinator

import (
	"bytes"
	"reflect"
	"testing"

	"isochron/txn"
)

// What a row of a decision says is read back, and nothing else is taken for a decision.
func FuzzDecision(f *testing.F) {
	for _, said := range []string{"abort", "data \x80", "data \x81\xa2\x01\x03\x02\x81\xa1\x01ak", "data x", "commit 7", "commit", "commit -1", "", "commit 18446744073709551615"} {
		f.Add([]byte(said))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		says := decodeDecision(said)
		if !says.Known {
			return
		}
		row := []byte(saysAbort)
		switch {
		case says.Data != nil:
			row = encodeData(says.Data)
		case says.Commit && bytes.HasPrefix(said, []byte(saysData)):
			return // of nothing, in other words
		case says.Commit:
			row = encodeCommit(says.At)
		}
		if again := decodeDecision(row); !reflect.DeepEqual(again, says) {
			t.Errorf("%q is %+v, and that is written as what says %+v", said, says, again)
		}
	})
}

// Only rows of attempts below the first that is not finished are taken away, and no more
// than a batch at once.
func TestWhatIsTakenAway(t *testing.T) {
	d := &decisions{rows: map[txn.ShardID][]uint64{2: {5, 9, 3, 8}, 3: {1}}, count: 5}
	if gone := d.takeBelow(2, 8); len(gone) != 2 || gone[0] != 5 || gone[1] != 3 || d.count != 3 || len(d.rows[2]) != 2 {
		t.Errorf("takes %v and leaves %v", gone, d.rows)
	}
	if gone := d.takeBelow(3, 8); len(gone) != 1 || len(d.rows) != 1 {
		t.Errorf("takes %v and leaves %v", gone, d.rows)
	}
	for seq := range uint64(2 * expungeBatch) {
		d.rows[4] = append(d.rows[4], seq)
	}
	if gone := d.takeBelow(4, 1<<40); len(gone) != expungeBatch || len(d.rows[4]) != expungeBatch {
		t.Errorf("takes %d and leaves %d", len(gone), len(d.rows[4]))
	}
}
