package txn

import (
	"context"
	"time"
)

// ContentionQuery asks a node for contention at the shards it leads and for the counters of its
// gateway. The reply contains no values.
type ContentionQuery struct {
	Request uint64 `cbor:"1,keyasint,omitempty"` // echoed in the reply
	// Using, if set, asks instead for the open transactions of the node's gateway that have
	// one of these schema checks (Txn.SchemaCheck).
	Using []string `cbor:"2,keyasint,omitempty"`
	// Known asks instead for the transactions that the node's gateway has open, and for recently
	// ended ones.
	Known bool `cbor:"3,keyasint,omitempty"`
}

// Bounds of one node's answer.
const (
	ContentionHotMax   = 200
	ContentionWaitsMax = 2000
	ContentionWarmMax  = 50 // of Hot, keys without waiters
	ContentionUsersMax = 10_000
	ContentionKnownMax = 10_000
)

// ContentionReply answers ContentionQuery, the longest queues and waits first.
type ContentionReply struct {
	Request   uint64     `cbor:"1,keyasint,omitempty"`
	Hot       []HotKey   `cbor:"2,keyasint,omitempty"`
	Waits     []LockWait `cbor:"3,keyasint,omitempty"`
	Rollbacks []uint64   `cbor:"4,keyasint,omitempty"` // by Cause, since the node's start
	Retried   []uint64   `cbor:"5,keyasint,omitempty"` // of these, the tries that the gateway retried itself
	// Admission has the classes of transactions here whose tries recently aborted each other.
	Admission []AdmissionClass `cbor:"6,keyasint,omitempty"`
	// Users answers Using.
	Users []User `cbor:"7,keyasint,omitempty"`
	// Known answers Known, the most recently ended first.
	Known []Known `cbor:"8,keyasint,omitempty"`
}

// KnownFor is the time for which a gateway keeps an ended transaction, unless too many end.
const KnownFor = time.Minute

// Known is a client's transaction that is open or ended recently.
type Known struct {
	Txn       ID     `cbor:"1,keyasint,omitempty"`
	SessionID uint64 `cbor:"2,keyasint,omitempty"` // Options.SessionID
	// Commit is the attempt that wrote its rows; zero if there is none.
	Commit      Attempt `cbor:"3,keyasint,omitempty"`
	Ended       bool    `cbor:"4,keyasint,omitempty"`
	AgoNanos    int64   `cbor:"5,keyasint,omitempty"` // since its end, or since its start while it is open
	Committed   bool    `cbor:"6,keyasint,omitempty"`
	Cause       Cause   `cbor:"7,keyasint,omitempty"` // of its rollback
	OutcomeLost bool    `cbor:"8,keyasint,omitempty"` // the outcome is unknown
}

// User is an open transaction that has one of the requested schema checks.
type User struct {
	Txn       ID     `cbor:"1,keyasint,omitempty"`
	SessionID uint64 `cbor:"2,keyasint,omitempty"` // Options.SessionID
}

// AdmissionClass is the tries at one gateway that start alike, see yield.Admission.
// Its counters start when one of them first aborted another.
type AdmissionClass struct {
	Table       Key    `cbor:"1,keyasint,omitempty"` // prefix of the keys of the table they start with
	Once        bool   `cbor:"2,keyasint,omitempty"` // they are updates in one request
	Window      int    `cbor:"3,keyasint,omitempty"` // how many may contend; 0: unlimited
	Running     int    `cbor:"4,keyasint,omitempty"` // contending now
	Queue       int    `cbor:"5,keyasint,omitempty"` // waiting for admission
	Admitted    uint64 `cbor:"6,keyasint,omitempty"` // immediately or after a wait
	Delayed     uint64 `cbor:"7,keyasint,omitempty"` // had to wait
	Refused     uint64 `cbor:"8,keyasint,omitempty"` // timed out in the queue
	LostPercent int    `cbor:"9,keyasint,omitempty"` // failed tries among the recent ones
}

// HotKey is a key with many waiters, one that many transactions update as a group, or one of the most
// updated among those whose temperature is measured (Bonspiel section 3.2).
type HotKey struct {
	Shard        ShardID `cbor:"1,keyasint,omitempty"`
	Key          Key     `cbor:"2,keyasint,omitempty"`
	Queue        int     `cbor:"3,keyasint,omitempty"` // waiting requests
	Group        int     `cbor:"4,keyasint,omitempty"` // transactions that have updated it and have not ended
	MilliUpdates uint64  `cbor:"5,keyasint,omitempty"` // recent updates per thousand seconds
}

// LockWait is one request waiting for a lock.
type LockWait struct {
	Shard       ShardID `cbor:"1,keyasint,omitempty"`
	Txn         ID      `cbor:"2,keyasint,omitempty"`
	Holder      ID      `cbor:"3,keyasint,omitempty"`
	Key         Key     `cbor:"4,keyasint,omitempty"` // one key on which Holder conflicts
	WaitedNanos int64   `cbor:"5,keyasint,omitempty"`

	Priority       Priority `cbor:"6,keyasint,omitempty"` // of Txn
	HolderPriority Priority `cbor:"7,keyasint,omitempty"`
}

// ContentionReport combines the answers of the nodes of a cluster.
type ContentionReport struct {
	Nodes  map[NodeID]*ContentionReply
	Silent []NodeID // did not answer in time
	// SessionIDs are the Options.SessionID of this gateway's transactions that wait or hold locks.
	SessionIDs map[ID]uint64
}

// ContentionWait bounds how long a query waits for answers.
const ContentionWait = 2 * time.Second

// ContentionQuerier is implemented by gateways that can query all nodes.
type ContentionQuerier interface {
	// Contention queries all nodes of the directory, for at most ContentionWait.
	Contention(ctx context.Context) (ContentionReport, error)
}

// Users is implemented by gateways that can query all nodes for the users of a table definition.
type Users interface {
	// Using returns the open transactions of all gateways that have one of these schema checks, by rising
	// id. Nodes that do not answer within ContentionWait are left out.
	Using(ctx context.Context, guards []string) ([]User, error)
	// Known asks all nodes for the transactions that are open or ended recently, as
	// Contention does.
	Known(ctx context.Context) (ContentionReport, error)
}

// Endable is implemented by transactions whose Rollback takes a cause.
type Endable interface {
	// RollbackFor is Rollback with its cause.
	RollbackFor(Cause)
	// RollbackAndWait is RollbackFor, and returns when the transaction's locks at sources are
	// released. It does not wait long for a source that does not answer.
	RollbackAndWait(Cause)
}
