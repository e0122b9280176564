package shard

import (
	"time"

	"isochron/store"
	"isochron/txn"
)

// The bounds of one step of the collection of old versions.
const (
	sweepVersions = 500
	sweepEvery    = 50 * time.Millisecond
)

// sweep is how far the collection of old versions has come.
type sweep struct {
	next []byte // where it goes on; nil: it is through
	upTo txn.Timestamp
	at   time.Duration // of the next step
}

// has reports whether there is something to be collected.
func (w *sweep) has(s *state) bool { return w.next != nil || w.upTo < s.applied.Keep }

// step removes, a little at a time, what the log allowed to go. Each replica does so at
// its own pace: no read can tell.
func (w *sweep) step(now time.Duration, s *state, engine store.Engine) {
	if !w.has(s) || now < w.at {
		return
	}
	w.at = now + sweepEvery
	if w.next == nil {
		w.upTo = s.applied.Keep
	}
	var b store.Batch
	w.next = store.Collect(engine, &b, s.rows, w.upTo, w.next, sweepVersions)
	if !b.Empty() {
		engine.Apply(&b)
	}
}
