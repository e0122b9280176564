package source

import (
	"math/bits"
	"time"

	"isochron/participant"
	"isochron/txn"
)

// tally counts an agent's branches by outcome since it was opened.
type tally struct{ participant.SourceCounts }

// worked counts a batch of statements.
func (t *tally) worked(statements int) {
	t.Works++
	t.Statements += uint64(statements)
}

// refused counts a refused batch, or a No, by its cause.
func (t *tally) refused(cause txn.Cause) {
	if int(cause) >= len(t.Refused) {
		cause = txn.CauseOther
	}
	t.Refused[cause]++
}

// ended counts a branch's end and how long it held rows; zero: unknown.
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

// heldBucket returns the first bucket of SourceCounts.Held whose bound is not below held.
func heldBucket(held time.Duration) int {
	ms := uint64((held + time.Millisecond - 1) / time.Millisecond)
	if ms == 0 {
		return 0
	}
	return min(bits.Len64(ms-1), len(participant.SourceCounts{}.Held)-1)
}
