package node

import (
	"fmt"
	"time"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/participant"
	"isochron/routing"
	"isochron/shard"
	"isochron/store"
	"isochron/txn"
)

// shardEnv is the node as its replicas see it.
type shardEnv Node

var _ shard.Env = (*shardEnv)(nil)

func (e *shardEnv) Now() txn.Now                       { return e.now }
func (e *shardEnv) Send(to txn.Address, m txn.Message) { (*Node)(e).send(to, m) }
func (e *shardEnv) AfterSync(f func())                 { (*Node)(e).AfterSync(f) }

func (e *shardEnv) Orphan(o txn.Orphan) { e.coord.Adopt(o) }

// Applied looks out for a new directory.
func (e *shardEnv) Applied(s txn.ShardID, writes []txn.Write) {
	if s != txn.MetaShard {
		return
	}
	e.metaChanges++
	if writes == nil { // a snapshot: anything may have changed
		if v, _, ok := (*Node)(e).Peek(txn.Key(routing.DirectoryKey)); ok && v != nil {
			e.noteDirectory(v)
		}
		return
	}
	for _, w := range writes {
		if string(w.Key) == routing.DirectoryKey {
			e.noteDirectory(w.Value)
		}
	}
}

func (e *shardEnv) noteDirectory(raw []byte) {
	d, err := routing.Decode(raw)
	if err != nil {
		panic(&store.Failure{Doing: "reading the directory of shards", Err: err})
	}
	e.newDir = d
}

func (e *shardEnv) Held(s txn.ShardID, id txn.ID, sinceNanos int64) {
	if e.cfg.Observer != nil {
		region := geo.Region(e.dir.RegionOf(uint32(id.Node)))
		e.cfg.Observer.Span(s, region, e.now.Mono-time.Duration(sinceNanos))
	}
}

// Note passes it on. Most are news of leaders, for which requests may wait.
func (e *shardEnv) Note(m txn.Note) {
	(*Node)(e).touched()
	(*Node)(e).note(m)
}

func (e *coordEnv) Note(m txn.Note) { (*Node)(e).note(m) }

func (e *coordEnv) Ended(m txn.Ended) {
	if e.cfg.Watcher != nil {
		e.cfg.Watcher.Ended(m)
	}
}

func (n *Node) note(m txn.Note) {
	if n.cfg.Watcher != nil {
		n.cfg.Watcher.Note(m)
	}
}

func (e *shardEnv) Trace(format string, args ...any) { (*Node)(e).trace(format, args...) }
func (e *shardEnv) Tracing() bool                    { return (*Node)(e).tracing() }

func (n *Node) tracing() bool { return n.cfg.Observer != nil && n.cfg.Observer.Tracing() }

func (n *Node) trace(format string, args ...any) {
	if n.tracing() {
		n.cfg.Observer.Event(n.cfg.ID, fmt.Sprintf(format, args...))
	}
}

// coordEnv is the node as its coordinator sees it.
type coordEnv Node

var _ coordinator.Env = (*coordEnv)(nil)

func (e *coordEnv) Now() txn.Now                       { return e.now }
func (e *coordEnv) Send(to txn.Address, m txn.Message) { (*Node)(e).send(to, m) }
func (e *coordEnv) Directory() *routing.Directory      { return e.dir }
func (e *coordEnv) Nearest(s txn.ShardID) txn.NodeID   { return e.nearest[s] }
func (e *coordEnv) Trace(format string, args ...any)   { (*Node)(e).trace(format, args...) }
func (e *coordEnv) Tracing() bool                      { return (*Node)(e).tracing() }

func (e *coordEnv) Seen() (at txn.Timestamp) {
	for _, id := range e.order {
		if c := e.replicas[id].clock; c != nil {
			at = max(at, c.Seen())
		}
	}
	return at
}

func (e *coordEnv) Leader(s txn.ShardID) (txn.NodeID, uint64, bool) {
	r := e.replicas[s]
	if r == nil {
		return 0, 0, false
	}
	leader, term := r.Leader()
	return leader, term, leader != 0
}

func (e *coordEnv) Wide(n txn.NodeID) bool {
	return e.dir.RegionOf(uint32(n)) != string(e.cfg.Region)
}

// RoundTrip implements coordinator.Env.
func (e *coordEnv) RoundTrip(n txn.NodeID) (rtt time.Duration, ok bool) {
	if n == e.cfg.ID {
		return 0, true
	}
	region := e.dir.RegionOf(uint32(n))
	return e.cfg.WAN.RTT(e.cfg.Region, geo.Region(region)), region != ""
}

// Directory is the routing the node knows.
func (n *Node) Directory() *routing.Directory { return n.dir }

// MetaChanges rises whenever rows of the meta shard become visible here.
func (n *Node) MetaChanges() uint64 { return n.metaChanges }

// Peek reads the applied state of a local replica, outside any transaction.
func (n *Node) Peek(key txn.Key) (value []byte, version txn.Version, ok bool) {
	s, ok := n.dir.ShardOf(string(key))
	r := n.replicas[txn.ShardID(s)]
	if !ok || r == nil {
		return nil, txn.Version{}, false
	}
	row := r.Peek(key)
	return row.Value, row.Version, true
}

// Ready reports whether every shard of the directory has a leader that this
// node knows of.
func (n *Node) Ready() bool {
	if n.dir.Epoch == 0 {
		return false // it has not yet heard where anything is
	}
	for _, s := range n.dir.Shards {
		r := n.replicas[txn.ShardID(s.ID)]
		if r == nil || !s.Holds(uint32(n.cfg.ID)) {
			continue
		}
		leader, _ := r.Leader()
		if leader == 0 || leader == n.cfg.ID && !r.Serving() {
			return false
		}
	}
	return true
}

// Leaderless lists the shards of this node's replicas that cannot be served for
// want of a known leader; Ready means that there are none.
func (n *Node) Leaderless() []txn.ShardID {
	var out []txn.ShardID
	for _, id := range n.order {
		r := n.replicas[id]
		if leader, _ := r.Leader(); leader == 0 || leader == n.cfg.ID && !r.Serving() {
			out = append(out, id)
		}
	}
	return out
}

// InDoubt lists votes without a decision, the oldest of each shard, at most max of each.
func (n *Node) InDoubt(max int) []participant.InDoubt {
	var out []participant.InDoubt
	for _, id := range n.order {
		out = append(out, n.replicas[id].InDoubt(max)...)
	}
	return out
}

// Leads lists the shards this node leads now.
func (n *Node) Leads() []txn.ShardID {
	var out []txn.ShardID
	for _, id := range n.order {
		if n.replicas[id].Serving() {
			out = append(out, id)
		}
	}
	return out
}

// Pending counts what has not come to an end here: transactions and commitments
// of this gateway, undecided votes and lock holders of its replicas.
func (n *Node) Pending() (transactions, commitments, undecided, holders int) {
	transactions, commitments = n.coord.Open()
	for _, id := range n.order {
		undecided += n.replicas[id].Undecided()
		holders += n.replicas[id].Holders()
	}
	return transactions, commitments, undecided, holders
}

// Admission tells of the tries that contend at this gateway.
func (n *Node) Admission() []txn.AdmissionClass { return n.coord.Admission() }

// Summary tells of every replica, a line each.
func (n *Node) Summary() []string {
	var out []string
	for _, id := range n.order {
		out = append(out, n.replicas[id].Summary())
	}
	return out
}

// LeaseUntil is the instant of this node's clock up to which its replica of a shard
// may answer reads without asking the others; 0: it may not, or there is none.
func (n *Node) LeaseUntil(id txn.ShardID) time.Duration {
	r := n.replicas[id]
	if r == nil {
		return 0
	}
	if l, leases := r.Participant.(participant.Leased); leases {
		return l.LeaseUntil()
	}
	return 0
}

// Statuses tells how every replica of this node stands.
func (n *Node) Statuses() []participant.Status {
	var out []participant.Status
	for _, id := range n.order {
		out = append(out, n.replicas[id].Status())
	}
	return out
}
