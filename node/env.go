package node

import (
	"time"

	"isochron/coordinator"
	"isochron/estimate"
	"isochron/geo"
	"isochron/routing"
	"isochron/shard"
	"isochron/txn"
)

// shardEnv is the environment of the node's replicas.
type shardEnv Node

var _ shard.Env = (*shardEnv)(nil)

func (e *shardEnv) Now() txn.Now                       { return e.now }
func (e *shardEnv) Send(to txn.Address, m txn.Message) { e.outbox.send(to, m) }
func (e *shardEnv) AfterSync(f func())                 { e.syncs.after(f) }

func (e *shardEnv) Orphan(o txn.Orphan) { e.coord.Adopt(o) }

// Applied passes writes to the gateway's statistics, and detects a new directory.
func (e *shardEnv) Applied(s txn.ShardID, writes []txn.Write) {
	e.coord.Applied(writes)
	if s != txn.MetaShard {
		return
	}
	e.directoryView.metaChanges++
	if writes == nil { // a snapshot: anything may have changed
		if v, _, ok := e.hostedParticipants.ReadLocal(txn.Key(routing.DirectoryKey)); ok && v != nil {
			e.directoryView.observe(v)
		}
		return
	}
	for _, w := range writes {
		if string(w.Key) == routing.DirectoryKey {
			e.directoryView.observe(w.Value)
		}
	}
}

// Warm implements shard.Env.
func (e *shardEnv) Warm(m *txn.Access) []txn.WarmKey { return e.coord.Warm(m) }

func (e *shardEnv) Held(s txn.ShardID, id txn.ID, sinceNanos int64) {
	if e.cfg.Observer != nil {
		region := geo.Region(e.directoryView.dir.RegionOf(uint32(id.Node)))
		e.cfg.Observer.Span(s, region, e.now.Mono-time.Duration(sinceNanos))
	}
}

// NodeEvent forwards an event. Most concern leaders, for which requests may wait.
func (e *shardEnv) NodeEvent(m txn.NodeEvent) {
	(*Node)(e).touched()
	e.tracer.note(m)
}

func (e *coordEnv) NodeEvent(m txn.NodeEvent) { e.tracer.note(m) }

func (e *coordEnv) TxnEnded(m txn.TxnEndInfo) {
	if e.cfg.EventListener != nil {
		e.cfg.EventListener.TxnEnded(m)
	}
}

func (e *shardEnv) Trace(format string, args ...any) { e.tracer.trace(format, args...) }
func (e *shardEnv) Tracing() bool                    { return e.tracer.tracing() }

// coordEnv is the environment of the node's coordinator.
type coordEnv Node

var _ coordinator.Env = (*coordEnv)(nil)

func (e *coordEnv) Now() txn.Now                       { return e.now }
func (e *coordEnv) Send(to txn.Address, m txn.Message) { e.outbox.send(to, m) }
func (e *coordEnv) Directory() *routing.Directory      { return e.directoryView.dir }
func (e *coordEnv) Nearest(s txn.ShardID) txn.NodeID   { return e.directoryView.nearest[s] }
func (e *coordEnv) Trace(format string, args ...any)   { e.tracer.trace(format, args...) }
func (e *coordEnv) Tracing() bool                      { return e.tracer.tracing() }

func (e *coordEnv) MaxTimestamp() txn.Timestamp { return e.hostedParticipants.seen() }

func (e *coordEnv) Leader(s txn.ShardID) (txn.NodeID, uint64, bool) {
	return e.hostedParticipants.leader(s)
}

func (e *coordEnv) Wide(n txn.NodeID) bool {
	return e.directoryView.dir.RegionOf(uint32(n)) != string(e.cfg.Region)
}

// RoundTrip implements coordinator.Env.
func (e *coordEnv) RoundTrip(n txn.NodeID) (rtt time.Duration, ok bool) {
	if n == e.cfg.ID {
		return 0, true
	}
	return e.directoryView.distances.roundTrip(n, geo.Region(e.directoryView.dir.RegionOf(uint32(n))))
}

// Way implements coordinator.Env.
func (e *coordEnv) Way(n txn.NodeID) (way estimate.Way, ok bool) {
	if n == e.cfg.ID {
		return estimate.Way{}, true
	}
	return e.directoryView.distances.way(n, geo.Region(e.directoryView.dir.RegionOf(uint32(n))))
}

// Pending counts unfinished work here: transactions and commits
// of this gateway, undecided votes and lock holders of its replicas.
func (n *Node) Pending() (transactions, commitments, undecided, holders int) {
	transactions, commitments = n.coord.Open()
	undecided, holders = n.hostedParticipants.pending()
	return transactions, commitments, undecided, holders
}

// HotRecords returns the number of records in this gateway's statistics, and their memory in bytes.
func (n *Node) HotRecords() (records, bytes int) { return n.coord.HotRecords() }

// Temperatures returns the number of records whose temperature this gateway knows, and its threshold: see
// coordinator.Coordinator.Temperatures.
func (n *Node) Temperatures() (records int, threshold int64) { return n.coord.Temperatures() }

// Admission returns the classes of contending tries at this gateway.
func (n *Node) Admission() []txn.AdmissionClass { return n.coord.Admission() }
