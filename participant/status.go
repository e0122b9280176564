package participant

import (
	"time"

	"isochron/routing"
	"isochron/txn"
)

// Status is the state of a participant at this node, for observers.
// Fields that a kind does not have are zero.
type Status struct {
	Shard     txn.ShardID
	Kind      routing.Kind
	Role      string
	Serving   bool // leads, and answers requests
	Term      uint64
	Leader    txn.NodeID // 0: unknown
	Applied   uint64     // index of the newest log entry in the state
	Last      uint64     // of the newest in the log
	Undecided int
	Holders   int // transactions that hold locks
	Waiters   int // requests waiting for locks
	Counts    Counts
	Voters    []txn.NodeID
	Outgoing  []txn.NodeID // they have a vote until the pending change has ended
	Learners  []txn.NodeID // follow without a vote
	Draining  bool
	// ProtocolSeq is the number of the shard's protocol, 0: its first.
	ProtocolSeq uint64
	// Source has the counts of an external database's agent, zero for others.
	Source SourceCounts
}

// HeldBuckets is the number of buckets of SourceCounts.Held: bounds from 1 ms on by doubling, the last
// unbounded.
const HeldBuckets = 18

// SourceCounts are totals of an agent's branches since it was opened, and its present state.
type SourceCounts struct {
	Works      uint64 // messages with statements of one round
	Statements uint64
	Committed  uint64 // branches
	Aborted    uint64
	Unknown    uint64 // branches whose outcome the agent cannot know
	FenceWaits uint64 // branches that waited for branches prepared before the source restarted
	Fenced     int    // branches that others wait for in this way
	Deadlocks  uint64 // over several participants, broken by aborting a statement here
	Refused    [txn.Causes]uint64
	// HeldNanos is the total time for which ended branches held their rows, from their first statement on;
	// Held counts the branches for which it was at most 1, 2, 4 ... ms, or more.
	HeldNanos uint64
	Held      [HeldBuckets]uint64
}

// Counts are totals since the replica was opened.
type Counts struct {
	Proposals          uint64 // commands proposed to the log; several may share an entry
	Wounds             uint64 // transactions that lost their locks to an older one
	LockWaits          uint64 // waits for a lock that began
	Late               uint64 // 2FI transactions received after their arrival times
	Refusals           uint64 // votes of No
	Deadlocks          uint64 // requests that would have waited for themselves, by waits at this shard
	WideDeadlocks      uint64 // distributed deadlocks broken here
	DeadlockProbes     uint64 // probes for distributed deadlocks started here
	Cascades           uint64 // transactions aborted because one whose value they had read aborted
	Campaigns          uint64 // elections started here
	SnapshotsSent      uint64
	SnapshotsInstalled uint64
}

// InDoubt is a Yes vote whose decision is not known.
type InDoubt struct {
	Shard        txn.ShardID
	Txn          txn.ID
	Attempt      txn.Attempt
	Participants []txn.ShardID
	Age          time.Duration // since this replica learned of it
}

// Desired is the state of a participant desired by the directory.
type Desired struct {
	Voters    []txn.NodeID
	Learners  []txn.NodeID
	Preferred []txn.NodeID // preferred leaders, the best first
	Hot       routing.HotRows
	Protocol  routing.Protocol // the desired protocol
}

// Holds reports whether a node should have a replica.
func (d Desired) Holds(n txn.NodeID) bool {
	for _, list := range [][]txn.NodeID{d.Voters, d.Learners} {
		for _, have := range list {
			if have == n {
				return true
			}
		}
	}
	return false
}
