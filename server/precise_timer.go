package server

import "time"

// alarm wakes one goroutine at a set time. Two clocks race to wake it, because
// each is late where the other is not: the runtime's timer is looked at whenever
// a goroutine is scheduled, but an idle process sleeps in whole milliseconds; a
// timer of the kernel wakes an idle process within some tens of microseconds,
// but a busy one looks at it late.
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
