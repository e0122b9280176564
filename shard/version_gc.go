package shard

import (
	"time"

	"isochron/store"
	"isochron/txn"
)

// collecting logs, at a leader, from time to time, which versions no read can
// need.
type collecting struct {
	state   *state
	keep    time.Duration // how long old versions can be read
	propose func(command) bool
	at      time.Duration // time of the next proposal
}

func newCollecting(s *state, keep, now time.Duration, propose func(command) bool) collecting {
	return collecting{s, keep, propose, now + keep/4}
}

// step proposes a collection, if it is time.
func (c *collecting) step(now txn.Now) {
	upTo := txn.Timestamp(max(now.WallNanos-int64(c.keep), 0))
	if now.Mono < c.at || upTo <= c.state.applied.Keep {
		return
	}
	c.at = now.Mono + c.keep/4
	c.propose(command{Collect: &collectCmd{Keep: upTo, Now: txn.Timestamp(now.WallNanos)}})
}

// The bounds of one step of the collection of old versions.
const (
	sweepVersions = 500
	sweepEvery    = 50 * time.Millisecond
)

// sweep is the progress of the collection of old versions.
type sweep struct {
	next []byte // where it continues; nil: complete
	upTo txn.Timestamp
	at   time.Duration // of the next step
}

// has reports whether there is something to collect.
func (w *sweep) has(s *state) bool { return w.next != nil || w.upTo < s.applied.Keep }

// step removes collectable versions, a few at a time. Each replica does so at its
// own pace; no read sees a difference.
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
