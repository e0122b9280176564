package sim

import "time"

// alarm is the time at which a host's node is to be woken.
type alarm struct {
	at   time.Duration // virtual time, if set
	set  bool
	turn uint64 // of the newest alarm: an older one does not fire
}

// wakeAt schedules a wake of the node at a time of the host's own monotonic clock; 0 schedules
// none.
func (h *host) wakeAt(mono time.Duration) {
	if mono == 0 {
		return
	}
	at := max(h.booted+h.sinceBoot(mono), h.w.now)
	if h.alarm.set && h.alarm.at <= at {
		return // the node will request a wake again
	}
	h.wakeAfter(at - h.w.now)
}

func (h *host) wakeAfter(d time.Duration) {
	h.alarm = alarm{at: h.w.now + d, set: true, turn: h.alarm.turn + 1}
	turn := h.alarm.turn
	h.later(d, func() {
		if h.alarm.turn == turn {
			h.wake()
		}
	})
}

// wake runs the work that is due at the node. A stalled process is woken when the stall ends.
func (h *host) wake() {
	h.w.hops = noChain
	if free := max(h.busyUntil, h.cores[h.idlest()]); free > h.w.now+h.w.cfg.Params.TickInterval {
		h.wakeAfter(free - h.w.now)
		return
	}
	h.queueWork(0, func() {
		h.alarm.set = false
		h.run(func() { h.node.Wake(h.now()) })
	})
}

// sinceBoot returns the virtual time from the boot until the host's clock shows mono.
func (h *host) sinceBoot(mono time.Duration) time.Duration {
	since := mono - mono*time.Duration(h.driftPPM)/time.Duration(1_000_000+h.driftPPM)
	for h.monoAfter(since) < mono {
		since++
	}
	for since > 0 && h.monoAfter(since-1) >= mono {
		since--
	}
	return since
}

// monoAfter returns the reading of the host's clock when that much virtual time has passed since
// its boot.
func (h *host) monoAfter(since time.Duration) time.Duration {
	return since + since*time.Duration(h.driftPPM)/1_000_000
}
