package txn

import (
	"context"

	"isochron/geo"
	"isochron/routing"
)

// Lock is the lock that a read requests.
type Lock uint8

// The lock modes of a read. LockNone reads as the protocol specifies.
const (
	LockNone      Lock = iota
	LockShared         // FOR SHARE: no other transaction changes the row before this one ends
	LockExclusive      // FOR UPDATE: no other transaction locks it either
)

// Wait is the reaction of a locking read to a row locked by another transaction.
type Wait uint8

// The wait policies.
const (
	WaitForLock Wait = iota // bounded by the lock wait timeout
	NoWait                  // fail immediately with KindNoWait
	SkipLocked              // omit locked rows from the result
	LookLocked              // as SkipLocked, for scans only, without taking locks; not validated at the commit
)

// Skips reports whether locked rows are omitted.
func (w Wait) Skips() bool { return w == SkipLocked || w == LookLocked }

// Span is the half-open range of keys [Start, End).
type Span struct {
	Start Key `cbor:"1,keyasint,omitempty"`
	End   Key `cbor:"2,keyasint,omitempty"`
}

// Contains reports whether k is in the span.
func (s Span) Contains(k Key) bool { return s.Start <= k && k < s.End }

// Scan reads a span in key order (or its reverse). Limit 0 means all of it.
type Scan struct {
	Span    Span
	Limit   int
	Reverse bool
}

// Read is one round: all shards are asked in parallel. Results keep the order of the
// request.
type Read struct {
	Gets  []Key
	Scans []Scan
	Lock  Lock
	Wait  Wait
	// ForWrite: the transaction intends to write the rows it reads. A protocol
	// whose reads lock takes exclusive locks immediately.
	ForWrite bool
	// FixedSet, of an Update, are all keys it may write, if they are known before it reads: it
	// runs as a 2FI transaction (FixedSetRunner) if the protocol has them.
	FixedSet []Key
	// ExpectsAbsent, of an Update: none of the rows of Gets is expected to exist. They are not read:
	// the vote checks that there are none. If there is one, they are read after all, and the
	// writes computed again from their values.
	ExpectsAbsent bool
	// OnlyRead promises that this is the transaction's only read and that it writes nothing
	// (an autocommit SELECT): it may need no validation.
	OnlyRead bool
	// Page ends each scan at the bound of one answer, about 4 MiB, and sets
	// ReadResult.More. It is used with Options.AsOf.
	Page bool
	// WantReadTS asks the leaders of the shards of Gets for a read timestamp, see ReadPresent.
	WantReadTS bool
}

// Pair is a key with its value.
type Pair struct {
	Key   Key    `cbor:"1,keyasint,omitempty"`
	Value []byte `cbor:"2,keyasint,omitempty"`
}

// ReadResult answers a Read: Values[i] for Gets[i] (nil: no such row), Pairs[i]
// for Scans[i]. It includes the transaction's own writes.
type ReadResult struct {
	Values [][]byte
	Pairs  [][]Pair
	More   []bool    // for Scans[i] of a Page: rows remain after the last of Pairs[i]
	At     Timestamp // answers WantReadTS, or is the read timestamp used
}

// Options of a transaction.
type Options struct {
	// RetryOf is the aborted transaction that this one retries, if any: it
	// inherits the age, so that it eventually wins, and a 2PL protocol reads under
	// locks the second time.
	RetryOf Txn
	// Priority places it before all transactions of lower priority, whatever their ages. A retry
	// has the higher of its own priority and this.
	Priority Priority
	// AutoRetry: the gateway retries it by itself, and its client was not notified of the
	// abort. It is counted, see ContentionReply.Retried.
	AutoRetry bool
	// ReadOnly refuses writes.
	ReadOnly bool
	// AsOf, if not 0, makes a read-only transaction at this read timestamp: it sees all
	// commits up to AsOf and none after, takes no locks and validates nothing.
	// ReadPresent returns a timestamp that includes all acknowledged commits. The read
	// fails with KindTooOld if versions of that timestamp may have been collected.
	AsOf Timestamp
	// ProtectMillis protects the versions of AsOf from collection, at each shard that is read, for
	// so long after the read, at most MaxProtect. Each read renews it.
	ProtectMillis int64
	// LockWaitMillis bounds each wait for a lock; 0 is the cluster's default.
	LockWaitMillis int64
	// SilenceMillis bounds how long a request waits for a source, or its agent, that does not
	// answer; 0 is the default, SourceSilence.
	SilenceMillis int64
	// CommitWaitMillis bounds the wait for a commit before its client gets KindUnknown; 0
	// is the cluster's default.
	CommitWaitMillis int64
	// SessionID identifies the client to observers of open transactions.
	SessionID uint64
	// Level is the isolation of the plain reads.
	Level Level
	// SystemTxn begins also while clients' transactions are held back: for work that these
	// wait for internally, and for operators' commands.
	SystemTxn bool
}

// DB is one gateway, at which clients of a region begin transactions.
type DB interface {
	// Begin starts a transaction. It sends nothing.
	Begin(opt Options) Txn
	// Directory is the routing information the gateway has now. Never nil.
	Directory() *routing.Directory
	// Region is the gateway's region.
	Region() geo.Region
	// ReadLocal reads a key from the nearest replica's applied state, outside any
	// transaction, possibly stale; ok is false when no replica is near.
	ReadLocal(key Key) (value []byte, version Version, ok bool)
}

// Txn is a transaction of one client, serializable unless Options.Level is weaker. It must not be used by
// two goroutines concurrently. Every error is an *Error; after KindAborted,
// KindUnknown or KindUnavailable only Rollback may follow.
type Txn interface {
	// Read costs one parallel round to the shards concerned; rows that this
	// transaction has read before are returned without one.
	Read(ctx context.Context, r Read) (ReadResult, error)
	// Put and Delete are buffered: they cost nothing before Commit. value must
	// not be empty and is not copied.
	Put(key Key, value []byte)
	Delete(key Key)
	// SchemaCheck makes the commit depend, at every shard it touches, on the version of the
	// shard-local key routing.LocalKey(shard, name). If it has another version the
	// transaction fails with KindStale; a shard without that key passes the check. Call it
	// before the Read that it protects.
	SchemaCheck(name string, version Version)
	// Savepoint marks the writes so far; RollbackTo discards those after the mark.
	// Reads are not rolled back: they stay tracked, and locks stay held.
	Savepoint() int
	RollbackTo(savepoint int)
	// Commit ends the transaction. nil: committed. KindUnknown: the outcome is
	// unknown. Any other error: certainly not committed.
	Commit(ctx context.Context) error
	// Rollback ends the transaction; after its end it does nothing.
	Rollback()
	// Stats returns the transaction's costs so far.
	Stats() Stats
	// ID returns the transaction's id.
	ID() ID
}

// Publisher is implemented by transactions that can publish their writes to rows with waiters
// before they commit. A client that has sent a statement that writes, and will send another,
// calls it: the next transaction may then read the uncommitted value; it commits after this
// transaction and aborts with it.
type Publisher interface {
	// Publish does not wait. It returns true if it published: a row written since the last call
	// is known to have waiters.
	Publish() bool
}

// Updater is implemented by transactions that can read and commit in one call.
type Updater interface {
	// Update reads keys in one round and commits the writes that f computes from their values, in
	// the order of their keys. The transaction must have written nothing before. f
	// runs at the gateway, possibly after the caller has given up: it must be quick, must not wait
	// and must not use shared state. If f returns ok == false nothing is committed, done is false
	// and the transaction continues as after a Read or, if it ran as a 2FI transaction, as if it
	// had read nothing. With ExpectsAbsent f may be called twice. Errors are those of Read and
	// Commit; with KindUnknown the commit may have happened.
	Update(ctx context.Context, r Read, f func(values [][]byte) (writes []Write, ok bool)) (done bool, err error)
}

// Confirmer is implemented by transactions that can validate their reads before
// they end.
type Confirmer interface {
	// Confirm validates that all reads, as far as the level covers them, are valid at one time.
	// nil: they are, or (where every replica validates) it cannot be determined before the
	// commit. It costs a round if anything was read without a
	// lock. Errors are those of a Read.
	Confirm(ctx context.Context) error
}

// Bounded is implemented by transactions that bound their buffered writes.
type Bounded interface {
	// Full is nil until a Put or Delete exceeded the bound: that write was not kept.
	// Until RollbackTo every Read and Commit fails with the same error.
	Full() *Error
}

// Stats are the costs of a transaction.
type Stats struct {
	Rounds        int  // parallel read rounds that left the gateway
	WideRounds    int  // of these, rounds that waited for another region
	CommitRounds  int  // prepare rounds
	Shards        int  // shards touched
	FixedSet      bool // prepared in the round that read
	CommitVersion Version
	// CommitAt is the commit's timestamp, which orders the versions of a row; 0 if
	// nothing was written.
	CommitAt Timestamp
}
