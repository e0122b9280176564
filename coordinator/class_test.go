package coordinator

import (
	"testing"

	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// openReserving is a gateway where rows are reserved; shards 2 and 8 are led from one region, 5 and
// 9 from others.
func openReserving(t *testing.T) (*gateway, *spread) {
	t.Helper()
	g, env := openSpread(t)
	row, err := protocol.ByName("r4+gdcc")
	if err != nil {
		t.Fatal(err)
	}
	g.goBy(row)
	for id, region := range map[uint32]string{2: "home", 8: "home", 5: "far", 9: "farther"} { // order: each by itself
		env.dir.Nodes = append(env.dir.Nodes, routing.Node{ID: id, Region: region})
	}
	return g, env
}

// read has a transaction read rows of these shards, answers, and is what was asked.
func (g *gateway) readAt(env *spread, of txn.ID, from Start, shards ...uint64) (id txn.ID, age txn.Age, sent []txn.Message) {
	var gets []txn.Key
	for _, s := range shards {
		gets = append(gets, rowOf(s))
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

// A transaction is of a single region while it touches leaders of one, and reserves nothing; with
// the first of a second region it is of several, reserves what it reads and what it has read, and
// stays so. What it reserved is let go with it, and its next try is of several from the beginning.
func TestClassIsFoundOut(t *testing.T) {
	g, env := openReserving(t)
	id, _, _ := g.readAt(env, txn.ID{}, Start{}, 2)
	id, age, sent := g.readAt(env, id, Start{}, 8)
	if age.Rank.Several() || len(sent) != 1 || sent[0].Access.Reserves {
		t.Fatalf("of a single region: %+v, asked %+v", age, sent)
	}
	id, age, sent = g.readAt(env, id, Start{}, 5)
	if age.Rank != 1 || len(sent) != 3 {
		t.Fatalf("of two regions: %+v, sent %+v", age, sent)
	}
	for i, s := range []uint64{2, 8} {
		if r := sent[i].Reserve; r == nil || r.Shard != txn.ShardID(s) || len(r.Keys) != 1 || r.Keys[0] != rowOf(s) || r.Age != age {
			t.Errorf("what it has read at shard %d is not reserved: %+v", s, sent[i])
		}
	}
	if a := sent[2].Access; a == nil || !a.Reserves || a.Age != age {
		t.Errorf("what it reads is not reserved: %+v", sent[2])
	}
	env.sent = nil
	g.Submit(&Request{Op: OpEnd, Txn: id})
	if len(env.sent) != 3 || env.sent[0].Release == nil {
		t.Errorf("rolled back, and sent %+v", env.sent)
	}
	for try, want := range map[int]txn.Rank{1: 1, 2: 2, 3: 2, 4: 3, 10_000: 255} { // order: each by itself
		if _, age, sent := g.readAt(env, txn.ID{}, Start{Age: age, Try: try}, 2); age.Rank != want || !sent[0].Access.Reserves {
			t.Errorf("try %d has %+v, want priority %d", try, age, want)
		}
	}
}

// What reads at once in two regions is of several from the beginning; what locks, or reads for
// good, reserves nothing; what writes in a second region is of several at its vote.
func TestWhatIsReserved(t *testing.T) {
	g, env := openReserving(t)
	_, _, sent := g.readAt(env, txn.ID{}, Start{}, 2, 9)
	if len(sent) != 2 || !sent[0].Access.Reserves || !sent[1].Access.Reserves {
		t.Errorf("asked %+v", sent)
	}
	env.sent = nil
	g.Submit(&Request{Op: OpRead, Read: txn.Read{Gets: []txn.Key{rowOf(2), rowOf(5)}, Lock: txn.LockExclusive}, Done: func(Response) {}})
	g.Submit(&Request{Op: OpRead, Read: txn.Read{Gets: []txn.Key{rowOf(2)}, Final: true}, Done: func(Response) {}})
	for _, m := range env.sent {
		if m.Access.Reserves {
			t.Errorf("reserves: %+v", m.Access)
		}
	}
	id, _, _ := g.readAt(env, txn.ID{}, Start{}, 2)
	env.sent = nil
	g.Submit(&Request{Op: OpCommit, Txn: id, Writes: []txn.Write{{Key: rowOf(2)}, {Key: rowOf(5)}}, Done: func(Response) {}})
	if len(env.sent) != 2 {
		t.Fatalf("asked %+v", env.sent)
	}
	for _, m := range env.sent {
		if m.Prepare == nil || m.Prepare.Age.Rank != 1 {
			t.Errorf("a vote is asked with %+v", m.Prepare)
		}
	}
}

// Where rows are reserved nobody locks because it has lost too often.
func TestWhoReservesLocksNothing(t *testing.T) {
	g, env := openReserving(t)
	if _, _, sent := g.readAt(env, txn.ID{}, Start{Try: 50}, 2); sent[0].Access.Lock != txn.LockNone {
		t.Errorf("asked %+v", sent[0].Access)
	}
	g.goBy(openRow(t, "r4"))
	if _, _, sent := g.readAt(env, txn.ID{}, Start{Try: 50}, 2, 5); sent[0].Access.Lock == txn.LockNone || sent[0].Access.Reserves {
		t.Errorf("elsewhere: asked %+v", sent[0].Access)
	}
}
