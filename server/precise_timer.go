package server

import "time"

// alarm wakes one goroutine at a set time. It uses two timers, because each is late where the other is not.
// The runtime's timer is checked whenever a goroutine is scheduled, but an idle process sleeps in whole
// milliseconds. The kernel's timer wakes an idle process within some tens of microseconds, but a busy
// process polls it late.
type alarm struct {
	wake   chan struct{}
	timer  *time.Timer
	kernel kernelTimer
}

func newAlarm() *alarm {
	a := &alarm{wake: make(chan struct{}, 1)}
	a.timer = time.AfterFunc(time.Hour, a.ring)
	a.timer.Stop()
	a.kernel = newKernelTimer(a.ring)
	return a
}

func (a *alarm) ring() { signal(a.wake) }

// set moves the alarm to d from now.
func (a *alarm) set(d time.Duration) {
	if d <= 0 {
		a.ring()
		return
	}
	a.timer.Reset(d)
	a.kernel.set(d)
}

func (a *alarm) close() {
	a.timer.Stop()
	a.kernel.close()
}
