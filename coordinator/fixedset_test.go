package coordinator

import (
	"slices"
	"testing"
	"time"

	"isochron/decide"
	"isochron/estimate"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// fixedSetTest is a coordinator under a protocol that votes on 2FI transactions as it reads, with
// shards 2 from key "a" on and 3 from "m" on, at a delay of 10 ms.
type fixedSetTest struct {
	*Coordinator
	env *wayEnv
	got []Response
}

// wayEnv has the one-way delays: 10 ms, and for some nodes their clock skew in addition.
type wayEnv struct {
	fakeEnv
	ahead map[txn.NodeID]time.Duration
}

func (e *wayEnv) Way(n txn.NodeID) (estimate.Way, bool) {
	return estimate.Way{OneWay: 10*time.Millisecond + e.ahead[n], RoundTrip: time.Second}, true
}

func (e *wayEnv) Leader(s txn.ShardID) (txn.NodeID, uint64, bool) { return txn.NodeID(s), 1, true }

func (e *wayEnv) Now() txn.Now          { return txn.Now{Mono: e.mono, WallNanos: int64(time.Second)} }
func (*wayEnv) Trace(string, ...any)    {}
func (*wayEnv) NodeEvent(txn.NodeEvent) {}

func newFixedSetTest(t *testing.T, row string) *fixedSetTest {
	t.Helper()
	env := &wayEnv{fakeEnv: fakeEnv{dir: &routing.Directory{}}}
	env.dir.AddRange("a", 2)
	env.dir.AddRange("m", 3)
	return &fixedSetTest{Coordinator: New(Config{Self: 1, Spec: openRow(t, row), Env: env, Params: txn.Params{}.WithDefaults()}), env: env}
}

// starts begins a 2FI transaction that reads and may write these keys, and writes "v" to each.
func (d *fixedSetTest) starts(gives func(rows []txn.Row) ([]txn.Write, bool), keys ...txn.Key) *pendingCommit {
	d.Coordinator.commits.prepareFixedSet(d.begin(Start{Age: txn.Age{Priority: txn.PriorityHigh}}), &Request{
		Op: OpFixedSet, Read: txn.Read{Gets: keys}, FixedSet: keys, Then: gives, Done: func(r Response) { d.got = append(d.got, r) },
	})
	for _, k := range d.commits.all { // order: the only one
		if k.fixedSet != nil {
			return k
		}
	}
	return nil
}

// prepares returns the sent Prepares, by shard.
func (d *fixedSetTest) prepares() map[txn.ShardID]*txn.Prepare {
	out := map[txn.ShardID]*txn.Prepare{}
	for _, m := range d.env.sent {
		if m.Prepare != nil {
			out[m.Prepare.Shard] = m.Prepare
		}
	}
	return out
}

func writesAll(rows []txn.Row) (out []txn.Write, ok bool) {
	for _, r := range rows {
		out = append(out, txn.Write{Key: r.Key, Value: []byte("v")})
	}
	return out, true
}

// Keys are divided among the shards, all parts have one arrival time, and each has the others'
// parts where conditional votes need them.
func TestAFixedSetIsDividedByShardWithArrivalTimes(t *testing.T) {
	for _, row := range []string{"carousel-basic", "natto-pa", "natto-cp"} {
		d := newFixedSetTest(t, row)
		d.starts(writesAll, "b", "n", "c")
		sent := d.prepares()
		if len(sent) != 2 || !slices.Equal(sent[2].FixedSet.Reads, []txn.Key{"b", "c"}) || len(sent[3].Writes) != 1 {
			t.Fatalf("%s: sent are %+v", row, sent)
		}
		want := int64(time.Second + 10*time.Millisecond + d.cfg.Params.ArrivalMargin)
		if row == "carousel-basic" {
			want = 0
		}
		for _, p := range sent { // order: independent parts
			if p.FixedSet.ArrivalTime != want || (p.FixedSet.Ends > want) != (want > 0) {
				t.Errorf("%s: it is stamped %d, and ends at %d", row, p.FixedSet.ArrivalTime, p.FixedSet.Ends)
			}
			if parts := p.FixedSet.Parts; (len(parts) == 1) != (row == "natto-cp") || len(parts) > 0 && parts[0].Arrives != int64(time.Second+10*time.Millisecond) {
				t.Errorf("%s: parts of the other shards %+v", row, parts)
			}
		}
	}
}

// A gateway waits longer by the time for which a leader delays its part.
func TestADelayedPartIsNotSilent(t *testing.T) {
	asksAfter := func(ahead time.Duration) time.Duration {
		d := newFixedSetTest(t, "natto-pa")
		d.env.ahead = map[txn.NodeID]time.Duration{3: ahead}
		k := d.starts(writesAll, "b", "n")
		if k == nil || k.Decided() {
			t.Fatal("nothing was begun")
		}
		for i := 0; k.AwaitsVotes(); i++ {
			if i == 100 {
				t.Fatal("the gateway waits without end")
			}
			d.env.mono = k.NextWake()
			k.Wake()
		}
		return d.env.mono
	}
	const ahead = 800 * time.Millisecond
	if longer := asksAfter(ahead) - asksAfter(0); longer < ahead/2 {
		t.Errorf("where a clock is %v ahead of another the gateway is patient for %v longer", ahead, longer)
	}
}

// The client's function runs once, when all rows have arrived: a reply that does not match the
// request is ignored.
func TestWritesAreMadeOfAllRows(t *testing.T) {
	d := newFixedSetTest(t, "natto-pa")
	var saw []txn.Row
	runs := 0
	k := d.starts(func(rows []txn.Row) ([]txn.Write, bool) {
		runs++
		saw = rows
		return writesAll(rows)
	}, "b", "n", "c")
	served := func(s txn.ShardID, keys ...txn.Key) {
		m := &txn.FixedSetReads{Shard: s, Attempt: k.ID}
		for _, key := range keys {
			m.Rows = append(m.Rows, txn.Row{Key: key, Value: []byte(key)})
		}
		d.commits.onFixedSetReads(m)
	}
	served(2, "b")      // one too few
	served(2, "b", "d") // another row
	served(4, "n")      // another shard
	served(3, "n")
	if runs != 0 {
		t.Fatal("writes are made before all is read")
	}
	served(2, "b", "c")
	served(2, "b", "c")
	if runs != 1 || len(saw) != 3 || saw[0].Key != "b" || saw[1].Key != "n" || saw[2].Key != "c" || !decide.Supplied(k.Attempt) {
		t.Errorf("it ran %d times, over %+v", runs, saw)
	}
}

// A read-only 2FI transaction is voted on as it is read where its answer waits for decisions like
// others'; elsewhere it is only read.
func TestAFixedSetReadIsVotedOn(t *testing.T) {
	for _, ends := range []protocol.ReadOnly{protocol.ByLease, protocol.AsOthers} {
		d := newFixedSetTest(t, "natto-recsf")
		d.cfg.Spec.ReadOnly = ends
		d.run(d.begin(Start{ReadOnly: true}), &Request{Op: OpFixedSet, Read: txn.Read{Gets: []txn.Key{"b", "n"}}, Then: func(rows []txn.Row) ([]txn.Write, bool) {
			return nil, len(rows) == 2
		}, Done: func(r Response) { d.got = append(d.got, r) }})
		sent := d.prepares()
		if votes := len(sent) == 2; votes != (ends == protocol.AsOthers) {
			t.Fatalf("%v: asked for votes: %v", ends, votes)
		}
		if ends == protocol.ByLease {
			continue
		}
		a := sent[2].Attempt
		d.commits.onFixedSetReads(&txn.FixedSetReads{Shard: 2, Attempt: a, Rows: []txn.Row{{Key: "b"}}})
		d.commits.onFixedSetReads(&txn.FixedSetReads{Shard: 3, Attempt: a, Rows: []txn.Row{{Key: "n"}}})
		d.commits.rule(a, decide.LogAnswer{Known: true, Commit: true})
		for _, s := range []txn.ShardID{2, 3} {
			if len(d.got) > 0 {
				t.Fatal("its client is answered before all have voted")
			}
			d.commits.vote(1, &txn.Message{Vote: &txn.Vote{Shard: s, Attempt: a, Yes: true, Proposed: 5}})
		}
		if len(d.got) != 1 || d.got[0].Err != nil {
			t.Errorf("its client receives %+v", d.got)
		}
	}
}

// A write of an undeclared key is refused, and a client that declines is answered.
func TestAFixedSetTransactionIsDeclined(t *testing.T) {
	d := newFixedSetTest(t, "natto-pa")
	k := d.starts(func([]txn.Row) ([]txn.Write, bool) { return nil, false }, "b")
	d.commits.onFixedSetReads(&txn.FixedSetReads{Shard: 2, Attempt: k.ID, Rows: []txn.Row{{Key: "b"}}})
	if len(d.got) != 1 || !d.got[0].Declined || d.got[0].Err != nil {
		t.Errorf("its client receives %+v", d.got)
	}
}

// A forwarded read is answered by the coordinator of the attempt it waits for when the attempt has
// committed: with its writes over the former rows, and not if it aborts.
func TestAForwardedReadIsAnswered(t *testing.T) {
	for _, commit := range []bool{true, false} {
		for _, early := range []bool{true, false} {
			d := newFixedSetTest(t, "natto-recsf")
			k := d.starts(func([]txn.Row) ([]txn.Write, bool) {
				return []txn.Write{{Key: "b", Value: []byte("new")}, {Key: "c"}}, true
			}, "b", "c")
			d.commits.onFixedSetReads(&txn.FixedSetReads{Shard: 2, Attempt: k.ID, Rows: []txn.Row{{Key: "b"}, {Key: "c"}}})
			old := txn.Version{Seq: 3}
			ask := func() {
				onForward(d.commits, &txn.Forward{Shard: 2, Attempt: k.ID, Reader: txn.Attempt{Node: 9}, Rows: []txn.Row{
					{Key: "c", Value: []byte("old"), Version: old}, {Key: "b", Value: []byte("old"), Version: old}, {Key: "k", Value: []byte("old"), Version: old}}})
			}
			if early {
				ask()
			}
			d.commits.rule(k.ID, decide.LogAnswer{Known: true, Commit: true})
			d.env.sent = nil
			d.commits.vote(1, &txn.Message{Vote: &txn.Vote{Shard: 2, Attempt: k.ID, Yes: commit, Proposed: 5, Refused: txn.KindAborted}})
			if !early {
				ask()
			}
			var got *txn.FixedSetReads
			for _, m := range d.env.sent {
				if m.FixedSetReads != nil {
					got = m.FixedSetReads
				}
			}
			if (got != nil) != commit {
				t.Fatalf("commit %v, asked early %v: answered %+v", commit, early, got)
			}
			if commit && (got.Attempt.Node != 9 || got.Rows[0].Value != nil || got.Rows[0].Version != (txn.Version{}) || string(got.Rows[1].Value) != "new" ||
				got.Rows[1].Version != k.ID || string(got.Rows[2].Value) != "old" || got.Rows[2].Version != old) {
				t.Errorf("asked early %v: answered %+v", early, got)
			}
		}
	}
}

// An update whose keys are known before it reads runs as a 2FI transaction, with its client's
// priority; if the client declines the rows that transaction is over, and any other continues as
// after a read.
func TestAnUpdateByKeyRunsAsAFixedSet(t *testing.T) {
	for _, c := range []struct {
		spec     string
		keys     []txn.Key
		fixedSet bool
	}{
		{"natto-recsf", []txn.Key{"b"}, true}, {"natto-recsf", nil, false}, {"2pc+occ-nro", []txn.Key{"b"}, false},
	} {
		d := newFixedSetTest(t, c.spec)
		d.Submit(&Request{Op: OpUpdate, From: Start{Age: txn.Age{Priority: txn.PriorityHigh}}, Read: txn.Read{Gets: []txn.Key{"b"}, ForWrite: true}, FixedSet: c.keys,
			Then: func([]txn.Row) ([]txn.Write, bool) { return nil, false }, Done: func(r Response) { d.got = append(d.got, r) }})
		p := d.prepares()[2]
		if (p != nil) != c.fixedSet {
			t.Fatalf("%s, declaring %q: sent are %+v", c.spec, c.keys, d.env.sent)
		}
		if !c.fixedSet {
			continue
		}
		if p.FixedSet == nil || p.FixedSet.ArrivalTime == 0 || p.Age.Priority != txn.PriorityHigh {
			t.Errorf("sent is %+v", p)
		}
		d.commits.onFixedSetReads(&txn.FixedSetReads{Shard: 2, Attempt: p.Attempt, Rows: []txn.Row{{Key: "b"}}})
		if len(d.got) != 1 || !d.got[0].Declined || !d.got[0].Over {
			t.Errorf("its client receives %+v", d.got)
		}
	}
}
