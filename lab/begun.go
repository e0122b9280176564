package lab

import "time"

// Which transactions are measured: the ones that end in the measured time, or the ones that begin
// in it, whenever they end (Experiment.CountBegun). Where some take about as long as the measured
// time, the first omits most of the longest, because they end after it.

// begunTries is the time after the measured time during which a transaction that began in it is
// retried.
const begunTries = time.Minute

// window is the measured time; both are 0 before it.
type window struct{ from, until time.Duration }

func (w *window) passes(now time.Duration, begins bool) {
	if begins {
		w.from = now
	} else {
		w.until = now
	}
}

// has reports whether a past time is within the window.
func (w window) has(at time.Duration) bool {
	return w.from != 0 && at >= w.from && (w.until == 0 || at < w.until)
}

// phases are the lengths of the load before the measured time, of the measured time, and, for
// transactions that began in it and have not ended, after it.
func (s resolved) phases() []time.Duration {
	out := []time.Duration{s.Warmup, s.Duration}
	if s.CountBegun {
		out = append(out, s.Warmup)
	}
	return out
}

// counts reports whether a transaction that began at a time, and ends now, is measured.
func (r *run) counts(since time.Duration) bool {
	if r.spec.CountBegun {
		return r.window.has(since)
	}
	return r.measuring
}

// readTS is the time at which a measured transaction is counted: thirds of the time show whether a
// run is steady, and late transactions that take long would all be in the last.
func (r *run) readTS(since, now time.Duration) time.Duration {
	if r.spec.CountBegun {
		return since
	}
	return now
}

// triesOn reports whether a transaction that began at a time is still retried.
func (r *run) triesOn(since time.Duration) bool {
	return !r.stopped || r.spec.CountBegun && r.window.has(since) && r.w.Elapsed() < r.window.until+begunTries
}
