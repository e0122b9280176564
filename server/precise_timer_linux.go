package server

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// kernelTimer is a timerfd, read through the runtime's poller. The zero one (the kernel refused it) never
// rings; then only the runtime's timer is used.
type kernelTimer struct{ file *os.File }

func newKernelTimer(ring func()) kernelTimer {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return kernelTimer{}
	}
	k := kernelTimer{os.NewFile(uintptr(fd), "timerfd")}
	go func() {
		var expirations [8]byte
		for {
			if _, err := k.file.Read(expirations[:]); err != nil {
				return // closed
			}
			ring()
		}
	}()
	return k
}

func (k kernelTimer) set(d time.Duration) {
	if k.file == nil {
		return
	}
	conn, err := k.file.SyscallConn()
	if err != nil {
		return
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(d.Nanoseconds())}
	// On a failure the less precise timer of the runtime remains.
	_ = conn.Control(func(fd uintptr) { _ = unix.TimerfdSettime(int(fd), 0, &spec, nil) })
}

func (k kernelTimer) close() {
	if k.file != nil {
		_ = k.file.Close()
	}
}
