package txn

import "time"

// EventListener receives events for logs and metrics. Its methods are called from the node's
// loop and must return immediately; their arguments are not changed afterwards. No event
// contains keys or values.
type EventListener interface {
	// NodeEvent reports a rare event.
	NodeEvent(NodeEvent)
	// TxnEnded reports the end of a transaction at its coordinator.
	TxnEnded(TxnEndInfo)
}

// NodeEventKind is the kind of a NodeEvent.
type NodeEventKind uint8

// The kinds of events, with the fields they fill in.
const (
	EventElectionStarted   NodeEventKind = iota + 1 // Shard, Term: an election starts
	EventElected                                    // Shard, Term: this node was elected
	EventServes                                     // Shard, Term, Count (undecided votes restored): the leader serves
	EventDeposed                                    // Shard, Term: no longer leads
	EventFollows                                    // Shard, Term, Peer: follows another leader
	EventTakesOver                                  // Txn, Attempt, Participants: finishes another coordinator's attempt
	EventRecoveryStarted                            // Txn, Attempt, Participants: recovers its own attempt after missing answers
	EventRecovered                                  // Txn, Attempt, Participants, Commit
	EventSnapshotSent                               // Shard, Index
	EventSnapshotFetched                            // Shard, Index, Peer: starts to fetch a snapshot
	EventSnapshotInstalled                          // Shard, Index
	EventLocksReleased                              // Shard, Txn: released, its gateway did not answer
)

// NodeEvent is one rare event.
type NodeEvent struct {
	Kind         NodeEventKind
	Shard        ShardID
	Term         uint64
	Peer         NodeID
	Index        uint64
	Count        int
	Txn          ID
	Attempt      Attempt
	Participants []ShardID
	Commit       bool
}

// TxnEndInfo describes the end of a transaction at its coordinator.
type TxnEndInfo struct {
	ID           ID
	Outcome      Kind  // 0: committed, or rolled back if RolledBack
	RolledBack   bool  // by its client, without an error
	Cause        Cause // of a rollback
	Wrote        bool
	Took         time.Duration // since the first request
	Commit       time.Duration // part of Took; 0: no shard was asked
	Participants []ShardID     // of the commit
	Stats        Stats
}

// RoundKind is the purpose of a round.
type RoundKind uint8

// The kinds of round.
const (
	RoundRead    RoundKind = iota + 1 // reads without locks
	RoundLock                         // reads under locks
	RoundPrepare                      // the commit, up to the decision
)

func (k RoundKind) String() string {
	switch k {
	case RoundRead:
		return "read"
	case RoundLock:
		return "lock"
	}
	return "prepare"
}

// RoundReport describes one round that left the gateway, as the coordinator saw it.
type RoundReport struct {
	Kind  RoundKind
	Start time.Duration // since the transaction's first request
	Took  time.Duration // until the last answer it needed
	Wide  bool          // it waited for another region
	Parts []PartReport
}

// PartReport is one shard's part of a round.
type PartReport struct {
	Shard     ShardID
	Node      NodeID // asked last; 0: the leader was unknown
	Tries     int
	Answered  bool
	Took      time.Duration // until the answer, or until the round ended without one
	Waited    time.Duration // part of Took, waiting for locks at the shard
	WaitedFor ID            // the last holder
}

// RoundReportsMax bounds the reports kept of one transaction: the first ones.
const RoundReportsMax = 64

// Journaled is implemented by transactions that record their rounds.
type Journaled interface {
	// Rounds returns the reports of the finished rounds. They must not be changed.
	Rounds() []RoundReport
	// Try is 0 for the first try of a transaction, and one more for each RetryOf.
	Try() int
}
