package coordinator

import (
	"slices"
	"testing"

	"isochron/routing"
	"isochron/txn"
)

// openLeased is a gateway under row leases, of two shards.
func openLeased(t *testing.T) (*Coordinator, *fakeEnv) {
	t.Helper()
	env := &fakeEnv{dir: &routing.Directory{}}
	env.dir.AddRange("\x10", 2)
	env.dir.AddRange("\x20", 3)
	return New(Config{Self: 1, Spec: openRow(t, "r4+sundial"), Env: env, Params: txn.Params{}.WithDefaults()}), env
}

// commitsLeased requests a commit, and answers its first locks with leases that end at 9 and 3.
func commitsLeased(c *Coordinator, env *fakeEnv, t *transaction, keys ...txn.Key) (asked, locked int, at []txn.Timestamp) {
	c.txns[t.id] = t
	req := &Request{Op: OpCommit, Txn: t.id, Done: func(Response) {}}
	for _, k := range keys {
		req.Writes = append(req.Writes, txn.Write{Key: k, Value: []byte("1")})
	}
	from := len(env.sent)
	c.commit(t, req, req.Writes)
	ends := map[txn.ShardID]txn.Timestamp{2: 9, 3: 3}
	for _, m := range slices.Clone(env.sent[from:]) {
		if a := m.Access; a != nil && a.Lock == txn.LockExclusive {
			locked++
			reply := &txn.AccessReply{Request: a.Request, Shard: a.Shard, Term: 1}
			for _, k := range a.Keys {
				reply.Rows = append(reply.Rows, txn.Row{Key: k})
				reply.Leases = append(reply.Leases, txn.Lease{From: 2, Until: ends[a.Shard], Term: 1})
			}
			c.Deliver(1, &txn.Message{AccessReply: reply})
		}
	}
	for _, m := range env.sent[from:] {
		if p := m.Prepare; p != nil {
			asked++
			if at = append(at, p.At); len(p.Leases) != len(p.Reads) {
				panic("a read without its lease")
			}
		}
	}
	return asked, locked, at
}

// A commit over several shards first locks its writes, and is above the leases in the replies, at
// one timestamp everywhere; a single shard handles that itself.
func TestACommitIsAboveLeases(t *testing.T) {
	for _, x := range []struct {
		what   string
		keys   []txn.Key
		has    leases // of earlier reads
		other  bool   // some of these are at the second shard
		behind txn.Timestamp
		locked int
		at     []txn.Timestamp
	}{
		{"one shard", []txn.Key{"\x10a", "\x10b"}, leases{}, false, 0, 0, []txn.Timestamp{1}},
		{"one shard, and a read that begins late", []txn.Key{"\x10a"}, leases{from: 20}, false, 0, 0, []txn.Timestamp{20}},
		{"one shard, and one that is read", []txn.Key{"\x10a"}, leases{}, true, 0, 1, []txn.Timestamp{10}},
		{"two shards", []txn.Key{"\x10a", "\x20a"}, leases{}, false, 0, 2, []txn.Timestamp{10, 10}},
		{"two shards, and a read that begins late", []txn.Key{"\x10a", "\x20a"}, leases{from: 20}, false, 0, 2, []txn.Timestamp{20, 20}},
		{"after one that was behind", []txn.Key{"\x10a", "\x20a"}, leases{}, false, 30, 2, []txn.Timestamp{30, 30}},
	} {
		c, env := openLeased(t)
		has := x.has
		has.rows = map[txn.Key]txn.Lease{}
		open := &transaction{id: txn.ID{Node: 1, Seq: 1}, level: txn.Serializable, leases: &has}
		if x.other {
			open.touches(3)
		}
		c.commits.vote(1, &txn.Message{Vote: &txn.Vote{Proposed: x.behind}})
		c.commits.vote(1, &txn.Message{Vote: &txn.Vote{Proposed: 99, Yes: true}})
		asked, locked, at := commitsLeased(c, env, open, x.keys...)
		if asked != len(x.at) || locked != x.locked || !slices.Equal(at, x.at) {
			t.Errorf("%s: %d locked and %d asked, at %v; want %d, at %v", x.what, locked, asked, at, x.locked, x.at)
		}
	}
}

// Of two leases of a row the later counts, no version read begins after the commit, and a range
// that was locked is written above all leases of its shard.
func TestLeasesInReplies(t *testing.T) {
	open := &transaction{}
	open.observeLeases(&shardRequest{access: &txn.Access{}}, &txn.AccessReply{Rows: []txn.Row{{Key: "x"}}})
	if open.leases != nil {
		t.Error("there are leases without any reply")
	}
	for i, c := range []struct {
		lock  txn.Lock
		reply txn.AccessReply
		from  txn.Timestamp
	}{
		{txn.LockNone, txn.AccessReply{Rows: []txn.Row{{Key: "x"}}, Leases: []txn.Lease{{From: 5, Until: 7}}}, 5},
		{txn.LockNone, txn.AccessReply{Rows: []txn.Row{{Key: "x"}}, Leases: []txn.Lease{{From: 4, Until: 9}}}, 5},
		{txn.LockShared, txn.AccessReply{Leased: 12}, 12},
		{txn.LockExclusive, txn.AccessReply{Leased: 12}, 13},
	} {
		open.observeLeases(&shardRequest{access: &txn.Access{Lock: c.lock}}, &c.reply)
		if open.leases.from != c.from {
			t.Errorf("answer %d: the commit is not before %d, want %d", i, open.leases.from, c.from)
		}
	}
	if got := open.leases.rows["x"].Until; got != 9 {
		t.Errorf("the lease ends at %d", got)
	}
}
