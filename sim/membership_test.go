package sim

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/coordinator"
	"isochron/node"
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

// desire writes a change of the directory as a client of the first node.
func (h *faultRun) desire(t *testing.T, change func(*routing.Directory) error) {
	t.Helper()
	h.do(t, func(c *Client) {
		if _, err := coordinator.ChangeDirectory(context.Background(), c.DB(), change); err != nil {
			t.Errorf("the directory cannot be changed: %v", err)
		}
	})
}

// until runs the cluster until a condition holds, and fails the test otherwise.
func (h *faultRun) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if !h.w.RunUntil(quietWait, holds) {
		t.Fatalf("%s does not happen:\n%v", what, h.w.Summary())
	}
}

// has reports whether a node has a replica of a shard.
func (h *host) has(id txn.ShardID) bool {
	if h.up() {
		for _, s := range h.node.Statuses() {
			if s.Shard == id {
				return true
			}
		}
	}
	return false
}

// hardState returns Raft's hard state of a shard on a node's disk; rows is the number of keys of
// the shard's state there.
func (h *host) hardState(t *testing.T, id txn.ShardID) (hard *pb.HardState, rows int) {
	t.Helper()
	prefix := binary.BigEndian.AppendUint64([]byte{'s'}, uint64(id))
	hard = new(pb.HardState)
	raw, _ := h.engine.Get(append(prefix[:len(prefix):len(prefix)], 'h'))
	if err := proto.Unmarshal(raw, hard); err != nil {
		t.Fatal(err)
	}
	it := h.engine.Iter(append(prefix[:len(prefix):len(prefix)], 'g'), append(prefix[:len(prefix):len(prefix)], 'h'))
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		rows++
	}
	return hard, rows
}

// A replica is moved off a live node, and drops all but its term and its vote; moved back, it
// starts uninitialized and catches up by a snapshot. Transactions run meanwhile, and none is lost.
func TestAReplicaIsMovedAndMovedBack(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	const moved = txn.ShardID(3) // led by the second node
	home, to := h.w.host(2), h.w.add(h.w.host(1).region)
	clients := h.startClients(h.w.Elapsed() + 2*faultRunLoad)
	settled := func() bool { return h.n.settled() && home.has(moved) != to.has(moved) }

	before, _ := home.hardState(t, moved)
	h.desire(t, func(d *routing.Directory) error {
		if err := d.AddNode(routing.Node{ID: uint32(to.id), Region: string(to.region)}); err != nil {
			return err
		}
		_, err := d.Replace(uint64(moved), uint32(home.id), uint32(to.id))
		return err
	})
	h.until(t, "the replica's leaving", func() bool { return settled() && to.has(moved) })
	after, rows := home.hardState(t, moved)
	if rows != 0 {
		t.Errorf("the retired replica has left %d keys of its state", rows)
	}
	if after.GetTerm() < before.GetTerm() || after.GetTerm() == 0 || after.GetTerm() == before.GetTerm() && after.GetVote() != before.GetVote() || after.GetCommit() != 0 {
		t.Errorf("the retired replica keeps %v of %v", after, before)
	}

	snapshots := 0
	h.w.onSend = func(from *host, env *txn.Envelope) sendAction {
		if m := env.Msg.SnapChunk; m != nil && m.Shard == moved && env.To == home.id {
			snapshots++
		}
		return h.n.onSend(from, env)
	}
	h.desire(t, func(d *routing.Directory) error {
		_, err := d.Replace(uint64(moved), uint32(to.id), uint32(home.id))
		return err
	})
	h.until(t, "the replica's return", func() bool { return settled() && home.has(moved) })
	if snapshots == 0 {
		t.Error("the replica came back without a snapshot")
	}
	if back, rows := home.hardState(t, moved); back.GetTerm() < after.GetTerm() || rows == 0 {
		t.Errorf("the replica came back with %v after %v, %d keys", back, after, rows)
	}
	h.until(t, "the end of the load", func() bool { return allDone(clients) })
	h.settle()
	h.finish()
	if len(h.result.Violations) > 0 || h.n.counts["ok"] < 50 {
		t.Errorf("%d transactions committed; %v", h.n.counts["ok"], h.result.Violations)
	}
}

// Two of three replicas are placed elsewhere, and their nodes restart before the members have
// changed: without their votes the shard would never have a leader.
func TestAReplicaThatIsPlacedElsewhereStillVotes(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	const moved = uint64(3)
	var guests []*host
	var to []uint32
	for range 2 {
		g := h.w.add(h.w.host(1).region)
		guests, to = append(guests, g), append(to, uint32(g.id))
	}
	from := []uint32{2, 3}
	where := func(guest bool) bool {
		for _, g := range guests {
			if g.has(txn.ShardID(moved)) != guest {
				return false
			}
		}
		return h.n.settled() && h.w.host(2).has(txn.ShardID(moved)) != guest && h.w.host(3).has(txn.ShardID(moved)) != guest
	}
	h.desire(t, func(d *routing.Directory) error {
		for _, g := range guests {
			if err := d.AddNode(routing.Node{ID: uint32(g.id), Region: string(g.region)}); err != nil {
				return err
			}
		}
		return replaceAll(d, moved, from, to)
	})
	h.until(t, "the move of two replicas", func() bool { return where(true) })
	h.desire(t, func(d *routing.Directory) error { return replaceAll(d, moved, to, from) })
	for _, g := range guests {
		h.until(t, "the news of it", func() bool {
			s, _ := g.node.Directory().Shard(moved)
			return !s.Holds(uint32(g.id))
		})
	}
	h.w.Run(5 * time.Millisecond) // it gets to their disks
	for _, g := range guests {
		g.crash(strictly)
	}
	for _, g := range guests {
		g.restart()
		if !g.has(txn.ShardID(moved)) {
			t.Errorf("n%d has not opened its replica", g.id)
		}
	}
	h.until(t, "the return of two replicas", func() bool { return where(false) && h.w.Leader(txn.ShardID(moved)) != 0 })
}

// The preferred leader is in the directory: it leads again after all nodes lost their power
// together.
func TestThePreferredLeaderOutlivesAPowerLoss(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	const shard = txn.ShardID(2)
	if h.w.Leader(shard) != 1 {
		t.Fatalf("n%d leads shard %d, not the node of its region", h.w.Leader(shard), shard)
	}
	h.desire(t, func(d *routing.Directory) error { return d.Prefer(uint64(shard), 3) })
	h.until(t, "the change of leader", func() bool { return h.w.Leader(shard) == 3 })
	for _, o := range h.w.hosts {
		o.crash(strictly)
	}
	for _, o := range h.w.hosts {
		o.restart()
	}
	h.until(t, "the preferred leader's return", func() bool { return h.w.Ready() && h.w.Leader(shard) == 3 })
	for _, o := range h.w.hosts {
		for _, s := range o.node.Directory().Shards {
			if s.ID == uint64(shard) && s.LeaderNode != 3 {
				t.Errorf("n%d lost the preferred leader: %d", o.id, s.LeaderNode)
			}
		}
	}
}

// A leader that reaches only followers without a vote has no lease: another is elected without it,
// and its reads would be stale. With a lease that counts such followers they are.
func TestLeasesRestOnVoters(t *testing.T) {
	for _, bug := range []bool{false, true} {
		h := openAsOf(t, node.InjectedBugs{LeaseCountsLearners: bug})
		var learners []*host
		for range 3 {
			learners = append(learners, h.w.add(h.w.host(1).region))
		}
		h.desire(t, func(d *routing.Directory) error {
			for _, l := range learners {
				if err := d.AddNode(routing.Node{ID: uint32(l.id), Region: string(l.region)}); err != nil {
					return err
				}
			}
			return d.Prefer(uint64(txn.MetaShard), 1)
		})
		h.until(t, "the followers without a vote", func() bool { return h.n.settled() && h.w.Leader(txn.MetaShard) == 1 })
		epoch := h.w.host(1).node.Directory().Epoch
		for _, a := range append(learners, h.w.host(1)) {
			for _, b := range []txn.NodeID{2, 3} {
				h.w.net.setCut(a.id, b, true)
				h.w.net.setCut(b, a.id, true)
			}
		}
		h.writeElsewhere(t, epoch+1)
		if stale := h.readStale(epoch); stale != bug {
			t.Errorf("learners counted: %v; a stale directory was read for true: %v", bug, stale)
		}
	}
}

// writeElsewhere makes the other voters elect a leader and write the directory.
func (h *faultRun) writeElsewhere(t *testing.T, epoch uint64) {
	t.Helper()
	written := false
	for _, at := range []txn.NodeID{2, 3} {
		h.w.Go(at, func(c *Client) {
			for range 200 {
				_, err := coordinator.ChangeDirectory(context.Background(), c.DB(), func(d *routing.Directory) error {
					return d.Prefer(uint64(txn.MetaShard), uint32(at))
				})
				if err == nil {
					written = true
					return
				}
				c.Sleep(faultRunUnit / 4)
			}
		})
	}
	h.until(t, "a directory written by the others", func() bool { return written && h.w.host(2).node.Directory().Epoch >= epoch })
}

// readStale reports whether the isolated leader still serves a read with an earlier directory.
func (h *faultRun) readStale(epoch uint64) bool {
	stale := false
	h.w.Go(1, func(c *Client) {
		tx := c.DB().Begin(txn.Options{ReadOnly: true})
		defer tx.Rollback()
		res, err := tx.Read(context.Background(), txn.Read{Gets: []txn.Key{txn.Key(routing.DirectoryKey)}, OnlyRead: true})
		if err != nil || tx.Commit(context.Background()) != nil {
			return
		}
		d, err := routing.Decode(res.Values[0])
		stale = err == nil && d.Epoch == epoch
	})
	h.w.Run(5 * faultRunUnit)
	return stale
}

// A node without a vote may lose its disk, as a gateway does, and return without data under the
// same id: it follows again, also where nothing is written meanwhile.
func TestAGatewayMayLoseItsDisk(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	g := h.w.add(h.w.host(1).region)
	h.desire(t, func(d *routing.Directory) error {
		return d.AddNode(routing.Node{ID: uint32(g.id), Region: string(g.region), Gateway: true})
	})
	h.until(t, "the gateway", func() bool { return h.n.settled() })
	leader := h.w.Leader(txn.MetaShard)
	const soon = time.Second // long before a log is cut, after which it would get a snapshot anyway
	for range 2 {
		h.w.Run(time.Second) // the leader knows its progress
		g.crash(strictly)
		g.engine = store.NewMem()
		g.restart()
		back := func() bool {
			return g.node.Ready() && g.node.Directory().Epoch == h.w.host(1).node.Directory().Epoch && h.n.settled()
		}
		if !h.w.RunUntil(soon, back) {
			t.Errorf("the gateway is not back after %v:\n%v", soon, h.w.Summary())
		}
	}
	if now := h.w.Leader(txn.MetaShard); now != leader {
		t.Errorf("n%d led, and n%d does now", leader, now)
	}
}
