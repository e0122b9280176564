//go:build unix

package sourcedb

import (
	"net"
	"syscall"
)

// quiet reports whether an idle connection is open and has nothing to read: a server that drops one sends a notice
// or closes it. It checks the socket without a trip. A connection that cannot be checked counts as quiet. It never
// waits, not even for a reader: pgconn may have left one behind a slow write, which reads until the server sends.
func quiet(c net.Conn) bool {
	tls, encrypted := c.(interface{ NetConn() net.Conn })
	if encrypted {
		c = tls.NetConn()
	}
	s, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	open := true
	err = raw.Control(func(fd uintptr) { // not Read, which waits for its turn
		var b [1]byte
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch {
		case err == syscall.EAGAIN || err == syscall.EWOULDBLOCK || err == syscall.EINTR:
		case err == nil && n > 0 && encrypted: // possibly TLS's own
		default:
			open = false
		}
	})
	return open && err == nil
}
