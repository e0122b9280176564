package lab

import "time"

// Which transactions are measured: those that end in the measured time, or those that begin in it,
// whenever they end (Spec.CountBegun). Where some take about as long as is measured the first leaves
// out most of those that take longest, for they end when it is over.

// begunTries is for how long, after the measured time, what has begun in it is tried again.
const begunTries = time.Minute

// window is the measured time; both are 0 until they have come.
type window struct{ from, until time.Duration }

func (w *window) passes(now time.Duration, begins bool) {
	if begins {
		w.from = now
	} else {
		w.until = now
	}
}

// has reports whether a moment that has come is within it.
func (w window) has(at time.Duration) bool {
	return w.from != 0 && at >= w.from && (w.until == 0 || at < w.until)
}

// phases are how long the load lasts before it is measured, while it is, and, for what has begun and
// not ended by then, after it.
func (s resolved) phases() []time.Duration {
	out := []time.Duration{s.Warmup, s.Duration}
	if s.CountBegun {
		out = append(out, s.Warmup)
	}
	return out
}

// counts reports whether a transaction that began at a moment, and ends now, is measured.
func (r *run) counts(since time.Duration) bool {
	if r.spec.CountBegun {
		return r.window.has(since)
	}
	return r.measuring
}

// readTS is when a measured transaction is counted: thirds of the time tell whether a run is steady,
// and what begins late and takes long would all be in the last.
func (r *run) readTS(since, now time.Duration) time.Duration {
	if r.spec.CountBegun {
		return since
	}
	return now
}

// triesOn reports whether a transaction that began at a moment is still tried again.
func (r *run) triesOn(since time.Duration) bool {
	return !r.stopped || r.spec.CountBegun && r.window.has(since) && r.w.Elapsed() < r.window.until+begunTries
}
