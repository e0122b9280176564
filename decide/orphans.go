package decide

import (
	"time"

	"isochron/txn"
)

// Orphans tells of votes that are undecided for too long: somebody must find out how their attempts
// ended, or end them. Whoever is told is given as much time again.
type Orphans struct {
	after time.Duration
	at    map[txn.Attempt]time.Duration // when a vote is one; others are so from their log on
}

// NewOrphans are votes that are undecided for so long.
func NewOrphans(after time.Duration) *Orphans {
	return &Orphans{after, map[txn.Attempt]time.Duration{}}
}

// Await takes in that somebody sees to an attempt from now on.
func (o *Orphans) Await(a txn.Attempt, now time.Duration) { o.at[a] = now + o.after }

// Due reports whether somebody is to be told of a vote that is known since a moment, and then not
// again for a while. One whose coordinator is lost need not be waited for, if nobody else sees to
// it.
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

// Ended forgets an attempt.
func (o *Orphans) Ended(a txn.Attempt) { delete(o.at, a) }
