package decide

import (
	"time"

	"isochron/txn"
)

// Orphans finds votes that are undecided for too long, so that a coordinator recovers their
// attempts. After each report it waits for the same time again.
type Orphans struct {
	after time.Duration
	at    map[txn.Attempt]time.Duration // when a vote is an orphan; for others counted from their log entry
}

// NewOrphans returns the orphans for a bound on undecided votes.
func NewOrphans(after time.Duration) *Orphans {
	return &Orphans{after, map[txn.Attempt]time.Duration{}}
}

// Await notes that a coordinator handles the attempt from now on.
func (o *Orphans) Await(a txn.Attempt, now time.Duration) { o.at[a] = now + o.after }

// Due reports whether a vote known since a time is to be reported as an orphan; it is not again for
// a while. A lost coordinator is not waited for, unless another handles the attempt.
func (o *Orphans) Due(now time.Duration, a txn.Attempt, since time.Duration, lost bool) bool {
	at, ok := o.at[a]
	switch {
	case !ok && lost:
		at = now
	case !ok:
		at = since + o.after
	}
	if now < at {
		return false
	}
	o.Await(a, now)
	return true
}

// Ended drops an attempt.
func (o *Orphans) Ended(a txn.Attempt) { delete(o.at, a) }
