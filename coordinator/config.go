package coordinator

import (
	"time"

	"isochron/estimate"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// Env is the node as a coordinator sees it.
type Env interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	Directory() *routing.Directory
	// Leader is the shard's leader by a local replica; ok is false if there is no local replica or
	// it knows of no leader.
	Leader(s txn.ShardID) (leader txn.NodeID, term uint64, ok bool)
	// Nearest is the replica with the shortest round trip.
	Nearest(s txn.ShardID) txn.NodeID
	// Wide reports whether a node is in another region.
	Wide(n txn.NodeID) bool
	// RoundTrip is the round trip to a node, as far as it is known.
	RoundTrip(n txn.NodeID) (rtt time.Duration, ok bool)
	// Way is the one-way delay to a node by the wall clocks of both, a high percentile, as far as
	// known.
	Way(n txn.NodeID) (way estimate.Way, ok bool)
	// CoCoordinators are the co-coordinators of an attempt, one in each region.
	CoCoordinators(a txn.Attempt) []txn.NodeID
	// MaxTimestamp is a timestamp up to which this node has seen commits.
	MaxTimestamp() txn.Timestamp
	// NodeEvent and TxnEnded receive what an operator logs and counts.
	NodeEvent(n txn.NodeEvent)
	TxnEnded(e txn.TxnEndInfo)
	Trace(format string, args ...any)
	Tracing() bool // whether Trace's output is used
}

// Config of a coordinator.
type Config struct {
	Self   txn.NodeID
	Epoch  uint32 // this incarnation; higher than any before
	Spec   protocol.Spec
	Params txn.Params
	Env    Env
	Seed   uint64 // of random decisions
	// DeadCoCoordinator, for experiments: it is no co-coordinator, not even of its own attempts. It
	// neither receives nor relays acknowledgements; its clients' transactions are decided by the
	// leaders' votes.
	DeadCoCoordinator bool
}
