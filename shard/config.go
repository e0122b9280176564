package shard

import (
	"isochron/participant"
	"isochron/protocol"
	"isochron/raftgroup"
	"isochron/store"
	"isochron/txn"
)

// Env is the environment of a replica.
type Env interface {
	raftgroup.Env
	// Orphan reports that an attempt is undecided for too long: a node must find
	// its outcome or settle it.
	Orphan(o txn.Orphan)
	// Acknowledge sends an Ack to co-coordinators: to the co-coordinator of this node's region and,
	// from a leader, to the co-coordinators of regions that have no replica to report the vote (of
	// a No: to all regions).
	Acknowledge(m *txn.Ack, leads bool)
	// Applied reports rows that became visible through the log.
	Applied(s txn.ShardID, writes []txn.Write)
	// Warm returns the temperatures of the rows of a read, for the reply to its gateway.
	Warm(m *txn.Access) []txn.WarmKey
	// Held reports a contention span that ended.
	Held(s txn.ShardID, id txn.ID, sinceNanos int64)
	Tracing() bool // whether the output of Trace is used
}

// Config of a replica.
type Config struct {
	ID       txn.ShardID
	Self     txn.NodeID
	Founders []txn.NodeID // the first members of the shard; none: this replica joins an existing one
	Desired  participant.Desired
	Engine   store.Engine
	Spec     protocol.Spec // the protocol at the shard's start; later the one in force: see protocol_switch.go
	Params   txn.Params
	Seed     uint64
	Env      Env
	// Genesis are the rows the shard starts with.
	Genesis []txn.Write
	// Process, if not nil, makes the replica ephemeral: see in_memory.go.
	Process *Process
	// SpecAt and Logs bound the memory of all replicas of a node for rows and log
	// entries; nil: each replica has bounds of its own.
	SpecAt, Logs *store.Pool
	// Verify receives the state of the replica at each verify command in the log;
	// nil: never.
	Verify func(*Held)
}

func (c *Config) ephemeral() bool { return c.Process != nil }
