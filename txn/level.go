package txn

import "context"

// Level is what a transaction promises of its plain reads: those that ask for no
// lock and are not for writing. At every level writes are whole, and what is read
// with a lock or for writing is the newest and locked to the end.
type Level uint8

// The levels.
const (
	// Serializable: the reads are checked at the commit, or locked, as the row says.
	Serializable Level = iota
	// RepeatableRead is snapshot isolation: all plain reads see one moment, chosen
	// at the first of them. A write of, or a lock on, something that was written
	// after that moment is refused, so no update is lost. Two transactions may each
	// write what the other has read: write skew is possible.
	RepeatableRead
	// ReadCommitted: the plain reads of one statement see one moment, chosen at the
	// first of them. Nothing that was read without a lock is checked.
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

// SnapshotTxn is implemented by transactions of the weaker levels. A moment has in it
// all commits that were acknowledged at this gateway before it was chosen; of other
// gateways' commits it may miss those that are younger than the difference
// between the nodes' clocks.
type SnapshotTxn interface {
	// NextStatement lets a ReadCommitted transaction choose a new moment.
	NextStatement()
	// Choose chooses the moment of a RepeatableRead transaction now. It asks nobody
	// but the gateway; at other levels it does nothing.
	Choose(ctx context.Context) error
}
