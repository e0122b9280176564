package replica

import (
	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
)

// Env is the world as a replica sees it.
type Env interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	// AfterSync calls f when everything applied to the engine so far is durable.
	AfterSync(f func())
	// Orphan says that an attempt is undecided for too long: somebody must find
	// out how it ended, or end it.
	Orphan(o txn.Orphan)
	// Applied reports rows that have just become visible.
	Applied(s txn.ShardID, writes []txn.Write)
	// Held reports a contention span that ended.
	Held(s txn.ShardID, id txn.ID, sinceNanos int64)
	// NodeEvent takes what an operator logs.
	NodeEvent(n txn.NodeEvent)
	// Trace takes one line of the story, if anybody listens.
	Trace(format string, args ...any)
}

// Config of a replica.
type Config struct {
	ID   txn.ShardID
	Self txn.NodeID
	// Members are all replicas, the same list at each of them: view v is led by
	// the one at place v, counted round and round.
	Members []txn.NodeID
	Engine  store.Engine
	Spec    protocol.Spec
	Params  txn.Params
	Env     Env
	// Ephemeral: the replica ends with its process, and nobody opens its engine
	// again.
	Ephemeral bool
	// Genesis are the rows that the shard is born with.
	Genesis []txn.Write
	// SpecAt is what the replicas of a node may keep of their rows at hand; nil: each has
	// a bound of its own.
	SpecAt *store.Pool
}

// The bounds of one replica.
const (
	maxEntries = 100_000 // undecided attempts
	maxReaders = 10_000  // reads that wait for undecided writers
	maxWaiting = 10_000  // proposals that wait for what they clash with
	maxFence   = 10_000  // attempts that wait to be settled by a change of views
)
