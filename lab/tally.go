package lab

import (
	"errors"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"isochron/history"
	"isochron/txn"
)

// The range and precision of measurements: a microsecond to an hour, to three significant digits.
// Averages are exact.
const (
	lowestMicros  = 1
	highestMicros = int64(time.Hour / time.Microsecond)
	digits        = 3
)

// dist is a distribution of durations.
type dist struct {
	hist *hdrhistogram.Histogram
	sum  time.Duration
	n    int64
}

func (d *dist) add(v time.Duration) {
	if d.hist == nil {
		d.hist = hdrhistogram.New(lowestMicros, highestMicros, digits)
	}
	d.sum += v
	d.n++
	_ = d.hist.RecordValue(min(max(v.Microseconds(), lowestMicros), highestMicros)) // inside the range it is always recorded
}

func (d *dist) avg() time.Duration {
	if d.n == 0 {
		return 0
	}
	return d.sum / time.Duration(d.n)
}

// quantile returns the quantile at a percentage; 0 of no values.
func (d *dist) quantile(percent float64) time.Duration {
	if d.n == 0 {
		return 0
	}
	return time.Duration(d.hist.ValueAtQuantile(percent)) * time.Microsecond
}

// tally has the outcomes of one class of transactions.
type tally struct {
	committed, aborted, unknown, gaveUp int64

	latency, commit, lockWait dist // of committed transactions
	every                     dist // see Figures.EveryMS
	underWay                  int64
	slowest                   slowest
	execute, commits, aborts  time.Duration
	lostExecute, lostCommit   time.Duration // of tries that were aborted
	hops, hopsKnown           int64
	causes                    [txn.Causes]int64 // of aborts
}

// causeOf returns why a try was aborted.
func causeOf(err error) txn.Cause {
	var e *txn.Error
	if errors.As(err, &e) {
		return e.AbortCause()
	}
	return txn.CauseOther
}

// lose adds a try that was aborted.
func (t *tally) lose(cause txn.Cause, execute, commit time.Duration) {
	t.aborted++
	t.causes[cause]++
	t.lostExecute += execute
	t.lostCommit += commit
}

// byCause returns the aborted tries by the names of their causes, without zeros.
func (t *tally) byCause() map[string]int64 {
	out := map[string]int64{}
	for cause, n := range t.causes {
		if n > 0 {
			out[txn.Cause(cause).String()] = n
		}
	}
	return out
}

// outcome is one transaction that ended.
type outcome struct {
	committed, unknown bool
	byWish             bool // its client cancelled it
	tries              int
	latency            time.Duration
	lockWait           time.Duration // of it, in all tries
	execute            time.Duration // of the last try, up to its commit
	commit             time.Duration // from the commit to its answer
	hops               int
	hopsKnown          bool
}

// reported returns the outcome as the client knows it.
func (o outcome) reported() history.Outcome {
	switch {
	case o.committed:
		return history.OK
	case o.unknown:
		return history.Unknown
	}
	return history.Fail
}

func (t *tally) add(o outcome) {
	if !o.byWish {
		t.every.add(o.latency)
	}
	switch {
	case o.unknown:
		t.unknown++
		return
	case !o.committed:
		t.gaveUp++
		return
	}
	t.committed++
	t.latency.add(o.latency)
	t.commit.add(o.commit)
	t.lockWait.add(o.lockWait)
	t.slowest.add(o)
	t.execute += o.execute
	t.commits += o.commit
	t.aborts += o.latency - o.execute - o.commit
	if o.hopsKnown {
		t.hops += int64(o.hops)
		t.hopsKnown++
	}
}

// spans are the contention spans that ended, in all, by the region of the shard's leader, and by
// the client's region and the leader's.
type spans struct {
	all      dist
	byLeader map[string]*dist
	byPair   map[string]map[string]*dist // client, leader
}

func newSpans() *spans {
	return &spans{byLeader: map[string]*dist{}, byPair: map[string]map[string]*dist{}}
}

func (s *spans) add(client, leader string, held time.Duration) {
	s.all.add(held)
	if s.byLeader[leader] == nil {
		s.byLeader[leader] = &dist{}
	}
	s.byLeader[leader].add(held)
	if s.byPair[client] == nil {
		s.byPair[client] = map[string]*dist{}
	}
	if s.byPair[client][leader] == nil {
		s.byPair[client][leader] = &dist{}
	}
	s.byPair[client][leader].add(held)
}

// longest is the largest of any transaction of the run.
type longest struct {
	tries   int
	latency time.Duration
}

// see adds a transaction that has begun this many tries in this time.
func (l *longest) see(tries int, latency time.Duration) {
	l.tries, l.latency = max(l.tries, tries), max(l.latency, latency)
}

func (l *longest) report() Longest { return Longest{l.tries, ms(l.latency)} }
