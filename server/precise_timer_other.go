//go:build !linux

package server

import "time"

// kernelTimer exists only on Linux; elsewhere the runtime's timer is precise enough.
type kernelTimer struct{}

func newKernelTimer(func()) kernelTimer { return kernelTimer{} }
func (kernelTimer) set(time.Duration)   {}
func (kernelTimer) close()              {}
