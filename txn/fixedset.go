package txn

import "context"

// A 2FI transaction (Carousel, SIGMOD'18: two rounds, fixed sets, interactive) declares at its start
// the keys it reads and the keys it may write. It has two rounds: the values read determine the
// values written. Protocols with decide.Policy.FixedSet prepare it in the round that reads:
//
//	coordinator            shard leader
//	Prepare       ->                          with FixedSet: reads, and concurrency control
//	              <-       FixedSetReads      the rows, as soon as they are locked
//	              <-       Vote               after a majority has the vote
//	Decide        ->                          with the writes, which the vote did not contain

// FixedSetTxn is a whole 2FI transaction.
type FixedSetTxn struct {
	// Reads are the keys it reads, each once. Writes are the keys it may write; some may be among
	// Reads. Without Writes it is a snapshot read.
	Reads, Writes []Key
	// Then computes the writes from the values of Reads, in their order; nil is a row that does
	// not exist. It may leave out keys of Writes; ok == false abandons the transaction. It runs
	// at the gateway, at most once, possibly after the caller has given up: it must be
	// quick, must not wait and must not use shared state.
	Then func(values [][]byte) (writes []Write, ok bool)
}

// FixedSetRunner is implemented by transactions that can run as 2FI transactions.
type FixedSetRunner interface {
	// RunFixedSet runs and ends the whole transaction; nothing may have been read or written before.
	// done is false if Then abandoned it. Errors are those of Read and Commit, and
	// KindInvalidRequest if Then writes a key that was not declared.
	RunFixedSet(ctx context.Context, d FixedSetTxn) (done bool, err error)
}

// FixedSet is the part of a Prepare for a 2FI transaction: its Writes have no values yet.
type FixedSet struct {
	Reads []Key `cbor:"1,keyasint,omitempty"` // answered in this order
	// ArrivalTime is the estimated time at which the last participant receives its Prepare, in
	// nanoseconds of the receivers' wall clocks; 0: process on receipt. Ends is the estimated time
	// of the transaction's end.
	ArrivalTime int64 `cbor:"2,keyasint,omitempty"`
	Ends        int64 `cbor:"3,keyasint,omitempty"`
	// Parts, where the protocol needs them, are its parts at the other shards: conditional votes
	// depend on conflicts there (Natto section 3.3.2). They are not logged.
	Parts []FixedSetPart `cbor:"4,keyasint,omitempty"`
}

// FixedSetPart is the keys that a 2FI transaction may write and reads at a shard, and the time at
// which its Prepare should arrive there, in nanoseconds of the leader's wall clock.
type FixedSetPart struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Reads   []Key   `cbor:"2,keyasint,omitempty"`
	Writes  []Key   `cbor:"3,keyasint,omitempty"`
	Arrives int64   `cbor:"4,keyasint,omitempty"`
}

// FixedSetReads are the rows that a 2FI transaction reads at a shard. They are locked for it; its vote is not
// durable yet.
type FixedSetReads struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Attempt Attempt `cbor:"2,keyasint,omitempty"`
	Rows    []Row   `cbor:"3,keyasint,omitempty"`
}

// Forward asks the coordinator of an attempt to serve, if the attempt commits, the read of another
// transaction that waits for it at a shard (Natto section 3.4). If it aborts there is no answer.
type Forward struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Attempt Attempt `cbor:"2,keyasint,omitempty"`
	Reader  Attempt `cbor:"3,keyasint,omitempty"`
	Rows    []Row   `cbor:"4,keyasint,omitempty"` // that Reader reads there, as before the commit
}

// ShardWrites are the writes of a transaction at one shard.
type ShardWrites struct {
	Shard  ShardID `cbor:"1,keyasint,omitempty"`
	Writes []Write `cbor:"2,keyasint,omitempty"`
}
