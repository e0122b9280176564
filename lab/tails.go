package lab

import (
	"cmp"
	"slices"
	"time"
)

// The parts of a tail: the slowest commits, and transactions that never committed.

// ongoing is a transaction that has begun and not ended.
type ongoing struct {
	since   time.Duration
	class   string // of the workload
	leaders uint64 // touched so far, by their regions' bits
}

// begins records an open transaction by its arrival.
func (r *run) begins(since time.Duration, class string) *ongoing {
	o := &ongoing{since: since, class: class}
	r.underWay[o] = true
	return o
}

// countUnderWay adds the transactions open at the end of the measured time to the tallies, at their
// age.
func (r *run) countUnderWay() {
	now := r.w.Elapsed()
	// order: counted.
	for o := range r.underWay {
		for _, t := range []*tally{&r.all, r.class(classOf(o.leaders)), r.class(o.class)} {
			t.underWay++
			t.every.add(now - o.since)
		}
	}
}

// slowestMax bounds how many of the slowest commits are kept.
const slowestMax = 500

// slowest are the slowest commits, ascending.
type slowest struct{ kept []outcome }

func (s *slowest) add(o outcome) {
	if len(s.kept) == slowestMax && o.latency <= s.kept[0].latency {
		return
	}
	at, _ := slices.BinarySearchFunc(s.kept, o, func(a, b outcome) int { return cmp.Compare(a.latency, b.latency) })
	s.kept = slices.Insert(s.kept, at, o)
	if len(s.kept) > slowestMax {
		s.kept = slices.Delete(s.kept, 0, 1)
	}
}

// report is of the slowest thousandth of so many commits.
func (s *slowest) report(commits int64) (out Slowest) {
	n := min(int(max(commits/1000, 1)), len(s.kept))
	if n == 0 {
		return out
	}
	var execute, commit, lost time.Duration
	tries := 0
	for _, o := range s.kept[len(s.kept)-n:] {
		execute, commit, lost = execute+o.execute, commit+o.commit, lost+o.latency-o.execute-o.commit
		tries += o.tries
	}
	each := time.Duration(n)
	return Slowest{Breakdown{ms(execute / each), ms(commit / each), ms(lost / each)}, rounded(float64(tries)/float64(n), 2), n}
}
