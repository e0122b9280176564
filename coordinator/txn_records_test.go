package coordinator

import (
	"bytes"
	"reflect"
	"testing"

	"isochron/decide"
	"isochron/txn"
)

// An encoded decision is decoded to the same, and no other bytes are decoded as a decision.
func FuzzDecision(f *testing.F) {
	for _, content := range []string{"abort", "data \x80", "data \x81\xa2\x01\x03\x02\x81\xa1\x01ak", "data x", "commit 7", "commit", "commit -1", "", "commit 18446744073709551615"} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		answer := decodeDecision(content)
		if !answer.Known {
			return
		}
		row := []byte(recordAbort)
		switch {
		case answer.Data != nil:
			row = encodeData(answer.Data)
		case answer.Commit && bytes.HasPrefix(content, []byte(recordData)):
			return // nothing, encoded differently
		case answer.Commit:
			row = encodeCommit(answer.At)
		}
		if again := decodeDecision(row); !reflect.DeepEqual(again, answer) {
			t.Errorf("%q is %+v, and that is written as what answer %+v", content, answer, again)
		}
	})
}

// Only rows of attempts below the first unfinished one are deleted, and at most a batch together.
func TestWhichRowsAreDeleted(t *testing.T) {
	d := &decisions{rows: map[txn.ShardID][]uint64{2: {5, 9, 3, 8}, 3: {1}}, count: 5}
	if closed := d.takeBelow(2, 8); len(closed) != 2 || closed[0] != 5 || closed[1] != 3 || d.count != 3 || len(d.rows[2]) != 2 {
		t.Errorf("takes %v and leaves %v", closed, d.rows)
	}
	if closed := d.takeBelow(3, 8); len(closed) != 1 || len(d.rows) != 1 {
		t.Errorf("takes %v and leaves %v", closed, d.rows)
	}
	for seq := range uint64(2 * expungeBatch) {
		d.rows[4] = append(d.rows[4], seq)
	}
	if closed := d.takeBelow(4, 1<<40); len(closed) != expungeBatch || len(d.rows[4]) != expungeBatch {
		t.Errorf("takes %d and leaves %d", len(closed), len(d.rows[4]))
	}
}

// Transactions on an attempt's record are marked as such, and lock nothing before their vote, also
// where the protocol locks reads: during a protocol switch a shard grants no locks, and accepts the
// record. Deletions are like any other transaction.
func TestRecordsAreMarkedAndLockNothing(t *testing.T) {
	lost := txn.Attempt{Node: 7, Epoch: 1, Seq: 3}
	for name, c := range map[string]struct { // order: independent cases
		does   func(*decisions)
		record bool
		locks  txn.Lock
	}{
		"ends an attempt":     {func(d *decisions) { d.logAbort(lost, 2) }, true, txn.LockNone},
		"supplies an attempt": {func(d *decisions) { d.logData(lost, 2, []txn.ShardWrites{{Shard: 2}}) }, true, txn.LockNone},
		"decides an attempt":  {func(d *decisions) { d.logCommit(lost, 2, 9) }, true, txn.LockNone},
		"tidies up":           {func(d *decisions) { d.takeAway(2, []uint64{3}, 4) }, false, txn.LockExclusive},
	} {
		g := openGateway(t)
		g.useProtocol(openRow(t, "2pc+2pl-nro"))
		g.decisions.rule = func(txn.Attempt, decide.LogAnswer) {}
		c.does(g.decisions)
		if a := g.env.sent[0].Access; a != nil {
			if a.Lock != c.locks {
				t.Errorf("%s: it locks %v", name, a.Lock)
			}
			g.Deliver(1, &txn.Message{AccessReply: &txn.AccessReply{Shard: 2, Request: a.Request, Term: 1, Rows: rowsOf(a.Keys)}})
		}
		p := g.env.sent[len(g.env.sent)-1].Prepare
		if p == nil || p.Record != c.record || !p.OnePhase {
			t.Errorf("%s: it asks %+v", name, p)
		}
	}
}

// rowsOf returns absent rows.
func rowsOf(keys []txn.Key) (rows []txn.Row) {
	for _, k := range keys {
		rows = append(rows, txn.Row{Key: k})
	}
	return rows
}
