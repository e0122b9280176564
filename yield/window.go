package yield

import "time"

// window is how many tries of a class may be inside at once. It grows while they
// commit and is halved when most fail, as the congestion window of TCP, whose losses
// are seen by all senders alike: gateways that know nothing of each other come to
// fair shares, which they would not by seeking each the most for itself.
//
// What "most" is depends on what a failed try costs. If it takes what others could use,
// as a processor's time, two of five failing are too many; if it does nothing but wait
// for other regions, four of five may fail before more tries make less. The
// window finds out which by trying: when from two to four fifths of a sample
// have failed, it goes down to a half for one sample, and stays there if almost as
// many commit in the same time; if not, it leaves it at that for some samples. Beyond
// four fifths it is halved at once.
type window struct {
	size int

	// The sample on its way: the tries that ended since it began.
	began    time.Duration
	won      int
	lost     int
	draining bool // not begun: more are inside than the window
	starting bool // nothing was found that is too large: it doubles

	full        int     // the size to go back to, if the half of it is being tried
	fullRate    float64 // commits a second of a sample of that size
	content     int     // samples to come in which no half is tried
	goal        int     // how far it may grow in these, though some are lost
	patience    int     // how many that was the last time
	lostPercent int     // of the last sample
}

// The numbers of the rule.
const (
	sampleTries   = 16 // a sample has at least so many tries
	sampleCommits = 32 // and so many commits, where they are compared,
	sampleTime    = 50 * time.Millisecond
	sampleMost    = 512 // but no more tries than that
	someLost      = 0.2 // more than that lost: is a half as good?
	mostLost      = 0.8 // more than that lost: halve
	asGood        = 0.9
	patienceMost  = 32
	growthPart    = 8  // a window grows by one and an eighth of itself
	firstSize     = 32 // of a class that is met; it doubles until it is too large
)

// newWindow is of a class that is met at this moment. It is not unbounded until a
// sample has shown it to be too large: with a thousand clients at once the tries of
// that sample alone would take a minute, and each that is undone gives way to another.
func newWindow(now time.Duration) window {
	return window{size: firstSize, starting: true, began: now}
}

func (w *window) within(b AdmissionBounds) int { return min(max(w.size, b.Least), b.Most) }

// count takes in how a try ended that was inside, with those left inside and in the queue.
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

// shrink has the window be so large, and begins a sample when no more are inside.
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
