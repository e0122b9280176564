package shard

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
	"isochron/yield"
)

// newReader returns the reader of the leader of shard 1, under a lease.
func newReader(t *testing.T, name string) (*reader, *sentMessages) {
	t.Helper()
	cfg, rows, locks, known := lead1(t, name)
	w := &sentMessages{leased: true, quiet: quiet{now: txn.Now{Mono: time.Second}}}
	cfg.Env = w
	certain := newLeaderBarrier(1, func() bool { return w.leased }, nil)
	over := func(txn.Attempt) bool { return false }
	return &reader{
		cfg: cfg, term: 1, clock: &txn.Clock{}, rows: rows, locks: locks, written: &written{rows, locks, known},
		depends: &dependencyTracker{cfg, rows.early, known}, barrier: &certain, switching: &switching{state: rows.state, desired: &cfg.Desired},
		gathering: &prepareBatcher{yield.NewBatches(10, time.Second), cfg, over},
	}, w
}

// A locking read waits for the holder and then returns the rows that it has left; with NOWAIT it is
// refused, and with SKIP LOCKED it leaves out locked rows.
func TestAReadWithLocksWaitsOrSkips(t *testing.T) {
	r, w := newReader(t, "2pc+2pl")
	lock := func(seq uint64, wait txn.Wait, keys ...txn.Key) {
		r.access(2, &txn.Access{Txn: id(seq), Request: seq, Keys: keys, Lock: txn.LockExclusive, Wait: wait, Age: txn.Age{Start: txn.Timestamp(seq)}}, arrival{Now: w.now})
	}
	lock(1, 0, "old")
	if out := w.last(t, 1).AccessReply; out.Refused != 0 || out.Rows[0].Value == nil || r.locks.Holder(id(1)) == nil {
		t.Fatalf("%+v", out)
	}
	lock(2, txn.NoWait, "old")
	if out := w.last(t, 2).AccessReply; out.Refused == 0 || len(out.Rows) != 0 {
		t.Errorf("one that does not wait receives %+v", out)
	}
	lock(3, txn.SkipLocked, "old", "new")
	if out := w.last(t, 3).AccessReply; out.Rows[0].Value != nil || out.Rows[1].Value == nil {
		t.Errorf("one that skips receives %+v", out)
	}
	r.access(2, &txn.Access{Txn: id(5), Request: 5, Scans: []txn.Scan{{Span: txn.Span{Start: "a", End: "z"}}}, Lock: txn.LockExclusive, Wait: txn.LookLocked, Age: txn.Age{Start: 5}}, arrival{Now: w.now})
	if out := w.last(t, 4).AccessReply; out.Refused != 0 || slices.ContainsFunc(out.Scans[0].Rows, func(row txn.Row) bool { return row.Key == "old" || row.Key == "new" }) {
		t.Errorf("a dry run is answered %+v", out)
	}
	if r.locks.Holder(id(5)) != nil {
		t.Error("one that looks holds something")
	}
	lock(4, 0, "old")
	w.last(t, 4)
	w.now.Mono += time.Millisecond
	r.locks.End(w.now.Mono, id(1), true)
	if out := w.last(t, 5).AccessReply; out.WaitedFor != id(1) || out.WaitedNanos != int64(time.Millisecond) || len(out.Rows) != 1 {
		t.Errorf("one that has waited receives %+v", out)
	}
}

// An answer that is not validated later waits until the writes it contains are decided; if one is
// aborted the read starts again.
func TestAFinalAnswerShowsNothingUndecided(t *testing.T) {
	for _, commit := range []bool{true, false} {
		r, w := newReader(t, "d2pc+2pl")
		v := &voteCmd{Attempt: txn.Attempt{Node: 1, Seq: 1}, Proposed: 50, Writes: []txn.Write{{Key: "old", Value: []byte("w")}}}
		r.depends.reveal(v)
		read := func(final bool) {
			r.access(2, &txn.Access{Txn: id(2), Request: 2, Keys: []txn.Key{"old"}, OnlyRead: final}, arrival{Now: w.now})
		}
		read(false)
		if out := w.last(t, 1).AccessReply; string(out.Rows[0].Value) != "w" || out.OnlyRead {
			t.Errorf("one that will be validated receives %+v", out)
		}
		read(true)
		w.last(t, 1)
		r.depends.ended(v, commit)
		if out := w.last(t, 2).AccessReply; (string(out.Rows[0].Value) == "w") != commit || !out.OnlyRead {
			t.Errorf("committed %v: a final answer is %+v", commit, out)
		}
	}
}

// A locking read under a protocol that the shard has left is refused, and a plain one is not.
func TestAReadOfAnotherProtocolTakesNoLocks(t *testing.T) {
	r, w := newReader(t, "2pc+2pl")
	r.rows.state.applied.Protocol.Seq = 2
	for n, lock := range []txn.Lock{txn.LockNone, txn.LockExclusive} {
		r.access(2, &txn.Access{Txn: id(1), Keys: []txn.Key{"old"}, Lock: lock, ProtocolSeq: 1}, arrival{Now: w.now})
		if out := w.last(t, n+1).AccessReply; (out.Refused != 0) != (lock != txn.LockNone) || out.Refused != 0 && out.ProtocolSeq != 2 {
			t.Errorf("lock %v: %+v", lock, out)
		}
	}
	r.rows.state.applied.Protocol.Seq = 0
	r.access(2, &txn.Access{Txn: id(1), Keys: []txn.Key{"new"}, Lock: txn.LockExclusive, Since: 20}, arrival{Now: w.now})
	if out := w.last(t, 3).AccessReply; out.Cause != txn.ReasonWriteConflict.Refusal().Cause() || out.Refused == 0 {
		t.Errorf("of a row newer than its read timestamp it receives %+v", out)
	}
}
