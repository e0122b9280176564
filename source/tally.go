package source

import (
	"math/bits"
	"time"

	"isochron/participant"
	"isochron/txn"
)

// tally counts what has become of an agent's branches since it was opened.
type tally struct{ participant.SourceCounts }

// worked notes a message with statements.
func (t *tally) worked(statements int) {
	t.Works++
	t.Statements += uint64(statements)
}

// refused notes why something was refused: a work, or a Yes.
func (t *tally) refused(cause txn.Cause) {
	if int(cause) >= len(t.Refused) {
		cause = txn.CauseOther
	}
	t.Refused[cause]++
}

// ended notes the end of a branch that held rows for a time; zero: it is not known for how long.
func (t *tally) ended(how txn.Outcome, held time.Duration) {
	switch how {
	case txn.OutcomeCommitted:
		t.Committed++
	case txn.OutcomeAborted:
		t.Aborted++
	default:
		t.Unknown++
	}
	if held > 0 {
		t.HeldNanos += uint64(held)
		t.Held[heldBucket(held)]++
	}
}

// heldBucket is the first bucket of SourceCounts.Held whose bound a time is within.
func heldBucket(held time.Duration) int {
	ms := uint64((held + time.Millisecond - 1) / time.Millisecond)
	if ms == 0 {
		return 0
	}
	return min(bits.Len64(ms-1), len(participant.SourceCounts{}.Held)-1)
}
