package replica

import (
	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
)

// Env is the environment of a replica.
type Env interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	// AfterSync calls f when everything applied to the engine so far is durable.
	AfterSync(f func())
	// Orphan reports that an attempt is undecided for too long: a node must find
	// its outcome or settle it.
	Orphan(o txn.Orphan)
	// Applied reports rows that have just become visible.
	Applied(s txn.ShardID, writes []txn.Write)
	// Held reports a contention span that ended.
	Held(s txn.ShardID, id txn.ID, sinceNanos int64)
	// NodeEvent receives events for the operator's log.
	NodeEvent(n txn.NodeEvent)
	// Trace receives one line of the trace, if tracing is on.
	Trace(format string, args ...any)
}

// Config of a replica.
type Config struct {
	ID   txn.ShardID
	Self txn.NodeID
	// Members are all replicas, the same list at each of them: the leader of view v is
	// Members[v mod len(Members)].
	Members []txn.NodeID
	Engine  store.Engine
	Spec    protocol.Spec
	Params  txn.Params
	Env     Env
	// Ephemeral: the replica ends with its process, and its engine is not opened
	// again.
	Ephemeral bool
	// Genesis are the rows the shard starts with.
	Genesis []txn.Write
	// SpecAt bounds the memory of all replicas of a node for cached rows; nil: each has
	// a bound of its own.
	SpecAt *store.Pool
}

// The bounds of one replica.
const (
	maxEntries = 100_000 // undecided attempts
	maxReaders = 10_000  // reads that wait for undecided writers
	maxWaiting = 10_000  // proposals that wait for conflicting attempts
	maxFence   = 10_000  // attempts to be settled by a change of views
)
