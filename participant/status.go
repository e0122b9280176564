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
}

// Counts are totals since the replica was opened.
type Counts struct {
	Proposals          uint64 // commands proposed to the log; several may share an entry
	Wounds             uint64 // transactions that lost their locks to an older one
	LockWaits          uint64 // waits for a lock that were begun
	Refusals           uint64 // votes of No
	Deadlocks          uint64 // requests that would have waited for themselves, by waits at this shard
	WideDeadlocks      uint64 // deadlocks over several shards that were ended here
	Chases             uint64 // begun here, to look for such
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
