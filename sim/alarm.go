package sim

import "time"

// alarm is when a host's node is to be woken.
type alarm struct {
	at   time.Duration // of the world's time, if set
	set  bool
	turn uint64 // of the newest: what was set before does not ring
}

// wakeAt has the node be woken at an instant of the host's own clock. 0: it asks for nothing.
func (h *host) wakeAt(mono time.Duration) {
	if mono == 0 {
		return
	}
	at := max(h.booted+h.sinceBoot(mono), h.w.now)
	if h.alarm.set && h.alarm.at <= at {
		return // it will say again what it wants
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

// wake has the node do what is due. A process that stands still is woken when it goes on.
func (h *host) wake() {
	h.w.hops = noChain
	if free := max(h.busyUntil, h.cores[h.idlest()]); free > h.w.now+h.w.cfg.Params.TickInterval {
		h.wakeAfter(free - h.w.now)
		return
	}
	h.inTurn(0, func() {
		h.alarm.set = false
		h.run(func() { h.node.Wake(h.now()) })
	})
}

// sinceBoot is how much of the world's time passes since the boot until the host's clock
// says mono.
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

// monoAfter is what the host's clock says when so much of the world's time has passed since its boot.
func (h *host) monoAfter(since time.Duration) time.Duration {
	return since + since*time.Duration(h.driftPPM)/1_000_000
}
