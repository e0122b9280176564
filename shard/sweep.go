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

// sweepsVersions reports whether there is something to be collected.
func (r *Replica) sweepsVersions() bool { return r.sweep != nil || r.sweepTS < r.state.applied.Keep }

// sweepVersions removes, a little at a time, what the log allowed to go. Each
// replica does so at its own pace: no read can tell.
func (r *Replica) sweepVersions(now txn.Now) {
	if !r.sweepsVersions() || now.Mono < r.sweepAt {
		return
	}
	r.sweepAt = now.Mono + sweepEvery
	if r.sweep == nil {
		r.sweepTS = r.state.applied.Keep
	}
	var b store.Batch
	r.sweep = store.Collect(r.cfg.Engine, &b, r.state.rows, r.sweepTS, r.sweep, sweepVersions)
	if !b.Empty() {
		r.cfg.Engine.Apply(&b)
	}
}
