package txn

import "time"

// EventListener is told what an operator counts or logs. Its methods are called from
// the node's loop and must return at once; what they are given is not changed
// afterwards. None of it holds keys or values.
type EventListener interface {
	// NodeEvent reports something that happens rarely.
	NodeEvent(NodeEvent)
	// TxnEnded reports the end of a transaction at its coordinator.
	TxnEnded(TxnEndInfo)
}

// NodeEventKind says what a Note is about.
type NodeEventKind uint8

// The kinds of Note, with the fields that they fill in.
const (
	EventElectionStarted   NodeEventKind = iota + 1 // Shard, Term: an election is begun
	EventElected                                    // Shard, Term: elected here
	EventServes                                     // Shard, Term, Count (undecided votes restored)
	EventDeposed                                    // Shard, Term: leads no more
	EventFollows                                    // Shard, Term, Peer: another leads
	EventTakesOver                                  // Txn, Attempt, Participants: finishes another coordinator's work
	EventRecoveryStarted                            // Txn, Attempt, Participants: own work that met silence
	EventRecovered                                  // Txn, Attempt, Participants, Commit
	EventSnapshotSent                               // Shard, Index
	EventSnapshotFetched                            // Shard, Index, Peer: begins to fetch one
	EventSnapshotInstalled                          // Shard, Index
	EventLocksReleased                              // Shard, Txn: nobody answered for it
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

// TxnEndInfo is how a transaction ended at its coordinator.
type TxnEndInfo struct {
	ID           ID
	Outcome      Kind  // 0: committed, or rolled back if RolledBack
	RolledBack   bool  // by its client, without having failed
	Cause        Cause // of a rollback
	Wrote        bool
	Took         time.Duration // since its first request
	Commit       time.Duration // of it, the commit; 0: nothing was asked of any shard
	Participants []ShardID     // of the commit
	Stats        Stats
}

// RoundKind says what a round was for.
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

// RoundReport is one round that left the gateway, as the coordinator saw it.
type RoundReport struct {
	Kind  RoundKind
	Start time.Duration // since the transaction's first request
	Took  time.Duration // until the last answer that it needed
	Wide  bool          // it waited for another region
	Parts []PartReport
}

// PartReport is one shard's part of a round.
type PartReport struct {
	Shard     ShardID
	Node      NodeID // asked last; 0: no leader was known
	Tries     int
	Answered  bool
	Took      time.Duration // until its answer, or the end of the round without one
	Waited    time.Duration // of it, at the shard for locks
	WaitedFor ID            // who held them last
}

// RoundReportsMax bounds the reports kept of one transaction: the first ones.
const RoundReportsMax = 64

// Journaled is a Txn that knows its rounds.
type Journaled interface {
	// Rounds are the reports of the rounds that have ended. They are not to be changed.
	Rounds() []RoundReport
	// Try is 0 for a transaction's first try, and one more for each RetryOf.
	Try() int
}
