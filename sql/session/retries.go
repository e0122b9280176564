package session

import (
	"slices"
	"strings"
	"time"

	"isochron/txn"
)

// staleTriesMax is how often a statement is done again because the schema has changed, which is no
// matter of patience.
const staleTriesMax = 50

// sourceDeadlock is a source's number for a transaction that it has rolled back for another.
const sourceDeadlock = 1213

// unrepeatable are words of statements that have effects beside their transaction's,
// of which the session is not notified: a lock taken once more, a file asked of the client.
var unrepeatable = []string{"get_lock", "release_lock", "release_all_locks", "infile"}

// SaysLasting reports whether a text may have such effects.
func SaysLasting(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(unrepeatable, func(word string) bool { return strings.Contains(lower, word) })
}

// Worthwhile reports whether a failure is one that another try may not meet.
func Worthwhile(f *txn.Error) bool {
	return f != nil && (f.Kind == txn.KindAborted || f.Kind == txn.KindStale) && (f.Fault == nil || f.Fault.Code == sourceDeadlock)
}

// Patient reports whether one more try is within the bounds; try is that which failed. notFinal: it
// was read in the wrong way.
func (c *choices) Patient(notFinal bool, f *txn.Error, try int, began time.Time) bool {
	switch {
	case notFinal && f.Kind == txn.KindAborted && try == 0:
		return true // it was read in the wrong way, and lost to no other
	case f.Kind == txn.KindStale:
		return try+1 < staleTriesMax
	default:
		return try < c.Retries && time.Since(began) < c.patience
	}
}
