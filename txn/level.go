package txn

import "context"

// Level is the isolation of a transaction's plain reads: reads without a lock that are not
// for writing. At every level writes are atomic, and a read with a lock or for writing
// returns the newest value and keeps it locked until the end.
type Level uint8

// The levels.
const (
	// Serializable: the reads are validated at the commit, or locked, as the protocol specifies.
	Serializable Level = iota
	// RepeatableRead is snapshot isolation: all plain reads use one read timestamp, chosen
	// at the first of them. Writing or locking a row that was written after it fails, so no
	// update is lost. Two transactions may each write what the other has read: write skew
	// is possible.
	RepeatableRead
	// ReadCommitted: the plain reads of one statement use one read timestamp, chosen at the
	// first of them. Reads without a lock are not validated.
	ReadCommitted
)

func (l Level) String() string {
	switch l {
	case Serializable:
		return "serializable"
	case RepeatableRead:
		return "repeatable read"
	}
	return "read committed"
}

// SnapshotTxn is implemented by transactions of the weaker levels. A read timestamp includes
// all commits acknowledged at this gateway before it was chosen; of other gateways' commits
// it may miss those younger than the difference between the nodes' clocks.
type SnapshotTxn interface {
	// NextStatement has a ReadCommitted transaction choose a new read timestamp.
	NextStatement()
	// Choose chooses the read timestamp of a RepeatableRead transaction now, at the gateway alone;
	// at other levels it does nothing.
	Choose(ctx context.Context) error
}
