package sim

import (
	"context"
	"testing"
	"time"

	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/geo"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
	"isochron/workload"
)

// An entry of an old term may be on a majority's disks and yet be lost (Raft paper, section 5.4.2).
// So a replica must not acknowledge one, and the story shows the consequence: node 2 gives its vote
// to node 1 alone and crashes; node 5 leads for a short time, with the votes of 3 and 4, and writes
// an entry at the same index; node 1 leads next and sends the old entry, and none of its own, to 3.
// Three of five have it now. Then 5 restarts, whose entry is of a later term, and leads with the
// votes of 3 and 4.
func TestAnEntryOfAnOldTermIsNotAcknowledged(t *testing.T) {
	if answer, there := playOldTerm(t, txn.InjectedBugs{}); answer {
		t.Errorf("the commit was acknowledged; the row is there: %v", there)
	}
	if answer, there := playOldTerm(t, txn.InjectedBugs{CountOldAcks: true}); !answer || there {
		t.Errorf("with the bug planted the commit is acknowledged (%v) and lost (there: %v)", answer, there)
	}
}

// oldTerm is the story's network: which of the shard's Raft messages pass.
type oldTerm struct {
	w     *Cluster
	shard txn.ShardID
	deaf  map[txn.NodeID]bool // nothing passes from or to these
	mute  map[txn.NodeID]bool // their requests for votes do not pass
	// lone: this leader's entries reach no node; partial: only those of older terms pass.
	lone, partial txn.NodeID
	only          txn.NodeID // if not 0, entries pass to it alone
}

func playOldTerm(t *testing.T, bugs txn.InjectedBugs) (answer, there bool) {
	t.Helper()
	s, key := newOldTerm(t, bugs)
	defer s.w.Close()
	var err error
	client := s.w.Go(1, func(c *Client) {
		x := c.DB().Begin(txn.Options{})
		x.Put(key, []byte("1"))
		err = x.Commit(context.Background())
	})
	s.only = 1
	s.w.Run(50 * time.Millisecond)
	s.w.host(2).crash(strictly)

	s.only, s.lone, s.deaf = 0, 5, map[txn.NodeID]bool{1: true}
	s.mute = map[txn.NodeID]bool{3: true, 4: true}
	s.leads(t, 5)
	s.w.Run(5 * time.Millisecond) // its entry gets to its disk
	s.w.host(5).crash(strictly)

	s.lone, s.deaf, s.partial, s.only = 0, nil, 1, 3
	s.leads(t, 1)
	s.w.Run(150 * time.Millisecond)
	answer = client.Done() && err == nil
	s.w.host(1).crash(strictly)

	s.partial, s.only = 0, 0
	s.w.host(5).restart()
	s.leads(t, 5)
	s.mute = nil
	s.w.host(1).restart()
	s.w.host(2).restart()
	if !s.w.RunUntil(quietWait, func() bool { return s.w.Ready() && client.Done() && len(s.w.Residue()) == 0 }) {
		t.Fatalf("the cluster does not become quiet: %v\n%v", s.w.Residue(), s.w.Summary())
	}
	value, _, _ := s.w.host(5).node.ReadLocal(key)
	return answer, value != nil
}

func newOldTerm(t *testing.T, bugs txn.InjectedBugs) (*oldTerm, txn.Key) {
	t.Helper()
	wan, err := geo.Parse("azure5")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := protocol.ByName("d2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions)
	shard := dir.EnsureShard(dir.Shards[0].Replicas, string(wan.Regions[1]), 0)
	dir.AddRange(routing.TablePrefix(7), shard)
	params := FaultRunParams(bugs)
	params.CommitWait = time.Minute
	w, err := New(Config{Seed: 1, WAN: wan.Scale(0.1), Spec: spec, Directory: dir, Codec: true, Params: params, Hardware: Hardware{Fsync: 300 * time.Microsecond}})
	if err != nil {
		t.Fatal(err)
	}
	s := &oldTerm{w: w, shard: txn.ShardID(shard)}
	if !w.RunUntil(quietWait, func() bool { return w.Ready() && w.Leader(s.shard) == 2 }) {
		t.Fatal("the cluster does not start")
	}
	w.onSend = s.pass
	return s, txn.Key(routing.TablePrefix(7) + "k")
}

// leads waits until the node is the shard's leader, serving or not.
func (s *oldTerm) leads(t *testing.T, id txn.NodeID) {
	t.Helper()
	is := func() bool {
		for _, st := range s.w.host(id).node.Statuses() {
			if st.Shard == s.shard {
				return st.Role == "StateLeader"
			}
		}
		return false
	}
	if !s.w.RunUntil(quietWait, is) {
		t.Fatalf("node %d does not become leader:\n%v", id, s.w.Summary())
	}
}

// pass decides on a message, and may shorten it, as the bound of a message's size does.
func (s *oldTerm) pass(_ *host, env *txn.Envelope) sendAction {
	r := env.Msg.Raft
	if r == nil || r.Shard != s.shard {
		return leaves
	}
	m := new(raftpb.Message)
	if proto.Unmarshal(r.Data, m) != nil || s.deaf[env.From] || s.deaf[env.To] {
		return heldBack
	}
	switch m.GetType() {
	case raftpb.MsgVote, raftpb.MsgPreVote:
		if s.mute[env.From] {
			return heldBack
		}
	case raftpb.MsgApp:
		if env.From == s.lone || s.only != 0 && env.To != s.only {
			return heldBack
		}
		if env.From == s.partial {
			old := m.Entries[:0]
			for _, e := range m.GetEntries() {
				if e.GetTerm() < m.GetTerm() {
					old = append(old, e)
				}
			}
			m.Entries = old
			short, err := proto.Marshal(m)
			if err != nil {
				return heldBack
			}
			env.Msg.Raft = &txn.Raft{Shard: r.Shard, Data: short, SentNanos: r.SentNanos, EchoNanos: r.EchoNanos}
		}
	}
	return leaves
}
