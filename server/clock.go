package server

import (
	"time"

	"isochron/txn"
)

// clock is the time source of this process's nodes. Monotonic time counts from the start of the process and
// means nothing to other processes.
type clock struct{ start time.Time }

func newClock() clock { return clock{time.Now()} }

func (c clock) mono() time.Duration { return time.Since(c.start) }

func (c clock) now() txn.Now {
	t := time.Now()
	return txn.Now{Mono: t.Sub(c.start), WallNanos: t.UnixNano()}
}
