package yield

import "time"

// window is the number of tries of a class that may run at a time. It grows while they commit and
// is halved when most fail, like the congestion window of TCP, whose losses all senders observe
// alike: gateways that know nothing of each other converge to fair shares, which they would not if
// each maximised its own commits.
//
// The right size depends on the cost of a failed try. If it uses what others need, such as a
// processor, two failures in five are too many; if it only waits for other regions, four in five
// may fail before more tries commit less. The window finds out by trial: when from two to four
// fifths of a sample have failed, it is halved for one sample, and stays so if almost as many
// commit in the same time; otherwise it is restored and kept for some samples. Beyond four fifths
// it is halved immediately.
type window struct {
	size int

	// The present sample: the tries that ended since it began.
	began    time.Duration
	won      int
	lost     int
	draining bool // not begun: more are running than the window
	starting bool // no size was too large yet: it doubles

	full        int     // the size to restore while the half of it is tried; 0: none is
	fullRate    float64 // commits a second in a sample of that size
	content     int     // remaining samples in which no half is tried
	goal        int     // how far it may grow in these, though some are lost
	patience    int     // the last value of content at its start
	lostPercent int     // of the last sample
}

// The numbers of the rule.
const (
	sampleTries   = 16 // minimum tries in a sample
	sampleCommits = 32 // minimum commits, where rates are compared
	sampleTime    = 50 * time.Millisecond
	sampleMost    = 512 // maximum tries in a sample
	someLost      = 0.2 // a higher share of losses: try a half
	mostLost      = 0.8 // a higher share of losses: halve
	asGood        = 0.9
	patienceMost  = 32
	growthPart    = 8  // a window grows by an eighth of itself
	firstSize     = 32 // of a new class; it doubles until it is too large
)

// newWindow is of a class first seen now. It is bounded before the first sample is complete: with a
// thousand clients that sample alone would take a minute, each try losing to another.
func newWindow(now time.Duration) window {
	return window{size: firstSize, starting: true, began: now}
}

func (w *window) within(b AdmissionBounds) int { return min(max(w.size, b.Least), b.Most) }

// count records the end of an admitted try, with the numbers left running and queued.
func (w *window) count(now time.Duration, how Outcome, inside, queue int, b AdmissionBounds) {
	if w.draining {
		if inside > w.within(b) {
			return
		}
		w.begin(now)
	}
	switch how {
	case Lost:
		w.lost++
	case Committed:
		w.won++
	}
	n := w.won + w.lost
	if n < max(sampleTries, min(w.size, sampleMost)) {
		return
	}
	switch {
	case float64(w.lost) > mostLost*float64(n):
		w.note(n)
		w.shrink(now, w.size/2)
	case now-w.began < sampleTime:
	case n < sampleMost && w.won < sampleCommits && (w.full > 0 || float64(w.lost) > someLost*float64(n)):
		// Too few commits to compare.
	default:
		w.note(n)
		w.judge(now, n, queue)
	}
	w.size = w.within(b)
}

func (w *window) note(n int) { w.lostPercent = 100 * w.lost / n }

func (w *window) begin(now time.Duration) {
	w.draining, w.began, w.won, w.lost = false, now, 0, 0
}

// shrink sets the window, and begins a sample when no more are running.
func (w *window) shrink(now time.Duration, size int) {
	w.size, w.full, w.draining, w.starting = max(size, 1), 0, true, false
}

// judge ends a sample of n tries of which not too many were lost.
func (w *window) judge(now time.Duration, n, queue int) {
	rate := float64(w.won) / max(now-w.began, time.Microsecond).Seconds()
	switch {
	case w.full > 0 && rate >= asGood*w.fullRate: // the half does as much
		w.full, w.patience = 0, 0
	case w.full > 0:
		w.size, w.full = w.full, 0
		w.goal = w.size + w.size/2 + 1
		w.patience = min(max(2*w.patience, 4), patienceMost)
		w.content = w.patience
	case float64(w.lost) > someLost*float64(n) && w.content == 0 && w.size > 1:
		full := w.size
		w.shrink(now, full/2)
		w.full, w.fullRate = full, rate
		return
	case w.starting && float64(w.lost) <= someLost*float64(n) && queue > 0:
		w.size *= 2
	case (float64(w.lost) <= someLost*float64(n) || w.content > 0 && w.size < w.goal) && queue > 0:
		w.size += 1 + w.size/growthPart
	}
	w.content = max(w.content-1, 0)
	w.begin(now)
}
