package coordinator

import (
	"fmt"
	"testing"
	"time"

	"isochron/routing"
	"isochron/txn"
)

// warmEnv is a gateway on node 1. Node 2 leads shard 2 nearby, nodes 5 and 8 far away shards 5 and
// 8; of shard 5 there is a replica here, of 8 one at node 3, and of shard 6, which node 6 leads,
// one farther than its leader.
type warmEnv struct{ *spread }

func (e *warmEnv) Wide(n txn.NodeID) bool { return n > 2 }
func (e *warmEnv) Nearest(s txn.ShardID) txn.NodeID {
	return map[txn.ShardID]txn.NodeID{2: 1, 5: 1, 8: 3, 6: 7}[s]
}

func openWarm(t *testing.T) (*gateway, *spread) {
	t.Helper()
	env := &spread{}
	g := openGatewayIn(t, func(e *clocked) Env {
		env.clocked = e
		return &warmEnv{env}
	})
	g.useProtocol(openRow(t, "r4+gams"))
	env.dir = &routing.Directory{Epoch: 1}
	for _, s := range []uint64{2, 5, 6, 8} {
		replicas := map[uint64][]uint32{2: {1, 2}, 5: {1, 5}, 6: {6, 7}, 8: {3, 8}}[s]
		env.dir.Shards = append(env.dir.Shards, routing.Shard{ID: s, Replicas: replicas})
		env.dir.AddRange(routing.TablePrefix(s), s)
	}
	return g, env
}

func named(s uint64, name string) txn.Key { return txn.Key(routing.TablePrefix(s) + name) }

// heat updates a row four times in two seconds.
func heat(g *gateway, k txn.Key) {
	for range 5 {
		g.Applied([]txn.Write{{Key: k}})
		g.env.now += 500 * time.Millisecond
	}
}

// reads are the nodes and rows of a round's requests: node:rows, and whether any replica will do.
func (g *gateway) reads(env *spread, read txn.Read) (asked []string) {
	at := len(env.sent)
	g.Submit(&Request{Op: OpRead, Read: read, Done: func(Response) {}})
	for i, m := range env.sent[at:] {
		if a := m.Access; a != nil {
			asked = append(asked, fmt.Sprintf("%d:%d near=%v", env.to[len(env.to)-len(env.sent[at:])+i], len(a.Keys)+len(a.Scans), a.Nearest))
		}
	}
	return asked
}

// Records updated often are read at their leader, all others of the same shard near, in one round;
// a record that has cooled is read near again.
func TestWarmRowsAreReadAtTheirLeader(t *testing.T) {
	g, env := openWarm(t)
	read := txn.Read{Gets: []txn.Key{named(5, "cold"), named(5, "warm"), named(5, "cool")}}
	want := func(when string, read txn.Read, want ...string) {
		t.Helper()
		if got := g.reads(env, read); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, not %v", when, got, want)
		}
	}
	want("nothing is warm", read, "1:3 near=true")
	heat(g, named(5, "warm"))
	want("one is warm", read, "1:2 near=true", "5:1 near=false")
	scan := func(from, to string) txn.Read {
		return txn.Read{Scans: []txn.Scan{{Span: txn.Span{Start: named(5, from), End: named(5, to)}}}}
	}
	want("in a range", scan("v", "x"), "5:1 near=false")
	want("beside a range", scan("x", "z"), "1:1 near=true")
	final := read
	final.OnlyRead = true
	want("where one leader may answer for good", final, "5:3 near=false")
	locked := read
	locked.Lock = txn.LockShared
	want("with locks", locked, "5:3 near=false")
	g.env.now += time.Minute
	want("a minute later", read, "1:3 near=true")
}

// Where a near read would save nothing, all reads are at leaders.
func TestNearReadsMustSaveTime(t *testing.T) {
	g, env := openWarm(t)
	for s, want := range map[uint64]string{2: "[2:1 near=false]", 6: "[6:1 near=false]", 5: "[1:1 near=true]", 8: "[3:1 near=true]"} {
		if got := fmt.Sprint(g.reads(env, txn.Read{Gets: []txn.Key{named(s, "k")}})); got != want {
			t.Errorf("shard %d: %s, not %s", s, got, want)
		}
	}
}

// A reply contains the temperatures of its rows, if no replica of theirs is at the gateway, and the
// gateway uses them.
func TestRepliesContainTemperatures(t *testing.T) {
	g, env := openWarm(t)
	other, _ := openWarm(t)
	heat(other, named(8, "warm"))
	ask := func(s uint64) *txn.Access {
		at := len(env.sent)
		g.Submit(&Request{Op: OpRead, Read: txn.Read{Gets: []txn.Key{named(s, "cold"), named(s, "warm")}}, Done: func(Response) {}})
		return env.sent[at].Access
	}
	if a := ask(5); a.Temperatures {
		t.Error("it requests temperatures that it counts itself")
	}
	a := ask(8)
	if !a.Temperatures || !a.Nearest {
		t.Fatalf("it asks %+v", a)
	}
	warm := other.Warm(a)
	if len(warm) != 1 || warm[0].Key != named(8, "warm") || warm[0].MilliUpdates == 0 {
		t.Fatalf("it receives %+v", warm)
	}
	if in := other.Warm(&txn.Access{Scans: []txn.Scan{{Span: txn.Span{Start: named(8, ""), End: named(8, "z")}}}}); len(in) != 1 || in[0] != warm[0] {
		t.Errorf("for a range it receives %+v", in)
	}
	g.Deliver(3, &txn.Message{AccessReply: &txn.AccessReply{Shard: 8, Request: a.Request, Warm: warm, Rows: []txn.Row{{Key: a.Keys[0]}, {Key: a.Keys[1]}}}})
	if next := ask(8); !next.Nearest || len(next.Keys) != 1 {
		t.Errorf("cold records: %+v", next)
	}
	if last := env.sent[len(env.sent)-1].Access; last.Nearest || len(last.Keys) != 1 || !last.Temperatures {
		t.Errorf("warm records: %+v", last)
	}
}

// A reply contains at most WarmMax rows, and no more are used.
func TestTemperaturesInRepliesAreBounded(t *testing.T) {
	g, _ := openWarm(t)
	var keys []txn.Key
	for i := range 2 * txn.WarmMax {
		keys = append(keys, named(8, fmt.Sprint(i)))
		for range 2 {
			g.Applied([]txn.Write{{Key: keys[i]}})
		}
	}
	if got := len(g.Warm(&txn.Access{Keys: keys})); got != txn.WarmMax {
		t.Errorf("%d rows in the reply", got)
	}
	if got := len(g.Warm(&txn.Access{Scans: []txn.Scan{{Span: txn.Span{Start: named(8, ""), End: named(9, "")}}, {}}})); got != txn.WarmMax {
		t.Errorf("%d rows of ranges in the reply", got)
	}
	before, _ := g.Temperatures()
	reply := &txn.AccessReply{}
	for i := range 2 * txn.WarmMax {
		reply.Warm = append(reply.Warm, txn.WarmKey{Key: named(8, fmt.Sprint("new", i)), MilliUpdates: 1})
	}
	g.temperatures.observe(reply)
	if after, _ := g.Temperatures(); after != before+txn.WarmMax {
		t.Errorf("%d rows were known, and are %d", before, after)
	}
}

// Tries with reads led elsewhere move the threshold, once each, lost ones down; tries within their
// region, or rolled back by their client, do not.
func TestTriesMoveTheThreshold(t *testing.T) {
	lost := txn.Errorf(txn.KindAborted, "lost").Because(txn.CauseValidation)
	for _, c := range []struct {
		at   uint64
		err  *txn.Error
		want int64
	}{
		{5, nil, 1250}, {5, lost, 500}, {2, nil, 1000}, {2, lost, 1000}, {5, rolledBack(txn.CauseClient), 1000},
	} {
		g, _ := openWarm(t)
		for range 20 {
			g.env.now += 60 * time.Millisecond
			req := &Request{Op: OpRead, Read: txn.Read{Gets: []txn.Key{named(c.at, "k")}}, Done: func(Response) {}}
			g.Submit(req)
			one := g.txns[req.begun]
			g.left(one, c.err)
			g.left(one, lost)
		}
		if _, got := g.Temperatures(); got != c.want {
			t.Errorf("shard %d, %v: the threshold is %d, not %d", c.at, c.err, got, c.want)
		}
	}
}

// Protocols with other read policies keep no temperatures.
func TestOtherProtocolsKeepNoTemperatures(t *testing.T) {
	g, env := openWarm(t)
	heat(g, named(5, "k"))
	g.useProtocol(openRow(t, "2pc+occ"))
	heat(g, named(5, "k"))
	if records, threshold := g.Temperatures(); records != 0 || threshold != 0 {
		t.Errorf("it knows %d records, and has a threshold of %d", records, threshold)
	}
	g.reads(env, txn.Read{Gets: []txn.Key{named(8, "k")}})
	if a := env.sent[len(env.sent)-1].Access; a.Temperatures {
		t.Error("it asks for temperatures")
	}
	if g.Warm(&txn.Access{Keys: []txn.Key{named(5, "k")}}) != nil {
		t.Error("a reply contains temperatures")
	}
}
