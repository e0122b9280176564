package coordinator

import (
	"testing"

	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// openReserving is a gateway under reservations; shards 2 and 8 are led from one region, 5 and 9
// from others.
func openReserving(t *testing.T) (*gateway, *spread) {
	t.Helper()
	g, env := openSpread(t)
	spec, err := protocol.ByName("r4+gdcc")
	if err != nil {
		t.Fatal(err)
	}
	g.useProtocol(spec)
	for id, region := range map[uint32]string{2: "home", 8: "home", 5: "far", 9: "farther"} { // order: independent cases
		env.dir.Nodes = append(env.dir.Nodes, routing.Node{ID: id, Region: region})
	}
	return g, env
}

// read makes a transaction read rows of these shards, answers, and returns the requests.
func (g *gateway) readAt(env *spread, of txn.ID, from Start, shards ...uint64) (id txn.ID, age txn.Age, sent []txn.Message) {
	var gets []txn.Key
	for _, s := range shards {
		gets = append(gets, specOf(s))
	}
	env.sent = nil
	g.Submit(&Request{Op: OpRead, Txn: of, From: from, Read: txn.Read{Gets: gets}, Done: func(r Response) { id, age = r.Txn, r.Age }})
	sent, env.sent = env.sent, nil
	for _, m := range sent {
		if a := m.Access; a != nil {
			rows := make([]txn.Row, len(a.Keys))
			for i, k := range a.Keys {
				rows[i].Key = k
			}
			g.Deliver(txn.NodeID(a.Shard), &txn.Message{AccessReply: &txn.AccessReply{Shard: a.Shard, Request: a.Request, Term: 1, Rows: rows}})
		}
	}
	return id, age, sent
}

// A transaction is single-region while it touches leaders of one region, and reserves nothing; with
// the first of a second region it becomes multi-region, reserves the rows that it reads and has
// read, and stays so. Its reservations end with it, and its next try is multi-region from the
// start.
func TestRegionClassIsDetected(t *testing.T) {
	g, env := openReserving(t)
	id, _, _ := g.readAt(env, txn.ID{}, Start{}, 2)
	id, age, sent := g.readAt(env, id, Start{}, 8)
	if age.Region.MultiRegion() || len(sent) != 1 || sent[0].Access.Reserves {
		t.Fatalf("of a single region: %+v, asked %+v", age, sent)
	}
	id, age, sent = g.readAt(env, id, Start{}, 5)
	if age.Region != 1 || len(sent) != 3 {
		t.Fatalf("of two regions: %+v, sent %+v", age, sent)
	}
	for i, s := range []uint64{2, 8} {
		if r := sent[i].Reserve; r == nil || r.Shard != txn.ShardID(s) || len(r.Keys) != 1 || r.Keys[0] != specOf(s) || r.Age != age {
			t.Errorf("its earlier read at shard %d is not reserved: %+v", s, sent[i])
		}
	}
	if a := sent[2].Access; a == nil || !a.Reserves || a.Age != age {
		t.Errorf("its read is not reserved: %+v", sent[2])
	}
	env.sent = nil
	g.Submit(&Request{Op: OpEnd, Txn: id})
	if len(env.sent) != 3 || env.sent[0].Release == nil {
		t.Errorf("rolled back, and sent %+v", env.sent)
	}
	for try, want := range map[int]txn.RegionPriority{1: 1, 2: 2, 3: 2, 4: 3, 10_000: 255} { // order: independent cases
		if _, age, sent := g.readAt(env, txn.ID{}, Start{Age: age, Try: try}, 2); age.Region != want || !sent[0].Access.Reserves {
			t.Errorf("try %d has %+v, want priority %d", try, age, want)
		}
	}
}

// A first round in two regions is multi-region from the start; locking reads, and reads without a
// vote, reserve nothing; a write in a second region makes the vote multi-region.
func TestWhichReadsAreReserved(t *testing.T) {
	g, env := openReserving(t)
	_, _, sent := g.readAt(env, txn.ID{}, Start{}, 2, 9)
	if len(sent) != 2 || !sent[0].Access.Reserves || !sent[1].Access.Reserves {
		t.Errorf("asked %+v", sent)
	}
	env.sent = nil
	g.Submit(&Request{Op: OpRead, Read: txn.Read{Gets: []txn.Key{specOf(2), specOf(5)}, Lock: txn.LockExclusive}, Done: func(Response) {}})
	g.Submit(&Request{Op: OpRead, Read: txn.Read{Gets: []txn.Key{specOf(2)}, OnlyRead: true}, Done: func(Response) {}})
	for _, m := range env.sent {
		if m.Access.Reserves {
			t.Errorf("reserves: %+v", m.Access)
		}
	}
	id, _, _ := g.readAt(env, txn.ID{}, Start{}, 2)
	env.sent = nil
	g.Submit(&Request{Op: OpCommit, Txn: id, Writes: []txn.Write{{Key: specOf(2)}, {Key: specOf(5)}}, Done: func(Response) {}})
	if len(env.sent) != 2 {
		t.Fatalf("asked %+v", env.sent)
	}
	for _, m := range env.sent {
		if m.Prepare == nil || m.Prepare.Age.Region != 1 {
			t.Errorf("a vote is asked with %+v", m.Prepare)
		}
	}
}

// A transaction that reserves never locks because of losses. A single-region one far from its
// gateway does, under reservations as elsewhere: nothing else makes younger ones of its class
// abort.
func TestReservingTransactionsLockNothing(t *testing.T) {
	several, high := txn.Age{Start: 1, Region: 1}, txn.Age{Priority: txn.PriorityHigh}
	for _, c := range []struct {
		spec  string
		at    string // the gateway's region
		from  Start
		reads []uint64
		lock  txn.Lock
	}{
		{"r4+gdcc", "away", Start{Age: several, Try: 50}, []uint64{2}, txn.LockNone},
		{"r4+gdcc", "away", Start{Try: 50}, []uint64{2, 5}, txn.LockShared}, // becomes multi-region
		{"r4+gdcc", "away", Start{Try: 2}, []uint64{2}, txn.LockNone},
		{"r4+gdcc", "away", Start{Try: 3}, []uint64{2}, txn.LockShared},
		{"r4+gdcc", "away", Start{Age: high}, []uint64{2}, txn.LockShared},
		{"bonspiel", "away", Start{Try: 3}, []uint64{2}, txn.LockShared},
		{"bonspiel+wait-die", "away", Start{Try: 3}, []uint64{2}, txn.LockShared},
		{"r4+gdcc", "home", Start{Try: 50}, []uint64{2}, txn.LockNone},
		{"r4+gdcc", "home", Start{Age: high}, []uint64{2}, txn.LockNone},
		{"r4", "away", Start{Age: several, Try: 50}, []uint64{2, 5}, txn.LockShared},
		{"r4", "home", Start{Try: 3}, []uint64{2}, txn.LockShared},
	} {
		g, env := openReserving(t)
		env.dir.Nodes = append(env.dir.Nodes, routing.Node{ID: 1, Region: c.at})
		g.useProtocol(openRow(t, c.spec))
		_, _, sent := g.readAt(env, txn.ID{}, c.from, c.reads...)
		for _, m := range sent {
			if a := m.Access; a.Lock != c.lock || a.Reserves != (c.spec != "r4" && c.from.Age.Region.MultiRegion()) {
				t.Errorf("%s %s, %+v: asked %+v, want lock %v", c.spec, c.at, c.from, a, c.lock)
			}
		}
	}
}

// Blind writes are locked first by the same rule.
func TestFarWritesAreLockedFirst(t *testing.T) {
	for at, want := range map[string]bool{"away": true, "home": false} {
		g, env := openReserving(t)
		env.dir.Nodes = append(env.dir.Nodes, routing.Node{ID: 1, Region: at})
		env.sent = nil
		g.Submit(&Request{Op: OpCommit, From: Start{Try: 3}, Writes: []txn.Write{{Key: specOf(2)}}, Done: func(Response) {}})
		if a := env.sent[0].Access; (a != nil && a.Lock == txn.LockExclusive) != want {
			t.Errorf("from %s: asked %+v", at, env.sent[0])
		}
	}
}

// A transaction that has locked as single-region informs those leaders of its new rank when it
// touches a second region: otherwise an older single-region one would wound it.
func TestLocksRiseWithTheirClass(t *testing.T) {
	g, env := openReserving(t) // this gateway is in none of their regions
	id, age, sent := g.readAt(env, txn.ID{}, Start{Try: 3}, 2)
	if sent[0].Access.Lock == txn.LockNone || age.Region.MultiRegion() {
		t.Fatalf("asked %+v as %+v", sent[0].Access, age)
	}
	_, age, sent = g.readAt(env, id, Start{}, 5)
	if len(sent) != 2 || sent[0].Reserve == nil || sent[0].Reserve.Shard != 2 || sent[0].Reserve.Age != age || !age.Region.MultiRegion() {
		t.Errorf("of several regions as %+v, sent %+v", age, sent)
	}
}
