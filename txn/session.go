package txn

import (
	"context"

	"isochron/geo"
	"isochron/routing"
)

// Lock is what a read asks to hold on what it reads.
type Lock uint8

// The locks a read can ask for. LockNone reads as the protocol row says.
const (
	LockNone      Lock = iota
	LockShared         // FOR SHARE: nobody changes it before this transaction ends
	LockExclusive      // FOR UPDATE: nobody else locks it either
)

// Wait says what a locking read does when a row is locked by another.
type Wait uint8

// The ways to meet a lock.
const (
	WaitForLock Wait = iota // bounded by the lock wait timeout
	NoWait                  // fail at once with KindNoWait
	SkipLocked              // leave locked rows out of the result
	LookLocked              // the same, of scans alone, and lock nothing: it is not checked at the commit
)

// Skips reports whether locked rows are left out.
func (w Wait) Skips() bool { return w == SkipLocked || w == LookLocked }

// Span is the half-open range of keys [Start, End).
type Span struct {
	Start Key `cbor:"1,keyasint,omitempty"`
	End   Key `cbor:"2,keyasint,omitempty"`
}

// Contains reports whether k lies in the span.
func (s Span) Contains(k Key) bool { return s.Start <= k && k < s.End }

// Scan reads a span in key order (or its reverse). Limit 0 means all of it.
type Scan struct {
	Span    Span
	Limit   int
	Reverse bool
}

// Read is one round: everything in it is asked of all shards at once. Results
// keep the order of the request.
type Read struct {
	Gets  []Key
	Scans []Scan
	Lock  Lock
	Wait  Wait
	// ForWrite says that the transaction means to write what it reads: a row
	// whose reads lock takes exclusive locks at once.
	ForWrite bool
	// FixedSet, of an Update, are all keys that it may write, where they are known before it
	// reads: it is a declared transaction then (Declarer), where the row has any.
	FixedSet []Key
	// OnlyRead promises that this is the transaction's only read and that it will
	// write nothing (an autocommit SELECT): it may need no validation.
	OnlyRead bool
	// Page ends each scan where the bounds of one answer end it, about 4 MiB:
	// ReadResult.More tells. It goes with Options.AsOf.
	Page bool
	// WantReadTS asks the leaders of the shards of Gets for a moment, see Present.
	WantReadTS bool
}

// Pair is a key with its value.
type Pair struct {
	Key   Key    `cbor:"1,keyasint,omitempty"`
	Value []byte `cbor:"2,keyasint,omitempty"`
}

// ReadResult answers a Read: Values[i] for Gets[i] (nil: no such row), Pairs[i]
// for Scans[i]. The transaction's own writes are in it.
type ReadResult struct {
	Values [][]byte
	Pairs  [][]Pair
	More   []bool    // for Scans[i] of a Page: rows are left after the last of Pairs[i]
	At     Timestamp // answers Present, or is the moment that was read
}

// Options of a transaction.
type Options struct {
	// RetryOf is the aborted transaction that this one does again, if any: it
	// inherits the age, so that it wins in the end, and a 2PL row reads under
	// locks the second time.
	RetryOf Txn
	// Priority is its place before all of lower priority, whatever their ages. What is done
	// again keeps the higher of its own and this.
	Priority Priority
	// AutoRetry: the gateway does it again by itself, and its client has not heard that
	// it lost. It is counted, see Survey.
	AutoRetry bool
	// ReadOnly refuses writes.
	ReadOnly bool
	// AsOf, if not 0, makes a read-only transaction of one moment: it sees all
	// commits up to AsOf and none after, takes no locks and validates nothing.
	// Whoever needs what was acknowledged before asks Present for the moment. It
	// fails with KindTooOld if versions of that moment may be gone.
	AsOf Timestamp
	// ProtectMillis keeps the versions of AsOf, at each shard that is read, for so
	// long from the read on, but for no longer than MaxProtect. Reading renews it.
	ProtectMillis int64
	// LockWaitMillis bounds each wait for a lock; 0 is the default of the cluster.
	LockWaitMillis int64
	// SilenceMillis is for how long a source, or its agent, may answer nothing before what it was
	// asked is given up; 0 is the default, SourceSilence.
	SilenceMillis int64
	// CommitWaitMillis bounds how long a commit is waited for before its client is sent KindUnknown; 0
	// is the default of the cluster.
	CommitWaitMillis int64
	// SessionID names the client to whoever looks at the transaction while it is open.
	SessionID uint64
	// Level is what the plain reads promise.
	Level Level
	// SystemTxn begins also while transactions of clients are held back: what these
	// wait for inside, and what an operator orders.
	SystemTxn bool
}

// DB is one gateway: the place in one region where clients begin transactions.
type DB interface {
	// Begin starts a transaction. It sends nothing.
	Begin(opt Options) Txn
	// Directory is the routing this gateway knows now. Never nil.
	Directory() *routing.Directory
	// Region is the gateway's region.
	Region() geo.Region
	// ReadLocal reads a key of the nearest replica's applied state, outside any
	// transaction, possibly stale; ok is false when no replica is near.
	ReadLocal(key Key) (value []byte, version Version, ok bool)
}

// Txn is a transaction of one client, serializable unless Options.Level says less. It is not safe for use by
// two goroutines at once. Every error is an *Error; after KindAborted,
// KindUnknown or KindUnavailable only Rollback may follow.
type Txn interface {
	// Read costs one parallel round to the shards concerned; what this
	// transaction has read before is answered without one.
	Read(ctx context.Context, r Read) (ReadResult, error)
	// Put and Delete are buffered: they cost nothing before Commit. value must
	// not be empty and is not copied.
	Put(key Key, value []byte)
	Delete(key Key)
	// SchemaCheck makes the commit depend, at every shard it touches, on the
	// shard-local key routing.LocalKey(shard, name) having this version. If it has
	// another the transaction fails with KindStale; a shard without that key has
	// no opinion. Guard before the Read that it is to cover.
	SchemaCheck(name string, version Version)
	// Savepoint marks the writes so far; RollbackTo undoes those after the mark.
	// Reads are never undone: they stay tracked, and locks stay held.
	Savepoint() int
	RollbackTo(savepoint int)
	// Commit ends the transaction. nil: committed. KindUnknown: the outcome is
	// not known. Any other error: certainly not committed.
	Commit(ctx context.Context) error
	// Rollback ends the transaction; harmless after its end.
	Rollback()
	// Stats says what the transaction cost so far.
	Stats() Stats
	// ID names the transaction.
	ID() ID
}

// Publisher is implemented by transactions that can pass on what they have
// written of rows for which others wait, before they commit. Whoever has sent a
// statement that writes, and will send another, calls it: the next may then go on
// from the uncommitted value, commits after this transaction, and is undone with it.
type Publisher interface {
	// Publish waits for nothing, and does nothing unless somebody is known to wait
	// for a row that has been written since: then it is true.
	Publish() bool
}

// Updater is implemented by transactions that can read and commit in one go.
type Updater interface {
	// Update reads keys in one round and commits what f makes of their values, in
	// the order of their keys. The transaction must have written nothing before. f
	// runs at the gateway, where nothing may wait, and may run after the caller has
	// given up: it must be quick and use nothing that others change. If it gives
	// ok == false nothing is committed, done is false and the transaction goes on
	// as after a Read, or, if it was declared, as if it had read nothing. Errors are those of Read and Commit; with KindUnknown the
	// commit may have happened.
	Update(ctx context.Context, r Read, f func(values [][]byte) (writes []Write, ok bool)) (done bool, err error)
}

// Confirmer is implemented by transactions that can check what they have read before
// they end.
type Confirmer interface {
	// Confirm checks that all that was read, as far as the level promises anything of
	// it, stands at one moment. nil: it does, or (where every replica validates) nobody
	// can say so before the commit. It costs a round if anything was read without a
	// lock. Errors are those of a Read.
	Confirm(ctx context.Context) error
}

// Bounded is implemented by transactions that bound their buffered writes.
type Bounded interface {
	// Full is nil until a Put or Delete found no room: that write was not kept.
	// Until RollbackTo every Read and Commit fails with the same error.
	Full() *Error
}

// Stats is what a transaction cost.
type Stats struct {
	Rounds        int  // parallel read rounds that left the gateway
	WideRounds    int  // of these, those that waited for another region
	CommitRounds  int  // prepare rounds
	Shards        int  // shards touched
	FixedSet      bool // it was voted on while it was read: its rounds are one
	CommitVersion Version
	// CommitAt is the commit's timestamp, which orders the versions of a row; 0 if
	// nothing was written.
	CommitAt Timestamp
}
