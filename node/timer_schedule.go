package node

import (
	"time"

	"isochron/txn"
)

// A node is woken when it has something to do (Output.WakeAt), and not to look whether it
// has. Its parts tell the earliest instant at which they have something to do by time
// alone (NextWake). Timers need no more precision than Params.TickInterval: they are looked at
// at instants so far apart, the node's ticks, so that what is due at about the same time
// costs one wake.
//
// What is to leave at an instant (coordinator.Depart), and what is to be done at one
// (participant.Punctual), has a wake of its own, whatever the ticks.
//
// After an event (a message, a request, the end of a sync, a new directory) timers may have been set
// anywhere, and what waited for news may go on: so all parts are asked at the next tick,
// as if their time had come. Under load that is every tick, and no part has to be asked
// with each event. Raft's own messages, of which an idle node has some
// (heartbeats), have the parts be asked anew and no more; what comes of them (a leader, the end of a
// sync) is an event.

// timerSchedule is when the node looks at its timers.
type timerSchedule struct {
	every  time.Duration // Params.TickInterval
	begun  bool
	origin time.Duration // ticks are whole TickIntervals after it: when the first was
	looked time.Duration // when timers were looked at last
	fresh  bool          // they were, and the parts were not asked since
	asked  bool          // what the parts said holds still
	next   time.Duration // what they said
	late   bool          // that had passed already
	pollAt time.Duration // the tick after an event since, Never: there was none
	counts TimerStats
}

// TimerStats counts how often a node has looked at its timers.
type TimerStats struct {
	Looked  uint64
	Overdue uint64 // a part has named, twice running, an instant that had passed; each is a defect
}

// longestSleep is how long a node sleeps at most: so whoever watches it sees that it lives.
const longestSleep = time.Second

// touched notes an event.
func (w *timerSchedule) touched(now time.Duration) {
	if w.pollAt == txn.Never {
		w.pollAt = w.tickAt(now)
	}
}

// look notes that timers are looked at.
func (w *timerSchedule) look(now time.Duration) {
	if !w.begun {
		w.begun, w.origin = true, now
	}
	w.looked, w.fresh, w.asked, w.pollAt = now, true, false, txn.Never
	w.counts.Looked++
}

// tickAt is the first tick at or after an instant at which timers were not looked at yet.
func (w *timerSchedule) tickAt(at time.Duration) time.Duration {
	at = min(max(at, w.looked+1), w.looked+longestSleep)
	return w.origin + (at-w.origin+w.every-1)/w.every*w.every
}

// nextLook is when timers are looked at next, if nothing happens before.
func (w *timerSchedule) nextLook(parts func() time.Duration) time.Duration {
	if w.pollAt != txn.Never {
		return w.pollAt
	}
	if !w.asked {
		w.asked, w.next = true, parts()
		w.noteOverdue()
	}
	return w.tickAt(w.next)
}

// noteOverdue counts what is due right after the node has looked, and was the last time.
func (w *timerSchedule) noteOverdue() {
	if !w.fresh {
		return
	}
	was := w.late
	w.fresh, w.late = false, w.next <= w.looked
	if was && w.late {
		w.counts.Overdue++
	}
}
