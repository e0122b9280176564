package txn

import (
	"context"
	"time"
)

// ContentionQuery asks a node for what the shards that it leads know of contention, and what
// its gateway has counted. None of it holds values.
type ContentionQuery struct {
	Request uint64 `cbor:"1,keyasint,omitempty"` // echoed in the reply
	// Using, if set, asks in place of all that for the open transactions of its gateway that have
	// one of these guards (Txn.Guard).
	Using []string `cbor:"2,keyasint,omitempty"`
	// Known asks in place of all that for the transactions that its gateway has open, or that have
	// ended of late.
	Known bool `cbor:"3,keyasint,omitempty"`
}

// The bounds of one node's answer.
const (
	ContentionHotMax   = 200
	ContentionWaitsMax = 2000
	ContentionWarmMax  = 50 // of Hot, those for which nobody waits
	ContentionUsersMax = 10_000
	ContentionKnownMax = 10_000
)

// ContentionReply answers Survey, the longest queues and the longest waits first.
type ContentionReply struct {
	Request   uint64     `cbor:"1,keyasint,omitempty"`
	Hot       []HotKey   `cbor:"2,keyasint,omitempty"`
	Waits     []LockWait `cbor:"3,keyasint,omitempty"`
	Rollbacks []uint64   `cbor:"4,keyasint,omitempty"` // by Cause, since the node's start
	Retried   []uint64   `cbor:"5,keyasint,omitempty"` // of these, those that the gateway did again by itself
	// Admission is the kinds of transaction of which tries have failed for each other here of late.
	Admission []AdmissionClass `cbor:"6,keyasint,omitempty"`
	// Users answers Using.
	Users []User `cbor:"7,keyasint,omitempty"`
	// Known answers Known, those that have ended last first.
	Known []Known `cbor:"8,keyasint,omitempty"`
}

// KnownFor is how long a gateway knows a transaction that has ended, unless too many end.
const KnownFor = time.Minute

// Known is a transaction of a client that is open, or has ended of late.
type Known struct {
	Txn       ID     `cbor:"1,keyasint,omitempty"`
	SessionID uint64 `cbor:"2,keyasint,omitempty"` // Options.Owner
	// Commit is what has written its rows; zero if it has written none.
	Commit      Attempt `cbor:"3,keyasint,omitempty"`
	Ended       bool    `cbor:"4,keyasint,omitempty"`
	AgoNanos    int64   `cbor:"5,keyasint,omitempty"` // since its end, or since its begin while it is open
	Committed   bool    `cbor:"6,keyasint,omitempty"`
	Cause       Cause   `cbor:"7,keyasint,omitempty"` // why it was not
	OutcomeLost bool    `cbor:"8,keyasint,omitempty"` // whether it has committed is not known
}

// User is an open transaction that has one of the guards that were asked for.
type User struct {
	Txn       ID     `cbor:"1,keyasint,omitempty"`
	SessionID uint64 `cbor:"2,keyasint,omitempty"` // Options.Owner
}

// AdmissionClass is the tries at one gateway that begin alike, see yield.Admission.
// The counts are since one of them first failed for another.
type AdmissionClass struct {
	Table       Key    `cbor:"1,keyasint,omitempty"` // prefix of the keys of the table that they begin with
	Once        bool   `cbor:"2,keyasint,omitempty"` // they are updates in one request
	Window      int    `cbor:"3,keyasint,omitempty"` // so many may contend; 0: any number
	Running     int    `cbor:"4,keyasint,omitempty"` // that contend now
	Queue       int    `cbor:"5,keyasint,omitempty"` // that wait to be let in
	Admitted    uint64 `cbor:"6,keyasint,omitempty"` // let in, at once or later
	Delayed     uint64 `cbor:"7,keyasint,omitempty"` // had to wait
	Refused     uint64 `cbor:"8,keyasint,omitempty"` // waited in vain
	LostPercent int    `cbor:"9,keyasint,omitempty"` // of the last tries, those that failed
}

// HotKey is a key for which many wait, that many update as a group, or that is updated most of those
// whose temperature counts (Bonspiel section 3.2).
type HotKey struct {
	Shard        ShardID `cbor:"1,keyasint,omitempty"`
	Key          Key     `cbor:"2,keyasint,omitempty"`
	Queue        int     `cbor:"3,keyasint,omitempty"` // requests that wait for it
	Group        int     `cbor:"4,keyasint,omitempty"` // transactions that have updated it and are not over
	MilliUpdates uint64  `cbor:"5,keyasint,omitempty"` // updates in a thousand seconds, of late
}

// LockWait is one request that waits for a lock.
type LockWait struct {
	Shard       ShardID `cbor:"1,keyasint,omitempty"`
	Txn         ID      `cbor:"2,keyasint,omitempty"`
	Holder      ID      `cbor:"3,keyasint,omitempty"`
	Key         Key     `cbor:"4,keyasint,omitempty"` // in whose way the holder is; one of them
	WaitedNanos int64   `cbor:"5,keyasint,omitempty"`

	Priority       Priority `cbor:"6,keyasint,omitempty"` // of Txn
	HolderPriority Priority `cbor:"7,keyasint,omitempty"`
}

// ContentionReport is what the nodes of a cluster have answered.
type ContentionReport struct {
	Nodes  map[NodeID]*ContentionReply
	Silent []NodeID // did not answer in time
	// SessionIDs are the Options.Owner of transactions of this gateway that wait or hold.
	SessionIDs map[ID]uint64
}

// ContentionWait bounds how long a survey waits for answers.
const ContentionWait = 2 * time.Second

// ContentionQuerier is implemented by gateways that can ask all nodes.
type ContentionQuerier interface {
	// Contention asks all nodes of the directory, for no longer than ContentionWait.
	Contention(ctx context.Context) (ContentionReport, error)
}

// Users is implemented by gateways that can ask all nodes who uses what.
type Users interface {
	// Using are the open transactions of all gateways that have one of these guards, by rising id.
	// Nodes that do not answer within ContentionWait are left out.
	Using(ctx context.Context, guards []string) ([]User, error)
	// Known asks all nodes for the transactions that they have open or that have ended of late, as
	// Survey does.
	Known(ctx context.Context) (ContentionReport, error)
}

// Endable is implemented by transactions that take a cause of their Rollback.
type Endable interface {
	// RollbackFor is Rollback, with its cause.
	RollbackFor(Cause)
	// RollbackAndWait is RollbackFor, and returns when what the transaction has locked at sources
	// is free. It does not wait long for a source that does not answer.
	RollbackAndWait(Cause)
}
