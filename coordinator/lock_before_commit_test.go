package coordinator

import (
	"testing"

	"isochron/protocol"
	"isochron/txn"
)

// Reads of an optimistic protocol lock from some try on: exclusively rows that are to be written.
// Protocols without locks never do, and snapshot reads neither.
func TestReadsLockAfterSomeTries(t *testing.T) {
	type want struct{ plain, forWrite txn.Lock }
	none := want{txn.LockNone, txn.LockNone}
	locked := want{txn.LockShared, txn.LockExclusive}
	cases := []struct {
		spec  string
		after int
		try   int
		asOf  txn.Timestamp
		want  want
	}{
		{"2pc+occ", 3, 2, 0, none},
		{"2pc+occ", 3, 3, 0, locked},
		{"d2pc+occ", 3, 3, 0, locked},
		{"aria", 3, 7, 0, locked},
		{"2pc+occ", -1, 100, 0, none},
		{"2pc+occ", 3, 3, 8, none},
		{"tapir", 3, 100, 0, none},
		{"2pc+2pl", 3, 0, 0, none},
		{"2pc+2pl", 3, 1, 0, locked},
	}
	for _, tc := range cases {
		spec, err := protocol.ByName(tc.spec)
		if err != nil {
			t.Fatal(err)
		}
		y := &policy{cfg: &Config{Spec: spec, Params: txn.Params{LockAfterTries: tc.after}}}
		tx := &transaction{try: tc.try, asOf: tc.asOf}
		got := want{y.lockOf(tx, txn.Read{}, 0), y.lockOf(tx, txn.Read{ForWrite: true}, 0)}
		if got != tc.want {
			t.Errorf("%s, try %d, locks after %d, read timestamp %d: %+v, want %+v", tc.spec, tc.try, tc.after, tc.asOf, got, tc.want)
		}
	}
}

// Plain reads of a second try go to the leader in protocols that lock, and to a near replica in
// validating ones, until they have lost so often that they lock as well.
func TestReadsOfASecondTry(t *testing.T) {
	for name, want := range map[string][4]bool{ // tries 0 to 3
		"2pc+2pl":       {false, true, true, true},
		"d2pc+2pl-home": {false, true, true, true},
		"2pc+occ":       {false, false, false, true},
		"d2pc+occ":      {false, false, false, true},
		"2pc+2pl-nro":   {true, true, true, true},
		"aria":          {true, true, true, true},
		"carousel-fast": {},
		"gpac":          {},
		"starry":        {},
		"tapir":         {},
	} {
		spec, err := protocol.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		p := &policy{cfg: &Config{Spec: spec, Params: txn.Params{LockAfterTries: 3}}}
		for try, leader := range want {
			if got := p.readsAtLeader(&transaction{try: try}, false); got != leader {
				t.Errorf("%s, try %d: at the leader: %v", name, try, got)
			}
		}
	}
}

// Blind writes are locked before any vote is requested, once, and only from some try on; the commit
// continues with the reply.
func TestWritesAreLockedBeforeTheVotes(t *testing.T) {
	for _, try := range []int{0, 2, 3, 9} {
		c, env := openFake(t)
		c.reads.parts, c.cfg.Params = map[uint64]*shardRequest{}, txn.Params{LockAfterTries: 3}.WithDefaults()
		open := &transaction{id: txn.ID{Node: 1, Seq: 1}, try: try}
		c.txns[open.id] = open
		var got []Response
		req := &Request{Op: OpCommit, Txn: open.id, Writes: []txn.Write{{Key: "\x10k", Value: []byte("1")}}, Done: func(r Response) { got = append(got, r) }}
		c.commit(open, req, req.Writes)
		if len(env.sent) != 1 {
			t.Fatalf("try %d: sent %+v", try, env.sent)
		}
		if try < 3 {
			if env.sent[0].Prepare == nil {
				t.Errorf("try %d: sent %+v, want the Prepare", try, env.sent)
			}
			continue
		}
		a := env.sent[0].Access
		if a == nil || a.Lock != txn.LockExclusive || len(a.Keys) != 1 || len(got) != 0 {
			t.Fatalf("try %d: sent %+v, want an exclusive lock", try, env.sent)
		}
		c.Deliver(1, &txn.Message{AccessReply: &txn.AccessReply{Request: a.Request, Shard: a.Shard, Term: 1, Rows: []txn.Row{{Key: "\x10k"}}}})
		if len(env.sent) != 2 || env.sent[1].Prepare == nil || len(env.sent[1].Prepare.Writes) != 1 {
			t.Errorf("try %d: sent %+v, want the Prepare after the lock", try, env.sent)
		}
	}
}

// A lock that is not granted ends the transaction, and its client is notified of the abort.
func TestALockNotGrantedBeforeTheVotes(t *testing.T) {
	c, env := openFake(t)
	c.reads.parts, c.cfg.Params = map[uint64]*shardRequest{}, txn.Params{LockAfterTries: 3}.WithDefaults()
	open := &transaction{id: txn.ID{Node: 1, Seq: 1}, try: 3}
	c.txns[open.id] = open
	var got []Response
	req := &Request{Op: OpCommit, Txn: open.id, Writes: []txn.Write{{Key: "\x10k", Value: []byte("1")}}, Done: func(r Response) { got = append(got, r) }}
	c.commit(open, req, req.Writes)
	a := env.sent[0].Access
	c.Deliver(1, &txn.Message{AccessReply: &txn.AccessReply{Request: a.Request, Shard: a.Shard, Refused: txn.KindLockTimeout, Reason: "held by another"}})
	if len(got) != 1 || got[0].Err == nil || got[0].Err.Kind != txn.KindAborted || got[0].Err.AbortCause() != txn.CauseLockTimeout {
		t.Fatalf("the client receives %+v", got)
	}
	if n := c.Rollbacks()[txn.CauseLockTimeout]; n != 1 {
		t.Errorf("it is counted %d times", n)
	}
	if len(c.txns)+len(c.reads.parts)+len(c.commits.all) != 0 || len(env.ended) != 1 || env.sent[len(env.sent)-1].Release == nil {
		t.Errorf("left: %d transactions, %d rounds; ended %+v; sent %+v", len(c.txns), len(c.reads.parts), env.ended, env.sent)
	}
}

// A try without any request passes its age on.
func TestAnAgeIsPassedOnUnused(t *testing.T) {
	d := NewDB(nil)
	first := &handle{age: txn.Age{Start: 7}}
	second := d.Begin(txn.Options{RetryOf: first})
	third, ok := d.Begin(txn.Options{RetryOf: second}).(*handle)
	if !ok || third.from.Age.Start != 7 || third.from.Try != 2 {
		t.Errorf("the third try begins with %+v", third.from)
	}
}

// Retries by the gateway are counted by cause, and those by its client are not.
func TestAutoRetriesAreCounted(t *testing.T) {
	d := NewDB(nil)
	lost := &handle{age: txn.Age{Start: 7}, failed: txn.Errorf(txn.KindAborted, "lost").Because(txn.CauseWound)}
	c, _ := openFake(t)
	for _, opt := range []txn.Options{{RetryOf: lost, AutoRetry: true}, {RetryOf: lost, AutoRetry: true}, {RetryOf: lost}, {AutoRetry: true}, {RetryOf: &handle{}, AutoRetry: true}} {
		h, ok := d.Begin(opt).(*handle)
		if !ok {
			t.Fatal("Begin gives something else")
		}
		c.begin(h.from)
	}
	for cause, n := range c.Retried() {
		if want := map[txn.Cause]uint64{txn.CauseWound: 2}[txn.Cause(cause)]; n != want {
			t.Errorf("%v: the gateway retried %d, want %d", txn.Cause(cause), n, want)
		}
	}
}

// A high-priority transaction reads committed values only from its first try, and its retries
// inherit the priority; a transaction with enough losses is promoted.
func TestPriorities(t *testing.T) {
	spec, err := protocol.ByName("2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	p := &policy{cfg: &Config{Spec: spec, Params: txn.Params{}.WithDefaults()}}
	high := txn.Age{Start: 9, Priority: txn.PriorityHigh}
	if low := (txn.Age{Start: 1}); !high.Older(low) || low.Older(high) || p.committedOnly(&transaction{age: low}) || !p.committedOnly(&transaction{age: high}) {
		t.Error("high priority is not older than what began earlier, or reads published values")
	}
	d := NewDB(nil)
	first, _ := d.Begin(txn.Options{Priority: txn.PriorityHigh}).(*handle)
	again, _ := d.Begin(txn.Options{RetryOf: first}).(*handle)
	if first.from.Age.Priority != txn.PriorityHigh || again.from.Age.Priority != txn.PriorityHigh {
		t.Error("a retry does not inherit its priority")
	}
	c, _ := openFake(t)
	c.cfg.Params = txn.Params{}.WithDefaults()
	for try, want := range map[int]txn.Priority{0: txn.PriorityLow, 9: txn.PriorityLow, 10: txn.PriorityHigh} { // order: independent cases
		if got := c.begin(Start{Try: try}).age.Priority; got != want {
			t.Errorf("try %d has %v priority, not %v", try, got, want)
		}
	}
}
