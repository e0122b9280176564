package node

import (
	"time"

	"isochron/txn"
)

// A node is woken when it has work (Output.WakeAt), not to check whether it has. Its parts return
// the earliest time at which they have work without further events (NextWake). Timers need no more
// precision than Params.TickInterval: they are checked at times that far apart, the node's ticks,
// so that work due at about the same time costs one wake.
//
// Departures (coordinator.Depart) and work at arrival times
// (participant.Scheduled) have wakes of their own, independent of ticks.
//
// After an event (a message, a request, the end of a sync, a new directory) timers may have been set
// anywhere, and waiting work may be able to continue: so all parts are checked at the next tick,
// as if their time had come. Under load that is every tick, and no part has to be asked
// after each event. Raft's own messages, of which an idle node has some
// (heartbeats), only cause the parts to be asked again; their consequences (a leader, the end of a
// sync) are events.

// timerSchedule determines when the node checks its timers.
type timerSchedule struct {
	every  time.Duration // Params.TickInterval
	begun  bool
	origin time.Duration // ticks are whole TickIntervals after it: time of the first check
	looked time.Duration // time of the last check
	fresh  bool          // checked, and the parts not asked since
	asked  bool          // next is still valid
	next   time.Duration // the parts' answer
	late   bool          // next had already passed
	pollAt time.Duration // the tick after the last event; Never: none since
	counts TimerStats
}

// TimerStats counts the checks of timers.
type TimerStats struct {
	Looked  uint64
	Overdue uint64 // a part has returned a past time twice in succession; each is a defect
}

// longestSleep bounds the time between two checks, so that observers see that the node is alive.
const longestSleep = time.Second

// touched records an event.
func (w *timerSchedule) touched(now time.Duration) {
	if w.pollAt == txn.Never {
		w.pollAt = w.tickAt(now)
	}
}

// look records that timers are checked.
func (w *timerSchedule) look(now time.Duration) {
	if !w.begun {
		w.begun, w.origin = true, now
	}
	w.looked, w.fresh, w.asked, w.pollAt = now, true, false, txn.Never
	w.counts.Looked++
}

// tickAt returns the first tick at or after a time at which timers were not checked yet.
func (w *timerSchedule) tickAt(at time.Duration) time.Duration {
	at = min(max(at, w.looked+1), w.looked+longestSleep)
	return w.origin + (at-w.origin+w.every-1)/w.every*w.every
}

// nextLook returns the time of the next check, if nothing happens before.
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

// noteOverdue counts work that is due right after a check, twice in succession.
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
