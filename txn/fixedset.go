package txn

import "context"

// A declared transaction says at its start what it reads and what it may write. It has two rounds
// and no more: what is read decides what is written (Carousel, SIGMOD'18, calls it 2FI: two rounds,
// fixed sets, interactive). Where a row decides so (decide.Choice.Declares), it is voted on while
// it is read:
//
//	coordinator            shard leader
//	Prepare       ->                          with Declared: reads, and concurrency control
//	              <-       Served             the rows, as soon as they are held
//	              <-       Vote               after a majority has the vote
//	Decide        ->                          with what is written here, which the vote did not know

// FixedSetTxn is a whole transaction.
type FixedSetTxn struct {
	// Reads are the keys that it reads, each once, and Writes those that it may write, of which
	// some may be among Reads. Without Writes it is a read of one moment.
	Reads, Writes []Key
	// Then makes the writes of the values of Reads, in their order; nil is a row that is not
	// there. It may leave keys of Writes out, and ok == false gives the transaction up. It runs
	// at the gateway, maybe after the caller has given up, and not more than once: it must be
	// quick, wait for nothing and use nothing that others change.
	Then func(values [][]byte) (writes []Write, ok bool)
}

// FixedSetRunner is implemented by transactions that can be declared.
type FixedSetRunner interface {
	// RunFixedSet carries out the whole transaction, of which nothing was read or written before,
	// and ends it. done is false if Then gave it up. Errors are those of Read and Commit, and
	// KindInvalidRequest if Then writes what was not declared.
	RunFixedSet(ctx context.Context, d FixedSetTxn) (done bool, err error)
}

// FixedSet is what a Prepare says of a declared transaction: its Writes have no values yet.
type FixedSet struct {
	Reads []Key `cbor:"1,keyasint,omitempty"` // answered in this order
	// ArrivalTime is when the last of its Prepares should have arrived, by the wall clocks of those
	// who receive them, in nanoseconds; 0: it is voted on when it comes. Ends is when it should
	// have ended.
	ArrivalTime int64 `cbor:"2,keyasint,omitempty"`
	Ends        int64 `cbor:"3,keyasint,omitempty"`
	// Parts, where they matter, are its parts at the other shards: votes are given on condition of
	// what comes of them there (Natto section 3.3.2). No log has them.
	Parts []FixedSetPart `cbor:"4,keyasint,omitempty"`
}

// FixedSetPart is what a declared transaction may write at a shard, what it reads there besides, and
// when its Prepare should arrive there, by the wall clock of its leader, in nanoseconds.
type FixedSetPart struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Reads   []Key   `cbor:"2,keyasint,omitempty"`
	Writes  []Key   `cbor:"3,keyasint,omitempty"`
	Arrives int64   `cbor:"4,keyasint,omitempty"`
}

// FixedSetReads are the rows that a declared transaction reads at a shard. They are held for it, and it
// is not known yet whether its vote will last.
type FixedSetReads struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Attempt Attempt `cbor:"2,keyasint,omitempty"`
	Rows    []Row   `cbor:"3,keyasint,omitempty"`
}

// Forward asks the coordinator of an attempt to serve, if that commits, the read of another that waits
// for it at a shard (Natto section 3.4). Nobody answers if it does not.
type Forward struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Attempt Attempt `cbor:"2,keyasint,omitempty"`
	Reader  Attempt `cbor:"3,keyasint,omitempty"`
	Rows    []Row   `cbor:"4,keyasint,omitempty"` // that Reader reads there, as they are before the commit
}

// ShardWrites is what a transaction writes at one shard.
type ShardWrites struct {
	Shard  ShardID `cbor:"1,keyasint,omitempty"`
	Writes []Write `cbor:"2,keyasint,omitempty"`
}
