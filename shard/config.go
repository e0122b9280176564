package shard

import (
	"isochron/participant"
	"isochron/protocol"
	"isochron/raftgroup"
	"isochron/store"
	"isochron/txn"
)

// Env is the world as a replica sees it.
type Env interface {
	raftgroup.Env
	// Orphan says that an attempt is undecided for too long: somebody must find
	// out how it ended, or end it.
	Orphan(o txn.Orphan)
	// Acknowledge passes an Ack on to the co-coordinators: to that of this node's
	// region, and, of a leader, to those of the regions that do not hear of the
	// vote from a replica of their own (of a No: of all regions).
	Acknowledge(m *txn.Ack, leads bool)
	// Applied reports rows that the log has just made visible.
	Applied(s txn.ShardID, writes []txn.Write)
	// Warm is what an answer tells its gateway of how often what it reads is updated.
	Warm(m *txn.Access) []txn.WarmKey
	// Held reports a contention span that ended.
	Held(s txn.ShardID, id txn.ID, sinceNanos int64)
	Tracing() bool // whether anybody reads what Trace says
}

// Config of a replica.
type Config struct {
	ID       txn.ShardID
	Self     txn.NodeID
	Founders []txn.NodeID // with whom the shard began; none: this replica joins one that exists
	Desired  participant.Desired
	Engine   store.Engine
	Spec     protocol.Spec // what the shard began with; later the one in force: see switch.go
	Params   txn.Params
	Seed     uint64
	Env      Env
	// Genesis are the rows that the shard is born with.
	Genesis []txn.Write
	// Process, if not nil, says that the replica is ephemeral: see ephemeral.go.
	Process *Process
	// SpecAt and Logs are what the replicas of a node may keep in memory of their rows and
	// of their log entries; nil: each has bounds of its own.
	SpecAt, Logs *store.Pool
	// Verify is given the state of the replica where the log says that it is to be compared;
	// nil: it never is.
	Verify func(*Held)
}

func (c *Config) ephemeral() bool { return c.Process != nil }
