package participant

import (
	"time"

	"isochron/routing"
	"isochron/txn"
)

// Status is how a participant stands at this node, for whoever looks at it from outside.
// What a kind does not have is zero.
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
	Waiters   int // requests that wait for locks
	Counts    Counts
	Voters    []txn.NodeID
	Outgoing  []txn.NodeID // who has a vote until a change under way has ended
	Learners  []txn.NodeID // follow without a vote
	Draining  bool
	// ProtocolSeq is under which change of the protocol the shard is, 0: what it began with.
	ProtocolSeq uint64
	// Source has the counts of a participant that is a database not ours, zero of others.
	Source SourceCounts
}

// HeldBuckets are those of SourceCounts.Held: from 1 ms on by doubling, and the last without a
// bound.
const HeldBuckets = 18

// SourceCounts are totals of an agent's branches since it was opened, and how it stands.
type SourceCounts struct {
	Works      uint64 // messages with statements of one round
	Statements uint64
	Committed  uint64 // branches
	Aborted    uint64
	Unknown    uint64 // branches of which the agent cannot know how they have ended
	FenceWaits uint64 // branches that waited for what was prepared before the source started anew
	Fenced     int    // branches for which others wait so
	Deadlocks  uint64 // over several participants, that were ended by giving up a statement here
	Refused    [txn.Causes]uint64
	// HeldNanos is how long ended branches held their rows, from their first statement on, and
	// Held how many of them it was at most 1, 2, 4 ... ms, or more.
	HeldNanos uint64
	Held      [HeldBuckets]uint64
}

// Counts are totals since the replica was opened.
type Counts struct {
	Proposals          uint64 // commands proposed to the log; several may share an entry
	Wounds             uint64 // transactions that lost their locks to an older one
	LockWaits          uint64 // waits for a lock that were begun
	Late               uint64 // declared transactions that came after their stamps
	Refusals           uint64 // votes of No
	Deadlocks          uint64 // requests that would have waited for themselves, by waits at this shard
	WideDeadlocks      uint64 // deadlocks over several shards that were ended here
	DeadlockProbes     uint64 // begun here, to look for such
	Cascades           uint64 // transactions undone because one whose value they had read was
	Campaigns          uint64 // elections begun here
	SnapshotsSent      uint64
	SnapshotsInstalled uint64
}

// InDoubt is a vote of Yes whose decision has not come.
type InDoubt struct {
	Shard        txn.ShardID
	Txn          txn.ID
	Attempt      txn.Attempt
	Participants []txn.ShardID
	Age          time.Duration // since this replica learnt of it
}

// Desired is what the directory wants of a participant.
type Desired struct {
	Voters    []txn.NodeID
	Learners  []txn.NodeID
	Preferred []txn.NodeID // who should lead, the best first
	Hot       routing.HotRows
	Protocol  routing.Protocol // how transactions are to commit
}

// Holds reports whether a node is to have a replica.
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
